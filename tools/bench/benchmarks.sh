#!/usr/bin/env bash
# Runs all benchmarks on this machine and writes docs/benchmarks.md (tables and their commands) and
# docs/benchmarks.jsonl (the output of these commands). The machine should be idle. Usage:
#   tools/bench/benchmarks.sh                    builds build/release first
#   tools/bench/benchmarks.sh path/to/senet      measures that program
#   SENET_BENCH_SECONDS=0.2 SENET_BENCH_REPEATS=1 tools/bench/benchmarks.sh    a quick trial run
# If strace is installed, also counts system calls.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${SENET_BENCH_SECONDS:-20}
repeats=${SENET_BENCH_REPEATS:-3}
short=$(awk -v s="$seconds" 'BEGIN { print s / 20 }') # for benchmarks other than self-play
if [[ $# -gt 0 ]]; then
  senet=$1
else
  cmake --preset release >/dev/null
  cmake --build --preset release --target senet >/dev/null
  senet=build/release/tools/senet
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source tools/bench/tables.sh

# bench NAME ARGUMENTS...: runs senet bench with --json; stores its output in NAME.json and the
# command in NAME.command.
bench() {
  local name=$1
  shift
  echo "senet bench $* --json" | tee "$work/$name.command" >&2
  "$senet" bench "$@" --json >"$work/$name.json"
}

# Counts the system calls of all threads in ten seconds of self-play, after a warm-up of 15 seconds.
# Writes lines in the format of senet bench, one metric per system call.
count_system_calls() {
  local run=(selfplay --game backgammon --evaluator fused --seconds 40) program
  {
    echo "senet bench ${run[*]} &"
    echo "sleep 15; timeout --signal INT 10 strace -f -c -p \$!"
  } | tee "$work/calls.command" >&2
  "$senet" bench "${run[@]}" >/dev/null &
  program=$!
  sleep 15
  timeout --signal INT 10 strace -f -c -U name,calls -o "$work/calls" -p $program 2>/dev/null || true
  kill $program
  wait $program 2>/dev/null || true
  awk '
    function line(metric, value) {
      printf "{\"bench\":\"system_calls\",\"case\":\"backgammon/position/seed-283k/visits-100/fused\"," \
             "\"metric\":\"%s\",\"value\":%g,\"unit\":\"calls/s\",\"min\":%g,\"max\":%g,\"repeats\":1}\n",
             metric, value, value, value
    }
    $2 ~ /^[0-9]+$/ && $1 != "total" { sum += $2; line($1, $2 / 10) }
    END { line("all", sum / 10) }' "$work/calls" >"$work/calls.json"
}

bench peak peak --seconds "$short" --repeat "$repeats"
bench forward forward --game backgammon --seconds "$short" --repeat "$repeats"
bench tree tree --seconds "$short" --repeat "$repeats"
bench tree_alone tree --lanes 1 --seconds "$short" --repeat "$repeats"
bench playout playout --seconds "$short" --repeat "$repeats"
bench standard --seconds "$seconds" --repeat "$repeats"
bench shipped selfplay --game backgammon --mode afterstates --visits 1 --seconds "$seconds" --repeat "$repeats"
bench deeper selfplay --game connect_four --blocks 6 --seconds "$seconds" --repeat "$repeats"
bench cache selfplay --game connect_four --blocks 6 --cache 256 --seconds "$seconds" --repeat "$repeats"
bench reuse selfplay --reuse-tree --seconds "$seconds" --repeat "$repeats"
bench scaling selfplay --game backgammon --workers 1,2 --seconds "$seconds" --repeat "$repeats"
bench train train --game backgammon --workers 1,2 --seconds "$short" --repeat "$repeats"
if command -v strace >/dev/null; then count_system_calls; else : >"$work/calls.json"; fi

cat "$work"/*.json | awk 'NF && !($0 ~ /"bench":"machine"/ && seen++)' >docs/benchmarks.jsonl
write_page >docs/benchmarks.md
echo "wrote docs/benchmarks.md and docs/benchmarks.jsonl" >&2
