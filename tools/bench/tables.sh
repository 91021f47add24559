# Formats docs/benchmarks.md; sourced by tools/bench/benchmarks.sh.

# Splits the stored figures into $work/NAME.json, NAME.command and NAME.machine.
unpack() {
  local name
  for name in "${order[@]}"; do
    grep "\"run\":\"$name\"" "$stored" >"$work/$name.json" || true
    sed -n 's/.*"bench":"machine".*"command":"\(.*\)"}$/\1/p' "$work/$name.json" | sed 's/\\n/\n/g' >"$work/$name.command"
    awk -F'"' '$4 == "machine" { threads = $15; gsub(/[:,]/, "", threads); printf "%s, %d hardware threads", $8, threads }' \
      "$work/$name.json" >"$work/$name.machine"
  done
}

# value NAME CASE METRIC: prints a figure, or nothing if it was not measured.
value() {
  awk -F'"' -v name="$2" -v metric="$3" '
    $8 == name && $12 == metric { number = $15; gsub(/[:,]/, "", number); if (number != "null") print number }
  ' "$work/$1.json"
}

# show FORMAT NUMBER...: prints the numbers in that format, separated by " / "; "-" for an empty one.
show() {
  local format=$1 text="" number
  shift
  for number in "$@"; do
    [[ -z $number ]] || number=$(printf "$format" "$number")
    text+="${text:+ / }${number:--}"
  done
  echo "$text"
}

# row WHAT FIGURE BAR AIM NOTE TEST: prints a row of the table of targets. BAR is the target, AIM the
# stretch goal. TEST is an awk expression that is true when the target is met; NOTE is printed only
# when it is not.
row() {
  local what=$1 figure=$2 bar=$3 aim=$4 note=$5 met
  met=$(awk "BEGIN { print (${6}) ? \"yes\" : \"no\" }")
  [[ $met == yes ]] && note=""
  echo "| $what | $figure | $bar | $aim | $met | $note |"
}

# table FILE METRIC...: prints a row for each case and a column for each metric, without the cases of
# single workers. Splits the JSON lines at quotes: fields 4, 8 and 12 are bench, case and metric; 15
# contains the value.
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
    }' "$work/$file.json"
}

# command_of NAME: prints the command as a code block, and the machine if it is not the page's.
command_of() {
  printf '```sh\n%s\n```\n' "$(cat "$work/$1.command")"
  [[ ! -s $work/$1.machine ]] || cmp -s "$work/$1.machine" "$work/standard.machine" ||
    printf '\nThe table above was measured on another machine: %s.\n' "$(cat "$work/$1.machine")"
}

# parameters NAME CASE: the parameters of the network, with a comma.
parameters() {
  value "$1" "$2" parameters | sed -E 's/\..*//; s/([0-9]{3})$/,\1/'
}

