#!/usr/bin/env bash
# Builds the example server as a separate project against an installed libsenet and plays a move:
# installed.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

cmake --install "$build" --component libsenet --prefix "$work/prefix" >/dev/null
cp -r "$source/tools/examples/game_server" "$work/source" # without the rest of the repository
# A single unity file compiles fastest.
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 >/dev/null
cmake --build "$work/build" >/dev/null

"$work/build/game_server" --port 0 >"$work/hello" &
server=$!
until [[ $(wc -l <"$work/hello") -ge 2 ]]; do
  kill -0 "$server"
  sleep 0.05
done
url=$(grep -o 'http://[^ ]*' "$work/hello")
post() { # PATH BODY
  exec {line}<>"/dev/tcp/127.0.0.1/${url##*:}"
  printf 'POST %s HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "$1" "${#2}" "$2" >&"$line"
  cat <&"$line"
  exec {line}>&-
}
id=$(post /api/games '{"game":"backgammon"}' | grep -o '"id":"[0-9a-f]*' | cut -d'"' -f4)
post "/api/games/$id/move" '{"visits":20}' | grep -q '"played":"'
kill -TERM "$server"
wait "$server"
server=
tail -n 1 "$work/hello"
