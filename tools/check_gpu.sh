#!/usr/bin/env bash
# Runs, in less than six minutes, all checks that need an NVIDIA GPU: the device tests, training
# steps in every precision and batch size, the slowdown of self-play next to a trainer, by 1 to 14
# workers too, a run that trains on the device, the memory, synchronisation and race checkers, and a
# comparison with PyTorch.
# Ends with the text of docs/benchmarks_gpu.md.
#
# Needs a build with -DSENET_CUDA=ON, either from SENET_CUDA=ON tools/test.sh or from
#   cmake --build BUILD --target senet cuda_module_test cuda_device_test cuda_device_lost_test
# If the build machine has no GPU, tools/check_gpu.sh --pack FOLDER [BUILD] collects the files below
# in FOLDER. Copy FOLDER to the GPU machine and run FOLDER/tools/check_gpu.sh there.
#   tools/senet, train_bridge/senet_cuda.so
#   tests/train_bridge/{cuda_module_test,cuda_device_test,cuda_device_lost_test}
#   their shared libraries except the C library and NVIDIA's libraries (libraries.tar.gz)
#   tools/check_gpu.sh, tools/bench/{compare_pytorch.py,tables.sh}
# The GPU machine needs NVIDIA's driver, cuBLASLt of nvcc's CUDA version (from CUDA or from a
# PyTorch package), and a C library at least as new as the build machine's. Optional:
# compute-sanitizer, PyTorch.
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
tests=(cuda_module_test cuda_device_test cuda_device_lost_test)
most_seconds=340

usage() {
  echo "usage: tools/check_gpu.sh [BUILD]                  default: build/release"
  echo "       tools/check_gpu.sh --pack FOLDER [BUILD]    collects the files for a GPU machine"
}
refuse() {
  echo "check_gpu: $1; tools/check_gpu.sh --help" >&2
  exit 2
}