# Prints the project's targets and the figures of this machine.
bars() {
  local forward=backgammon/position/reference tree_c4=connect_four/position/visits-800
  local tree_bg=backgammon/position/visits-400 play=position/reference/visits-100
  local evaluator=fused a b c d
  [[ -n $(value standard "backgammon/$play/fused" workers) ]] || evaluator=onednn
  local self_bg=backgammon/$play/$evaluator

  echo "| what (on one core unless stated) | figure | target | stretch goal | met | note |"
  echo "|---|---|---|---|---|---|"
  a=$(value forward $forward/fused/dense/batch-64 peak_fraction)
  b=$(value forward $forward/fused/dense/batch-256 peak_fraction)
  row "dense forward pass of \`reference\`, own kernels, batch 64 / 256, fraction of the multiply-add peak" \
    "$(show %.3f $a $b)" 0.92 0.95 "$note_dense" "$a >= 0.92 && $b >= 0.92"
  a=$(value forward $forward/onednn/dense/batch-64 peak_fraction)
  b=$(value forward $forward/onednn/dense/batch-256 peak_fraction)
  row "the same with oneDNN" "$(show %.3f $a $b)" 0.88 0.88 "$note_dense" "$a >= 0.88 && $b >= 0.88"
  a=$(value forward $forward/fused/sparse/batch-64 peak_fraction)
  b=$(value forward $forward/fused/sparse/batch-256 peak_fraction)
  row "sparse input, requested logits only, batch 64 / 256: evaluations/s over (peak / dense FLOP)" \
    "$(show %.2f $a $b)" 1.50 1.80 "$note_sparse" "$a >= 1.5 && $b >= 1.5"
  a=$(value forward $forward/fused/sparse/batch-1 latency)
  row "a single state, us" "$(show %.1f $a)" 10 5 "" "$a <= 10"
  a=$(value tree $tree_c4/lanes-64 simulations_per_second)
  b=$(value tree_alone $tree_c4/lanes-1 simulations_per_second)
  row "tree only, Connect Four, 800 visits, simulations/s: 64 searches in turns / one" \
    "$(show %.0f $a $b)" "2,500,000" "4,000,000" "$note_tree" "$a >= 2.5e6"
  a=$(value tree $tree_bg/lanes-64 simulations_per_second)
  b=$(value tree_alone $tree_bg/lanes-1 simulations_per_second)
  row "tree only, backgammon with dice, 400 visits, simulations/s: 64 / one" \
    "$(show %.0f $a $b)" "800,000" "1,500,000" "$note_tree" "$a >= 8e5"
  a=$(value playout backgammon games_per_second)
  row "random playouts, backgammon, games/s" "$(show %.0f $a)" "10,000" "25,000" "" "$a >= 1e4"
  a=$(value playout connect_four games_per_second)
  row "random playouts, Connect Four, games/s" "$(show %.0f $a)" "2,000,000" "5,000,000" "" "$a >= 2e6"
  a=$(value standard $self_bg decisions_per_second)
  b=$(value standard $self_bg games_per_minute)
  row "self-play, backgammon (positions), 100 visits, all cores, decisions/s (games/min)" \
    "$(show %.0f $a) ($(show %.0f $b))" "2,900" "4,500" "" "$a >= 2900"
  a=$(value deeper "connect_four/position/width-128-blocks-6/visits-100/$evaluator" games_per_minute)
  b=$(value cache "connect_four/position/width-128-blocks-6/visits-100-cache-256/$evaluator" games_per_minute)
  row "self-play, Connect Four, 298 K parameters, 100 visits, all cores, no cache / cache, games/min" \
    "$(show %.0f $a $b)" "8,000 / 16,000" "12,000 / 30,000" "$note_cache" "$a >= 8000 && $b >= 16000"
  a=$(value standard $self_bg share_forward)
  b=$(value standard $self_bg share_encode)
  c=$(value standard $self_bg share_tree)
  d=$(value standard $self_bg tree_over_forward)
  row "backgammon, share of a worker's time in forward / encode / tree and rules; tree over forward" \
    "$(show %.3f $a $b $c); $(show %.2f $d)" reported "encode 0.02; 0.33" "$note_share" "$b <= 0.02 && $d <= 0.33"
  a=$(value scaling $self_bg/workers-1-to-2 decisions_per_second_ratio)
  row "speedup from 1 to 2 workers" "$(show %.2f $a)" 1.90 1.97 "$note_scaling" "$a >= 1.9"
  a=$(value tree $tree_c4/lanes-64 allocations_per_simulation)
  b=$(value standard $self_bg allocations_per_simulation)
  row "heap allocations per simulation: tree / whole self-play (game records)" "$(show %.6f $a $b)" "0 / below 0.001" 0 \
    "$note_allocations" "$a == 0 && $b < 0.001"
  a=$(value calls backgammon/$play/fused all)
  row "system calls per second in steady state, all threads" "$(show %.1f $a)" "clocks, log writes" "" \
    "" "\"$a\" != \"\" && \"$a\" + 0 < 20"
  a=$(value tree $tree_c4/lanes-64 bytes_per_visited_node)
  b=$(value tree $tree_bg/lanes-64 bytes_per_visited_node)
  c=$(value tree $tree_c4/lanes-64 reserved_bytes_per_visited_node)
  d=$(value tree $tree_bg/lanes-64 reserved_bytes_per_visited_node)
  row "bytes used per visited node, Connect Four / backgammon (reserved)" \
    "$(show %.0f $a $b) ($(show %.0f $c $d))" "130 / 300" "100 / 200" "$note_memory" "$a <= 130 && $b <= 300"
  a=$(value train $forward/dense/cpu/batch-1024/threads-2 samples_per_second)
  b=$(value train $forward/sparse/cpu/batch-1024/threads-2 samples_per_second)
  row "CPU trainer, samples/s, dense / sparse, on 2 threads" "$(show %.0f $a $b)" \
    "75,000 / 120,000 on 2 cores" "83,000 / 140,000" "$note_train" "$a >= 75e3 && $b >= 12e4"
}

