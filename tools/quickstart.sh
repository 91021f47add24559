#!/usr/bin/env bash
# From a fresh checkout to a network that taught itself Connect Four, in about three minutes of play.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<END
usage: tools/quickstart.sh [--quick] [--run FOLDER] [MINUTES]

Installs packages, builds, learns Connect Four from nothing for so many minutes (3) and lets the network
play against the one that it began as.
  --quick       only shows that all of it works: a few seconds of learning and a match of 20 games
  --run FOLDER  where the run is kept, a new folder (runs/quickstart-1, 2, ...)
END
}
refuse() {
  echo "quickstart: $1; tools/quickstart.sh --help" >&2
  exit 2
}

minutes=
pairs=100
quick=0
run=
while (($# > 0)); do
  case "$1" in
    -h | --help)
      usage
      exit 0
      ;;
    --quick)
      quick=1
      pairs=10
      ;;
    --run)
      [[ -n "${2-}" ]] || refuse "--run: no folder"
      run=$2
      shift
      ;;
    *)
      [[ -z "$minutes" && "$1" =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "\"$1\" is not expected here"
      minutes=$1
      ;;
  esac
  shift
done
if [[ -z "$minutes" ]]; then minutes=$( ((quick)) && echo 0.1 || echo 3); fi

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
if [[ -z "$run" ]]; then
  number=1
  while [[ -e runs/quickstart-$number ]]; do number=$((number + 1)); done
  run=runs/quickstart-$number
fi
latest=$run/weights/latest.safetensors

echo "learning Connect Four from nothing for $minutes minutes; Ctrl-C ends it early and keeps everything"
"$senet" selfplay --game connect_four --run "$run" --minutes "$minutes" --workers "$cores"
leave_if_stopped "$senet selfplay --resume --run $run goes on with what is in $run"

echo
echo "$((2 * pairs)) games against the network that it began as"
"$senet" match --game connect_four --first "$latest" --second untrained --pairs "$pairs" --visits 100 ||
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