pack=
case "${1-}" in
  -h | --help)
    usage
    exit 0
    ;;
  --pack)
    (($# >= 2)) || refuse "--pack needs a folder"
    pack=$(realpath -m "$2")
    shift 2
    ;;
  -*) refuse "unknown option \"$1\"" ;;
esac
(($# <= 1)) || refuse "expected one build folder, got $# arguments"
build=$here/build/release
[[ ! -f $here/libraries.tar.gz ]] || build=$here
build=$(realpath -m "${1-$build}")
cd "$here" || exit 2
senet=$build/tools/senet
module=$build/train_bridge/senet_cuda.so
for file in "$senet" "$module" "${tests[@]/#/$build/tests/train_bridge/}"; do
  [[ -x $file ]] || refuse "$file is missing: build senet and ${tests[*]} with nvcc"
done

# The shared libraries to pack: all except the C library's and NVIDIA's, which the GPU machine has.
libraries_of() {
  ldd "$@" | awk '$3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libcuda|libcudart|libcublas(Lt)?|libnvidia-[^/]*)\.so[^/]*$'
}

if [[ -n $pack ]]; then
  [[ ! -e $pack ]] || refuse "$pack already exists"
  scratch=$(mktemp -d) || exit 1
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$pack/tools/bench" "$pack/train_bridge" "$pack/tests/train_bridge" || exit 1
  cp "$senet" tools/check_gpu.sh "$pack/tools/" &&
    cp tools/bench/{compare_pytorch.py,tables.sh} "$pack/tools/bench/" &&
    cp "$module" "$pack/train_bridge/" &&
    cp "${tests[@]/#/$build/tests/train_bridge/}" "$pack/tests/train_bridge/" &&
    libraries_of "$senet" "$module" "${tests[@]/#/$build/tests/train_bridge/}" | xargs cp -L -t "$scratch" &&
    tar -C "$scratch" -czf "$pack/libraries.tar.gz" . || exit 1
  kib=$(du -sk "$pack" | cut -f 1)
  echo "$pack: $(((kib + 1023) / 1024)) MiB; on the GPU machine run $(basename "$pack")/tools/check_gpu.sh"
  exit 0
fi

gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null) ||
  refuse "nvidia-smi finds no NVIDIA GPU"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source tools/bench/tables.sh

# The library path for our programs only: Python must not load the packed libraries.
paths=
if [[ -f $build/libraries.tar.gz ]]; then
  mkdir "$work/libraries" && tar -C "$work/libraries" -xzf "$build/libraries.tar.gz" || exit 1
  paths=$work/libraries
fi
paths+=${paths:+:}$build/train_bridge${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
torch_libraries=$(python3 -c 'import nvidia; print(*nvidia.__path__)' 2>/dev/null)
for name in $(LD_LIBRARY_PATH=$paths ldd "$senet" "$module" | awk '/not found/ { print $1 }' | sort -u); do
  found=
  for folder in "${CUDA_HOME:-/usr/local/cuda}"/lib64 /usr/local/cuda*/lib64 /usr/local/cuda*/targets/*/lib \
    ${torch_libraries:+"$torch_libraries"/*/lib}; do
    [[ -z $found && -e $folder/$name ]] && found=$folder
  done
  [[ -n $found ]] || refuse "the CUDA trainer needs $name, which was not found on this machine"
  paths+=:$found
done
printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$paths" "$senet" >"$work/senet"
chmod +x "$work/senet"

failed=()
times=()

# part NAME SECONDS COMMAND...: runs COMMAND under a heading, limits its ours() calls to SECONDS in
# total, and records its duration and whether it failed.
part() {
  local name=$1 seconds=$2 began=$SECONDS status=0
  shift 2
  if ((seconds > most_seconds - SECONDS)); then seconds=$((most_seconds - SECONDS)); fi
  deadline=$((SECONDS + seconds))
  echo "== $name"
  if ((seconds > 0)); then "$@" || status=$?; else status=124; fi
  ((status != 124)) || echo "check_gpu: $name: not finished within $seconds s" >&2
  ((status == 0)) || failed+=("$name")
  times+=("$name $((SECONDS - began)) s")
  echo "== $name: $((SECONDS - began)) s"
}

# Runs one of our programs, or a program that starts one, until the part's time limit.
ours() {
  local left=$((deadline - SECONDS))
  ((left > 0)) || return 124
  timeout --kill-after=5 "$left" env LD_LIBRARY_PATH="$paths" "$@"
}

# Runs a test program. A skipped case counts as a failure.
passes() {
  ours "$@" 2>&1 | tee "$work/tested"
  local status=${PIPESTATUS[0]}
  ((status == 0)) || return "$status"
  ! grep -q '^\[  SKIPPED \]' "$work/tested"
}

device_tests() {
  local folder=$build/tests/train_bridge status=0 name
  passes "$folder/cuda_module_test" --gtest_filter='-CudaTrainer.FailsWithAReason' || status=$?
  passes "$folder/cuda_device_test" || status=$?
  # A lost device stays lost for the process.
  for name in $(ours "$folder/cuda_device_lost_test" --gtest_list_tests | awk '/^ / { print $1 }'); do
    passes "$folder/cuda_device_lost_test" --gtest_filter="*.$name" || status=$?
  done
  return "$status"
}
# bench NAME ARGUMENTS...: stores the output and the command, as tools/bench/benchmarks.sh does.
bench() {
  local name=$1
  shift
  echo "senet bench $* --json" | tee -a "$work/$name.command"
  ours "$senet" bench "$@" --json >"$work/lines" || return
  cat "$work/lines" >>"$work/$name.json"
}

steps() {
  local precision
  for precision in bf16 fp16 tf32 fp32; do
    bench "train_$precision" train --game backgammon --trainer cuda --precision "$precision" \
      --batch 256,1024,4096,16384 --workers 1 --games 8 --seconds 0.3 || return
    sed "s|/cuda/|/cuda-$precision/|" "$work/train_$precision.json" >>"$work/train.json"
  done
  # This case is comparable to PyTorch, whose batches are on the device.
  bench train_replay train --game backgammon --trainer cuda --precision bf16 --replay-on-device \
    --batch 256,1024,4096,16384 --workers 1 --games 8 --seconds 0.3 || return
  cat "$work/train_replay.json" >>"$work/train.json"
  steps_table
}
steps_table() {
  table train samples_per_second step_time kernels_per_step peak_fraction policy_targets
}

beside_self_play() {
  bench overlap overlap --game connect_four --trainer cuda --seconds 2 --repeat 5 || return
  bench overlap overlap --game backgammon --trainer cuda --seconds 2 --repeat 3 || return
  overlap_table overlap
  awk -F'"' '{ value = $15; gsub(/[:,]/, "", value) }
    ($12 == "slowdown" && value + 0 >= 0.02) || ($12 == "swap_time" && value + 0 >= 1000) {
      print "check_gpu: WARNING: target missed: " $8 ": " $12 " is " value }' "$work/overlap.json" >&2
}
with_more_workers() {
  local workers
  for workers in 1 2 4 8 14; do
    bench "workers_$workers" overlap --game connect_four --trainer cuda --workers "$workers" \
      --seconds 1 --repeat 3 || return
    sed "s|/cuda\"|/cuda/workers-$workers\"|" "$work/workers_$workers.json" >>"$work/workers.json"
  done
  overlap_table workers
}
# overlap_table NAME: of the lines stored under this name.
overlap_table() {
  table "$1" slowdown evaluations_per_second_alone evaluations_per_second_with_trainer games_per_minute_alone \
    games_per_minute_with_trainer steps_per_second publications_per_second swap_time longest_swap_time publish_time
}

learns_on_the_device() {
  learns run && learns run-replay --replay-on-device
}
# learns FOLDER OPTIONS...
learns() {
  local folder=$1
  shift
  ours "$senet" selfplay --game connect_four --trainer cuda "$@" --minutes 0.15 --run "$work/$folder" --quiet 2>&1 |
    tee "$work/said"
  local status=${PIPESTATUS[0]}
  ((status == 0)) || return "$status"
  # If the device is lost, the CPU continues the run, so exit code 0 alone proves nothing.
  if ! grep -q 'trainer cuda' "$work/said" || grep -q 'the CPU trains' "$work/said"; then
    echo "check_gpu: the GPU did not train, or was lost before the end" >&2
    return 1
  fi
  tail -n 1 "$work/$folder/metrics.jsonl"
}

# sanitizer TOOL TEST FILTER
sanitizer() {
  passes "$checker" --tool "$1" --error-exitcode 1 "$build/tests/train_bridge/$2" --gtest_filter="$3"
}
# Like sanitizer, but only warns on a timeout: matrix products are slow under these tools.
sanitizer_in_time() {
  local status=0
  sanitizer "$@" || status=$?
  ((status != 124)) && return "$status"
  echo "check_gpu: WARNING: $1 did not finish in time: NOT CHECKED" >&2
}

# PyTorch's compile time varies: results printed before the time limit count.
pytorch() {
  ours env LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" python3 -u tools/bench/compare_pytorch.py --senet "$work/senet" --batch 1024,16384 --seconds 0.3 --rounds 1 |
    tee "$work/pytorch"
  local status=${PIPESTATUS[0]}
  ((status != 124)) && return "$status"
  echo "check_gpu: WARNING: PyTorch did not finish in time: NOT ALL COMPARED" >&2
}

# Prints the text for docs/benchmarks_gpu.md.
section() {
  echo "Machine: $gpu | $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) hardware threads | $(nvcc --version 2>/dev/null |
    sed -n 's/^Cuda compilation tools, release \([^,]*\).*/nvcc \1/p')"
  if [[ -s $work/train.json ]]; then
    echo
    steps_table
    echo
    echo '```sh'
    cat "$work"/train_*.command
    echo '```'
  fi
  if [[ -s $work/overlap.json ]]; then
    echo
    echo "Self-play alone and next to the trainer, in turns (targets: slowdown < 0.02, take time < 1000 us):"
    echo
    overlap_table overlap
    echo
    command_of overlap
  fi
  if [[ -s $work/workers.json ]]; then
    echo
    echo "The same with 1 to 14 workers:"
    echo
    overlap_table workers
    echo
    echo '```sh'
    cat "$work"/workers_*.command
    echo '```'
  fi
  if [[ -s $work/pytorch ]]; then
    echo
    echo '```'
    cat "$work/pytorch"
    echo '```'
  fi
}

echo "$gpu"
lscpu | sed -n 's/^Model name: */processor: /p'
nvcc --version 2>/dev/null | grep release
part "tests on the device" 50 device_tests
part "steps" 50 steps
part "self-play next to a trainer" 50 beside_self_play
part "1 to 14 workers" 60 with_more_workers
part "self-play that trains on the device" 35 learns_on_the_device
if python3 -c 'import torch' 2>/dev/null; then
  part "PyTorch" 90 pytorch
else
  echo "check_gpu: WARNING: PyTorch is not installed: the rates were NOT COMPARED" >&2
fi
checker=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
if [[ -n $checker ]]; then
  part "memory checker, kept samples" 30 sanitizer_in_time memcheck cuda_module_test 'CudaTrainer.KeptSamples*'
  small='*GradientsOfSmallNetworks*'
  part "memory checker" 50 sanitizer_in_time memcheck cuda_device_test "$small/fp32:$small/bf16:$small/fp16"
  part "synchronisation checker" 30 sanitizer_in_time synccheck cuda_device_test "$small/fp32"
  # The slowest, nearly three minutes on one device: it gets the time that is left.
  part "race checker" 200 sanitizer_in_time racecheck cuda_device_test "$small/fp32"
else
  echo "check_gpu: WARNING: compute-sanitizer is not installed: device memory was NOT CHECKED" >&2
fi

echo "== for docs/benchmarks_gpu.md"
section
echo "=="
printf -v line '%s, ' "${times[@]}"
echo "check_gpu: $SECONDS s in total: ${line%, }"
if ((${#failed[@]} > 0)); then
  printf 'check_gpu: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "check_gpu: all passed"