# The reasons for missed targets; update them by hand.
note_dense="The loss comes from copying the logits of each row to the caller and from reading the lists of features and requested logits; only this benchmark requests all logits. Next: a kernel that writes to one pointer per row."
note_sparse="The square layers take most of the time; the sparse input (bound by the second-level cache) and the inner products of the requested logits take the rest. Next: 16-bit weights."
note_tree="Sixty-four trees together, as in a worker, do not fit into the second-level cache, so each visit waits for its nodes. The figure for one search shows the size of this effect."
note_cache="With untrained weights games differ more than with trained ones, which share openings."
note_share="The faster the forward pass, the larger the share of the tree and of encoding."
note_scaling="Two hardware threads may share a core's units; the peak table shows the limit for two threads."
note_allocations="Game records grow to the length of the longest game so far."
note_memory="In Connect Four a node takes 32 bytes, its state 16 and its place in the table 12; the rest are edges."
note_train="The trainer is not optimised for dense rows: it processes the lists of requested logits one by one."

write_page() {
  local repeats seconds
  repeats=$(sed -n 's/.*"metric":"games_per_minute".*"repeats":\([0-9]*\).*/\1/p' "$work/standard.json" | head -n 1)
  seconds=$(sed -n 's/.*--seconds \([0-9.]*\).*/\1/p' "$work/standard.command")
  cat <<TEXT
# Benchmarks

Generated by \`tools/bench/benchmarks.sh\`: do not edit, run it again. Figures are medians of
$repeats runs. [benchmarks.jsonl](benchmarks.jsonl) also contains the minimum and maximum of each
figure and the figures of single workers.

Machine: $(cat "$work/standard.machine").

Backgammon's positions had $(show %.0f "$(value forward backgammon/position/reference/fused/dense/batch-1 nonzeros)") features when the forward pass was measured.

## Targets

$(bars)

Where possible, targets are fractions of the processor's multiply-add peak or numbers of calls. The
absolute ones were set for a core of about 103 GFLOP/s.

## The multiply-add peak

Single-precision GFLOP/s of independent chains of fused multiply-adds in registers (two operations
each).

$(table peak multiply_add)

$(command_of peak)

## The forward pass

One thread. *sparse*: positions that self-play searched, with the logits of their legal moves.
*dense*: no feature is zero and all logits are requested. *dense gflops* counts the work of a dense
pass, including the parts that are skipped (zero features, logits that were not requested), so a
*peak fraction* above 1 is possible. The peak is measured before and after each pass through 256
states.

$(table forward states_per_second latency dense_gflops peak_gflops peak_fraction nonzeros \
    requested_logits allocations_per_forward)

$(command_of forward)

## The tree alone

One thread searches positions that self-play searched, with an evaluator that derives its results
from a hash of the features. Trees begin empty; moves are generated and features encoded as usual.
*lanes* is the number of searches that take turns, one evaluation each, as in a worker; with one
lane all data is in the nearest caches. *of tree* excludes the evaluator's time. Bytes are those
used by nodes, states, edges and table; *reserved* is the memory that a lane reserves.

$(table tree simulations_per_second simulations_per_second_of_tree share_evaluator legal_moves \
    plies_per_visit evaluations_per_visit nodes_per_visit)

$(table tree bytes_per_visit bytes_per_visited_node reserved_bytes_per_visited_node \
    allocations_per_simulation)

$(command_of tree)

$(table tree_alone simulations_per_second simulations_per_second_of_tree share_evaluator \
    bytes_per_visited_node)

$(command_of tree_alone)

## Random playouts

One thread plays games from the start position and chooses each legal action with equal probability.
In backgammon an action is a whole turn; turns with the same resulting position count once.

$(table playout games_per_second plies_per_second plies_per_game decisions_per_game legal_moves \
    allocations_per_game)

$(command_of playout)

## Self-play

Every hardware thread plays 64 games at once with untrained weights, without a trainer and without
writing files; $seconds s per run. Every decision with more than one legal move is searched with 100
new visits and noise at the root; forced moves are neither searched nor counted. So that games are
at different stages when the measurement begins, searches of few visits run until two games per lane
have ended, followed by two seconds of full searches.

- *position*: one evaluation per visit; policy logits are the priors. *afterstates*: a visit
  evaluates all afterstates of its position.
- *reference*: the reference shape (width 128, 3 blocks, two policy layers, one value layer), with
  $(parameters standard backgammon/position/reference/visits-100/fused) parameters in backgammon. Connect Four has fewer inputs and logits, hence
  $(parameters standard connect_four/position/reference/visits-100/fused); with 6 blocks (second table) it has $(parameters deeper connect_four/position/width-128-blocks-6/visits-100/fused).
- *forward* is measured. *encode* is the number of rows times the cost of encoding one row, measured
  at the end of the run on the positions of its last trees. *tree* is the rest of the time inside
  the games: descents, move generation, backup, and the rules and records of the games. *other* is
  the remaining time: the loop over the games, clocks, waiting.
- *allocations* is the number of heap allocations of the worker threads (malloc and all functions
  based on it) per visit; *own* excludes those of the evaluator's library during a forward pass. The
  remaining ones are game records that grow to the length of the longest game so far.

$(table standard games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second evaluations_per_visit decisions_per_game plies_per_game)

$(table standard mean_batch_fill share_forward share_encode share_tree share_other tree_over_forward)

$(table standard nonzeros legal_moves plies_per_visit bytes_per_visited_node \
    allocations_per_simulation own_allocations_per_simulation resident)

$(command_of standard)

Connect Four with about as many parameters as the reference network of backgammon:

$(table deeper games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second parameters)

$(command_of deeper)

The same with an evaluation cache of 256 MiB per worker:

$(table cache games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second cache_hit_rate resident)

$(command_of cache)

With the tree reused between moves; reused visits count towards the 100, but only once in the
figures:

$(table reuse games_per_minute decisions_per_second simulations_per_second \
    evaluations_per_second evaluations_per_visit)

$(command_of reuse)

Backgammon as \`senet selfplay\` plays it, with afterstates and one visit a decision:

$(table shipped games_per_minute decisions_per_second evaluations_per_second resident)

$(command_of shipped)

One worker and two workers, measured in turns:

$(table scaling decisions_per_second evaluations_per_second decisions_per_second_ratio)

$(command_of scaling)

TEXT
  if [[ -s $work/calls.command ]]; then
    cat <<TEXT
System calls per second of all threads, counted over ten seconds of steady state. Clocks that are
read without a system call are not included:

$(awk -F'"' 'NF && $4 != "machine" { number = $15; gsub(/[:,]/, "", number); printf "%s%s %s", sep, $12, number; sep = ", " } END { print "" }' "$work/calls.json")

$(command_of calls)

TEXT
  fi
  cat <<TEXT
## The trainer on the CPU

A step is the forward pass, backward pass and weight update of one batch. *sparse*: positions that
self-play searched, with targets for their legal moves. *dense*: no feature is zero and all logits
have targets. *dense gflops* counts three dense forward passes per sample, including the parts that
are skipped.

$(table train samples_per_second step_time dense_gflops peak_fraction nonzeros \
    policy_targets allocations_per_step)

$(command_of train)

## The trainer on a GPU

The figures of an H100 are in [benchmarks_gpu.md](benchmarks_gpu.md). One command runs all checks
that need an NVIDIA GPU in less than six minutes: the device tests (gradients and losses against the
CPU's, reproducible steps, too little memory, a lost device), training steps in every precision and
batch size, self-play alone and next to the trainer in turns, by 1 to 14 workers too (\`senet bench
overlap\`: the slowdown by the trainer, and the time a worker needs to take new weights), a run that
trains on the device, the memory, synchronisation and race checkers, and a comparison with PyTorch.
Its last output is the text for benchmarks_gpu.md. It needs a build with \`-DSENET_CUDA=ON\` (machine
code for sm_75, sm_80, sm_86, sm_89 and sm_90, and PTX), made on that machine or copied there as a
folder. It warns about checks whose programs are not installed.

\`\`\`sh
tools/check_gpu.sh build/release
# with nvcc: packs build/release; copy build/gpu to the GPU machine and run gpu/tools/check_gpu.sh
tools/check_gpu.sh --pack build/gpu
\`\`\`
TEXT
}
