#!/usr/bin/env bash
# Goes from a fresh checkout to a network that taught itself Connect Four in three minutes of play, and
# that you can play against in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<END
usage: tools/quickstart.sh [--quick] [--run FOLDER] [MINUTES]

Installs packages, builds, trains a network for Connect Four from scratch for MINUTES (default 3),
plays a match between the trained and the untrained network, and serves a page on which you play
against the trained one, until Ctrl-C.
  --quick       only checks that everything works: a few seconds of training, a match of 20 games,
                and a page that is opened once
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
[[ -z "$minutes" || "$minutes" =~ [1-9] ]] || refuse "the minutes must be more than 0"
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
echo "building on $cores cores; the first build takes about five minutes of processor time"
# ninja's own progress, on one line of a terminal.
cmake --build --preset release --parallel "$cores" --target senet game_server || {
  leave_if_stopped "run this script again to continue"
  echo "quickstart: the build failed" >&2
  exit 1
}
leave_if_stopped "run this script again to continue"

senet=build/release/tools/senet
server=build/release/tools/examples/game_server/game_server
if [[ -z "$run" ]]; then
  number=1
  while [[ -e runs/quickstart-$number ]]; do number=$((number + 1)); done
  run=runs/quickstart-$number
fi
latest=$run/weights/latest.safetensors

echo "training Connect Four from scratch for $minutes minutes; Ctrl-C ends it early and keeps everything"
"$senet" selfplay --game connect_four --run "$run" --minutes "$minutes" --workers "$cores"
leave_if_stopped "$senet selfplay --run $run continues the run"

echo
echo "$((2 * pairs)) games against the untrained network"
"$senet" match --game connect_four --first "$latest" --second untrained --pairs "$pairs" --visits 100 ||
  ((stopped))
leave_if_stopped "the run is in $run"

cat <<END

The run is in $run: its settings, games, weights and metrics. Next steps:
  $senet selfplay --run $run
      continues training until Ctrl-C
  $senet match --game connect_four --first $latest --second random --visits 0
      plays the network without search against random moves
  $server $latest
      plays against it on the page again
END

if ((quick)); then # opens the page once
  exec {page}< <(exec "$server" --port 0 "$latest")
  server_process=$!
  trap 'kill -INT "$server_process" 2>/dev/null || true' EXIT
  while read -r line <&"$page" && [[ $line != *http://* ]]; do :; done
  [[ $line == *http://* ]] || { echo "quickstart: the game server did not start" >&2 && exit 1; }
  port=${line##*:}
  exec {connection}<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET / HTTP/1.0\r\n\r\n' >&"$connection"
  read -r answer <&"$connection"
  [[ $answer == "HTTP/1."*" 200 "* ]] || { echo "quickstart: the page answered \"$answer\"" >&2 && exit 1; }
  echo "the page works"
  exit 0
fi

echo
echo "play against it in a browser; Ctrl-C ends the server:"
# Another port if the usual one is taken.
port=8080
if (exec {connection}<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then port=0; fi
# Only the address, as the last line; Ctrl-C ends the server first.
address() { (trap '' INT TERM && exec sed -un 's|.*\(http://[^ ]*\).*|\1|p'); }
"$server" --port "$port" "$latest" 2>"$run/server.log" | address || ((stopped)) || {
  cat "$run/server.log" >&2
  exit 1
}
