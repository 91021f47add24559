#!/usr/bin/env bash
# Measures this machine, which should be idle, and stores the output of senet bench in
# docs/benchmarks.jsonl, each line with the name of its run. Then writes docs/benchmarks.md from that
# file. Usage:
#   tools/bench/benchmarks.sh                  builds build/release and runs all benchmarks
#   tools/bench/benchmarks.sh peak shipped     runs only these; the others keep their figures
#   tools/bench/benchmarks.sh --page           runs none, only writes the page
#   SENET=path/to/senet tools/bench/benchmarks.sh    measures that program
#   SENET_BENCH_NOTE="busy" tools/bench/benchmarks.sh    adds a remark to the machine's name
#   SENET_BENCH_SECONDS=0.2 SENET_BENCH_REPEATS=1 tools/bench/benchmarks.sh    a quick trial run
# If strace is installed, also counts system calls.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${SENET_BENCH_SECONDS:-20}
repeats=${SENET_BENCH_REPEATS:-3}
short=$(awk -v s="$seconds" 'BEGIN { print s / 20 }') # for benchmarks other than self-play
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stored=docs/benchmarks.jsonl
source tools/bench/tables.sh

declare -A runs=(
  [peak]="peak --seconds $short"
  [forward]="forward --game backgammon --seconds $short"
  [tree]="tree --seconds $short"
  [tree_alone]="tree --lanes 1 --seconds $short"
  [playout]="playout --seconds $short"
  [standard]="--seconds $seconds"
  [shipped]="selfplay --game backgammon --mode afterstates --visits 1 --network builtin --seconds $seconds"
  [deeper]="selfplay --game connect_four --blocks 6 --seconds $seconds"
  [cache]="selfplay --game connect_four --blocks 6 --cache 256 --seconds $seconds"
  [reuse]="selfplay --reuse-tree --seconds $seconds"
  [scaling]="selfplay --game backgammon --workers 1,2 --seconds $seconds"
  [train]="train --game backgammon --workers 1,2 --seconds $short"
)
order=(peak forward tree tree_alone playout standard shipped deeper cache reuse scaling train calls)

# store NAME COMMAND: replaces the stored figures of a run by the lines on stdin; the line of the
# machine also gets the command.
store() {
  awk -v name="$1" -v command="$2" -v note="${SENET_BENCH_NOTE-}" 'NF {
    added = ",\"run\":\"" name "\""
    if ($0 ~ /"bench":"machine"/) {
      added = added ",\"command\":\"" command "\""
      if (note != "") sub(/","metric"/, " | " note "&")
    }
    sub(/}$/, added "}"); print
  }' >"$work/new"
  grep -v "\"run\":\"$1\"" "$stored" >"$work/all" || true
  cat "$work/new" >>"$work/all"
  cp "$work/all" "$stored"
}

# Counts the system calls of all threads in ten seconds of self-play, after a warm-up of 15 seconds.
# Writes lines in the format of senet bench, one metric per system call, after the machine's.
count_system_calls() {
  local program
  echo "senet bench $1 &" >&2
  # shellcheck disable=SC2086  # the arguments are split into words on purpose
  "$senet" bench $1 --json >"$work/during" &
  program=$!
  sleep 15
  timeout --signal INT 10 strace -f -c -U name,calls -o "$work/calls" -p $program 2>/dev/null || true
  wait $program 2>/dev/null || true
  head -n 1 "$work/during"
  awk '
    function line(metric, value) {
      printf "{\"bench\":\"system_calls\",\"case\":\"backgammon/position/reference/visits-100/fused\"," \
             "\"metric\":\"%s\",\"value\":%g,\"unit\":\"calls/s\",\"min\":%g,\"max\":%g,\"repeats\":1}\n",
             metric, value, value, value
    }
    $2 ~ /^[0-9]+$/ && $1 != "total" { sum += $2; line($1, $2 / 10) }
    END { line("all", sum / 10) }' "$work/calls"
}

measure() { # NAME
  local arguments
  if [[ $1 == calls ]]; then
    command -v strace >/dev/null || return 0
    arguments="selfplay --game backgammon --evaluator fused --seconds 40"
    count_system_calls "$arguments" >"$work/found"
    store calls "senet bench $arguments &\\\\nsleep 15; timeout --signal INT 10 strace -f -c -p \$!" <"$work/found"
    return
  fi
  arguments="${runs[$1]} --repeat $repeats --json"
  echo "senet bench $arguments" >&2
  # shellcheck disable=SC2086
  "$senet" bench $arguments >"$work/found"
  store "$1" "senet bench $arguments" <"$work/found"
}

names=("$@")
((${#names[@]})) || names=("${order[@]}")
[[ ${names[0]} != --page ]] || names=()
for name in "${names[@]}"; do
  [[ $name == calls || -n ${runs[$name]-} ]] || { echo "benchmarks.sh: \"$name\" is none of ${order[*]}" >&2 && exit 2; }
done
senet=${SENET-}
if [[ -z $senet ]] && ((${#names[@]})); then
  cmake --preset release >/dev/null
  cmake --build --preset release --target senet >/dev/null
  senet=build/release/tools/senet
fi
touch "$stored"
for name in "${names[@]}"; do measure "$name"; done

unpack
write_page >docs/benchmarks.md
echo "wrote docs/benchmarks.md from $stored" >&2
