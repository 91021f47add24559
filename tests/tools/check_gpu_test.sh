#!/usr/bin/env bash
# tools/check_gpu.sh without a GPU, on programs that only say what the real ones would: what it refuses, what it lets
# pass and what not.
#   tests/tools/check_gpu_test.sh SOURCE
set -uo pipefail
check=$1/tools/check_gpu.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$work/build
stubs=$work/stubs
mkdir -p "$build"/{tools,train_bridge,tests/train_bridge} "$stubs"

# program FILE: makes one from stdin.
program() {
  { echo '#!/bin/bash' && cat; } >"$1" && chmod +x "$1"
}
failures=0
# expect CODE TEXT ARGUMENTS...: what check_gpu.sh must end with and say.
expect() {
  local code=$1 text=$2 status=0
  shift 2
  PATH=$stubs:$PATH "$check" "$@" >"$work/said" 2>&1 || status=$?
  if ((status != code)) || ! grep -qF -- "$text" "$work/said"; then
    echo "check_gpu.sh $*: exit code $status and not $code, or not a word of \"$text\":" >&2
    cat "$work/said" >&2
    failures=$((failures + 1))
  fi
}

expect 0 "usage: " --help
expect 2 'unknown option "--fast"' --fast
expect 2 "expected one build folder, got 2 arguments" "$build" "$build"
expect 2 "--pack needs a folder" --pack
expect 2 "$build/tools/senet is missing" "$build"

program "$build/tools/senet" <<'TEXT'
figure() {
  printf '{"bench":"%s","case":"%s","metric":"%s","value":%s,"unit":"x","min":1,"max":1,"repeats":1}\n' "$@"
}
case $1-$2 in
  bench-train) figure train "backgammon/sparse/cuda/batch-256" samples_per_second 123456 ;;
  bench-overlap) figure overlap "$4/cuda" slowdown 0.0125 ;;
  selfplay-*)
    while [[ $1 != --run ]]; do shift; done
    mkdir -p "$2"
    echo '{"games":1}' >"$2/metrics.jsonl"
    echo "trainer ${STUB_TRAINER:-cuda}" >&2
    ;;
esac
TEXT
program "$build/train_bridge/senet_cuda.so" </dev/null
for test in cuda_module_test cuda_device_test cuda_device_lost_test; do
  expect 2 "$build/tests/train_bridge/$test is missing" "$build"
  program "$build/tests/train_bridge/$test" <<<'[[ $1 == --gtest_list_tests ]] && printf "Suite.\n  One\n  Two\n" || echo "[  ${STUB_VERDICT:-OK} ] $1"'
done
program "$stubs/nvidia-smi" <<<'exit 9'
expect 2 "nvidia-smi finds no NVIDIA GPU" "$build"
mkdir "$work/there"
expect 2 "$work/there already exists" --pack "$work/there" "$build"

program "$stubs/nvidia-smi" <<<'echo "A GPU of paper, 1.0, 1 MiB"'
program "$stubs/python3" <<<'exit 1'
program "$stubs/compute-sanitizer" <<<'while [[ $1 == --* ]]; do shift $(($# > 2 && ${#1} > 2 ? 2 : 1)); done; "$@"'
expect 0 "check_gpu: all passed" "$build"
for text in "--gtest_filter=*.One" "--gtest_filter=*.Two" "Machine: A GPU of paper, 1.0, 1 MiB" \
  '| `backgammon/sparse/cuda-tf32/batch-256` | 123456 |' '| `connect_four/cuda` | 0.0125 |' \
  '| `connect_four/cuda/workers-14` | 0.0125 |' "PyTorch is not installed"; do
  grep -qF -- "$text" "$work/said" || { echo "not a word of $text" >&2 && failures=$((failures + 1)); }
done
STUB_VERDICT=SKIPPED expect 1 "check_gpu: FAILED: tests on the device" "$build"
STUB_TRAINER=cpu expect 1 "check_gpu: FAILED: self-play that trains on the device" "$build"
# Packed, with what it is linked with but for the C library; and where one of NVIDIA's is missing.
echo paper >"$work/libpaper.so.1"
program "$stubs/ldd" <<<"echo 'libpaper.so.1 => $work/libpaper.so.1 (0x1)'; echo 'libc.so.6 => /lib/libc.so.6 (0x2)'"
expect 0 "run packed/tools/check_gpu.sh" --pack "$work/packed" "$build"
[[ $(tar -tzf "$work/packed/libraries.tar.gz" | grep -c so) == 1 ]] || { echo "packed the wrong libraries" >&2 && failures=1; }
check=$work/packed/tools/check_gpu.sh expect 0 "check_gpu: all passed"
program "$stubs/ldd" <<<'echo "libpaper.so.2 => not found"'
expect 2 "the CUDA trainer needs libpaper.so.2" "$build"

program "$build/tests/train_bridge/cuda_device_test" <<<'exit 1'
program "$stubs/ldd" </dev/null
expect 1 "check_gpu: FAILED: memory checker" "$build"
exit $((failures > 0))
