#!/usr/bin/env bash
# From a fresh checkout to a network that taught itself Connect Four, in about three minutes of play:
# tools/quickstart.sh [MINUTES]
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-3}
if (($# > 1)) || [[ ! "$minutes" =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
  echo "usage: tools/quickstart.sh [MINUTES]" >&2
  exit 2
fi

# The programs started here take Ctrl-C themselves; to this script it means: start nothing more.
stopped=0
trap 'stopped=1' INT TERM
leave_if_stopped() {
  if ((stopped)); then
    echo
    echo "stopped; $1"
    exit 130
  fi
}

# quietly WHAT COMMAND...: one line when it goes well, everything it said when it does not.
quietly() {
  local what=$1 said
  shift
  echo "$what"
  if ! said=$("$@" 2>&1); then
    leave_if_stopped "the next start goes on from here"
    echo "$said" >&2
    echo "quickstart: failed at: $what" >&2
    exit 1
  fi
  leave_if_stopped "the next start goes on from here"
}

cores=$(nproc)
tools/install_packages.sh
quietly "configuring" cmake --preset release
quietly "building on $cores cores (the first time this takes some minutes)" \
  cmake --build --preset release --parallel "$cores" --target senet analyse_position

senet=build/release/tools/senet
number=1
while [[ -e runs/quickstart-$number ]]; do number=$((number + 1)); done
run=runs/quickstart-$number
latest=$run/weights/latest.safetensors

echo "learning Connect Four from nothing for $minutes minutes; Ctrl-C ends it early and keeps everything"
"$senet" selfplay --game connect_four --run "$run" --minutes "$minutes" --workers "$cores"
leave_if_stopped "$senet selfplay --resume --run $run goes on with what is in $run"

echo
echo "200 games against the network that it began as"
"$senet" match --game connect_four --first "$latest" --second untrained --pairs 100 --visits 100 ||
  ((stopped))
leave_if_stopped "the run is in $run"

cat <<END

The run is in $run: its settings, games, weights and figures. What next?
  $senet selfplay --resume --run $run
      goes on learning, until Ctrl-C
  build/release/tools/examples/analyse_position $latest 4453
      says what it makes of a position (columns played, 1 to 7)
  $senet match --game connect_four --first $latest --second random --visits 0
      lets the network play without any search
END
