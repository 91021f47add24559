#!/usr/bin/env bash
# Fuzzes the parsers of untrusted text and bytes: tools/fuzz.sh [--minutes N] [--seed N] [TARGET...]
#
# Builds the preset `fuzz` (AddressSanitizer, UndefinedBehaviorSanitizer, coverage) and runs its
# targets one after the other on one core. The minutes (default 10) are divided among the targets;
# the protocol gets four times the share of each other target. Inputs that crash a target and inputs
# that reach new code are written to build/fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=10
seed=$RANDOM
targets=()
while (($# > 0)); do
  case "$1" in
    --minutes) minutes=${2-} && shift 2 ;;
    --seed) seed=${2-} && shift 2 ;;
    -*)
      echo "usage: tools/fuzz.sh [--minutes N] [--seed N] [TARGET...]" >&2
      exit 2
      ;;
    *) targets+=("$1") && shift ;;
  esac
done
((${#targets[@]} > 0)) || targets=(protocol analysis_request backgammon_moves xgid position_id match_file grid record segment_index parked checkpoint run_config metrics_map strength_ledger table weights http_request)

tools/install_packages.sh
cmake --preset fuzz
cmake --build --preset fuzz --parallel "$(nproc)" --target fuzz_targets
root=$PWD
mkdir -p build/fuzz/found
cd build/fuzz/found

weight_of() { if [[ $1 == protocol ]]; then echo 4; else echo 1; fi; }
weights=0
for target in "${targets[@]}"; do weights=$((weights + $(weight_of "$target"))); done

failed=0
for target in "${targets[@]}"; do
  seconds=$((minutes * 60 * $(weight_of "$target") / weights))
  mkdir -p "$target"
  nice -n 19 "$root/build/fuzz/tests/fuzz/fuzz_$target" "-max_total_time=$seconds" "-seed=$seed" "-keep=$target" \
    "$root/tests/fuzz/corpus/$target" "$target" || failed=1
done
exit "$failed"
