#!/usr/bin/env bash
# Measures everything on this machine and writes docs/benchmarks.md: the tables and, below them, the
# commands with what they printed. Let the machine be quiet. Usage:
#   tools/benchmarks.sh                    builds build/release first
#   tools/benchmarks.sh path/to/senet      measures that program
#   SENET_BENCH_SECONDS=0.2 SENET_BENCH_REPEATS=1 tools/benchmarks.sh    a quick look at the form
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${SENET_BENCH_SECONDS:-20}
repeats=${SENET_BENCH_REPEATS:-3}
short=$(awk -v s="$seconds" 'BEGIN { print s / 20 }') # of one forward pass or training case
if [[ $# -gt 0 ]]; then
  senet=$1
else
  cmake --preset release >/dev/null
  cmake --build --preset release --target senet >/dev/null
  senet=build/release/tools/senet
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bench NAME ARGUMENTS...: runs senet bench with --json; keeps the lines and the command.
bench() {
  local name=$1
  shift
  echo "senet bench $* --json" | tee "$work/$name.command" >&2
  "$senet" bench "$@" --json >"$work/$name.json"
}

# table FILE METRIC...: a row for each case, a column for each metric; no rows for single workers.
# Splits our own lines at their quotes: fields 4, 8 and 12 are bench, case and metric, 15 the value.
table() {
  local file=$1
  shift
  awk -F'"' -v columns="$*" '
    BEGIN {
      count = split(columns, column, " ")
      head = "| case |"; rule = "|---|"
      for (i = 1; i <= count; ++i) {
        title = column[i]; gsub("_", " ", title)
        head = head " " title " |"; rule = rule "--:|"
      }
      print head; print rule
    }
    function show(v) {
      if (v == "" || v == "null") return "-"
      v += 0
      if (v == int(v) || v >= 100 || v <= -100) return sprintf("%.0f", v)
      return sprintf(v < 1 ? "%.4f" : "%.2f", v)
    }
    $4 == "machine" || $8 ~ /\/worker-/ { next }
    !($8 in seen) { seen[$8] = 1; order[++cases] = $8 }
    { number = $15; gsub(/[:,]/, "", number); value[$8, $12] = number }
    END {
      for (k = 1; k <= cases; ++k) {
        row = "| `" order[k] "` |"
        for (i = 1; i <= count; ++i) row = row " " show(value[order[k], column[i]]) " |"
        print row
      }
    }' "$file"
}

# output NAME: the command and what it printed.
output() {
  printf '```sh\n%s\n```\n<details><summary>Output</summary>\n\n```json\n' "$(cat "$work/$1.command")"
  cat "$work/$1.json"
  printf '```\n</details>\n\n'
}

bench peak peak --seconds "$short" --repeat "$repeats"
bench standard --seconds "$seconds" --repeat "$repeats"
bench deeper selfplay --game connect_four --blocks 6 --seconds "$seconds" --repeat "$repeats"
bench reuse selfplay --reuse-tree --seconds "$seconds" --repeat "$repeats"
bench forward forward --seconds "$short" --repeat "$repeats"
bench train train --seconds "$short" --repeat "$repeats"

{
  cat <<TEXT
# Benchmarks

Written by \`tools/benchmarks.sh\`: do not edit, run it again. Medians of $repeats runs, $seconds s each.

Machine: $(awk -F'"' 'NR == 1 { print $8; exit }' "$work/peak.json"), $(nproc) hardware threads.
What it can do at most (fused multiply-adds in registers, two operations each, single precision):

$(table "$work/peak.json" multiply_add)

The figure is in GFLOP/s.

## Self-play

Every hardware thread plays 64 games at once with fresh weights; no trainer, nothing is written.
Every decision with more than one legal move is searched with 100 new visits and noise at the root;
forced moves are not searched and not counted. Games begin spread out: searches of few visits run
until two games a lane have ended, then full ones for two seconds, then the measurement begins.

- *position*: one evaluation for a visit, policy logits are the priors. *afterstates*: a visit
  evaluates all positions that the moves of its position lead to.
- *seed-283k*: the reference shape (128 wide, 3 blocks, two policy layers, one value layer), 283,562
  parameters in backgammon. Connect Four has fewer inputs and logits, hence 178,058; with
  6 blocks (second table) it has 278,666.
- *forward* is measured. *encode* is rows times the cost of writing one row, measured at the end of
  the run on the positions of its last trees. *tree* is the rest of the time inside the games:
  descents, move generation, backing up, and the rules and records of the games themselves. *other*
  is what is left: the loop over the games, clocks, waiting.
- *allocations* counts everything the worker threads ask the heap for (malloc and all that comes
  down to it) per visit; *own* is without what the evaluator's library does inside a forward pass.
  What is left of our own are game records that grow to the length of the longest game so far.

$(table "$work/standard.json" games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second evaluations_per_visit decisions_per_game plies_per_game)

$(table "$work/standard.json" mean_batch_fill mean_batch_fill_share share_forward share_encode share_tree \
    share_other allocations_per_simulation own_allocations_per_simulation resident)

$(output standard)
Connect Four with about as many parameters as backgammon's reference network:

$(table "$work/deeper.json" games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second parameters)

$(output deeper)
With the tree kept between moves, visits that were kept count towards the 100 and are not counted
again in the figures:

$(table "$work/reuse.json" games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second evaluations_per_visit)

$(output reuse)
## The forward pass

One thread; positions of random games with the logits of their legal moves. *dense gflops* counts
the work of a dense pass, also what is skipped (inputs that are zero, logits that nobody asked for),
so that shares above 1 are possible; the peak was measured in the same run.

$(table "$work/forward.json" states_per_second dense_gflops peak_fraction allocations_per_forward)

$(output forward)
## The trainer on the CPU

One thread; a step is forward, backward and update of one batch.

$(table "$work/train.json" samples_per_second step_time allocations_per_step)

$(output train)
## The multiply-add peak

$(output peak)
TEXT
} >docs/benchmarks.md
echo "wrote docs/benchmarks.md" >&2
