#!/usr/bin/env bash
# Builds senet three times: in release, with profile counters, and with the profile of short
# benchmark runs. Then measures self-play with the first and the last build in turns and prints the
# speedup.
# Usage: tools/bench/pgo.sh [ROUNDS]    (default: 5 of each). The program is build/pgo/tools/senet.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5}

build() { # PRESET OPTIONS...
  local preset=$1
  shift
  cmake --preset "$preset" "$@" >/dev/null
  cmake --build --preset "$preset" --target senet
}

build release
rm -rf build/pgo/profile
build pgo -DSENET_PROFILE=generate
for bench in selfplay tree playout train; do
  build/pgo/tools/senet bench $bench --seconds 3 >/dev/null
done
build pgo -DSENET_PROFILE=use

rates() { # PROGRAM GAME
  "$1" bench selfplay --game "$2" --evaluator fused --seconds 5 --json |
    awk -F'"' '$12 == "decisions_per_second" { number = $15; gsub(/[:,]/, "", number); print number; exit }'
}
for game in connect_four backgammon; do
  for ((i = 0; i < rounds; ++i)); do
    echo "$(rates build/release/tools/senet $game) $(rates build/pgo/tools/senet $game)"
  done | awk -v game=$game '
    { plain += $1; profiled += $2; ratio = $2 / $1 }
    NR == 1 || ratio < least { least = ratio }
    NR == 1 || ratio > most { most = ratio }
    END {
      printf "%s: %.0f decisions/s in release, %.0f with the profile: ratio %.3f (pairs: %.3f to %.3f)\n",
             game, plain / NR, profiled / NR, profiled / plain, least, most
    }'
done
