#!/usr/bin/env bash
# Goes from a fresh checkout to a network that taught itself Connect Four, in three minutes of play.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<END
usage: tools/quickstart.sh [--quick] [--run FOLDER] [MINUTES]

Installs packages, builds, trains a network for Connect Four from scratch for MINUTES (default 3), and
plays a match between the trained and the untrained network.
  --quick       only checks that everything works: a few seconds of training and a match of 20 games
  --run FOLDER  the new folder for the run (default: runs/quickstart-1, 2, ...)
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
      [[ -n "${2-}" ]] || refuse "--run needs a folder"
      run=$2
      shift
      ;;
    *)
      [[ -z "$minutes" && "$1" =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "unexpected argument \"$1\""
      minutes=$1
      ;;
  esac
  shift
done
if [[ -z "$minutes" ]]; then minutes=$( ((quick)) && echo 0.1 || echo 3); fi

# The programs started here handle Ctrl-C themselves; this script then starts no further program.
stopped=0
trap 'stopped=1' INT TERM
leave_if_stopped() {
  if ((stopped)); then
    echo
    echo "stopped; $1"
    exit 130
  fi
}

# quietly WHAT COMMAND...: prints WHAT, and the output of COMMAND only if it fails.
quietly() {
  local what=$1 said
  shift
  echo "$what"
  if ! said=$("$@" 2>&1); then
    leave_if_stopped "run this script again to continue"
    echo "$said" >&2
    echo "quickstart: failed at: $what" >&2
    exit 1
  fi
  leave_if_stopped "run this script again to continue"
}

cores=$(nproc)
tools/install_packages.sh
quietly "configuring" cmake --preset release
quietly "building on $cores cores (the first build takes several minutes)" \
  cmake --build --preset release --parallel "$cores" --target senet analyse_position

senet=build/release/tools/senet
if [[ -z "$run" ]]; then
  number=1
  while [[ -e runs/quickstart-$number ]]; do number=$((number + 1)); done
  run=runs/quickstart-$number
fi
latest=$run/weights/latest.safetensors

echo "training Connect Four from scratch for $minutes minutes; Ctrl-C ends it early and keeps everything"
"$senet" selfplay --game connect_four --run "$run" --minutes "$minutes" --workers "$cores"
leave_if_stopped "$senet selfplay --resume --run $run continues the run"

echo
echo "$((2 * pairs)) games against the untrained network"
"$senet" match --game connect_four --first "$latest" --second untrained --pairs "$pairs" --visits 100 ||
  ((stopped))
leave_if_stopped "the run is in $run"

cat <<END

The run is in $run: its settings, games, weights and metrics. Next steps:
  $senet selfplay --resume --run $run
      continues training until Ctrl-C
  build/release/tools/examples/analyse_position $latest 4453
      evaluates a position (the columns played so far, 1 to 7)
  $senet match --game connect_four --first $latest --second random --visits 0
      plays the network without search against random moves
END
