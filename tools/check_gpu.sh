#!/usr/bin/env bash
# Everything that only a machine with an NVIDIA GPU can show, in one go of a few minutes: training steps of every
# precision and batch, PyTorch beside them, the memory checker, and a run of self-play that learns on the device.
# Needs a build with nvcc (tools/test.sh, or one made elsewhere with its shared libraries); PyTorch is compared with where it is.
set -uo pipefail

usage() {
  echo "usage: tools/check_gpu.sh [BUILD]    BUILD: a build folder, build/release if none is named"
}
refuse() {
  echo "check_gpu: $1; tools/check_gpu.sh --help" >&2
  exit 2
}

case "${1-}" in
  -h | --help)
    usage
    exit 0
    ;;
  -*) refuse "no option is called \"$1\"" ;;
esac
(($# <= 1)) || refuse "one build folder, not $#"
build=$(realpath -m "${1-$(dirname "$0")/../build/release}")
cd "$(dirname "$0")/.." || exit 2
senet=$build/tools/senet
[[ -x $senet ]] || refuse "there is no program $senet"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null ||
  refuse "nvidia-smi finds no NVIDIA GPU"
lscpu | sed -n 's/^Model name: */processor: /p'
nvcc --version 2>/dev/null | grep release

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()

# Runs a command under a heading and remembers that it failed.
check() {
  local name=$1
  shift
  echo "== $name: $*"
  "$@" || failed+=("$name")
}

learns_on_the_device() {
  "$senet" selfplay --game connect_four --trainer cuda --games 20000 --run "$scratch/run" --quiet 2>&1 |
    tee "$scratch/said" || return 1
  # The CPU goes on with a run that loses its device, so that a good end proves nothing.
  if ! grep -q 'trainer cuda' "$scratch/said" || grep -q 'the CPU trains' "$scratch/said"; then
    echo "check_gpu: the GPU did not train, or not to the end" >&2
    return 1
  fi
  tail -n 1 "$scratch/run/metrics.jsonl"
}

for precision in bf16 fp16 tf32 fp32; do
  check "steps in $precision" "$senet" bench train --game backgammon --backend cuda --precision "$precision" \
    --batch 256,1024,4096,16384 --workers 1 --seconds 0.5
done
check "self-play that learns on the device" learns_on_the_device
if command -v compute-sanitizer >/dev/null; then
  for precision in bf16 fp32; do
    check "memory checker, $precision" compute-sanitizer --error-exitcode 1 "$senet" bench train --game connect_four \
      --backend cuda --precision "$precision" --batch 64 --workers 1 --games 1 --seconds 0.001
  done
else
  echo "check_gpu: WARNING: no compute-sanitizer: device memory was NOT CHECKED" >&2
fi
if python3 -c 'import torch' 2>/dev/null; then
  check "PyTorch" tools/compare_pytorch.py --senet "$senet" --seconds 1
else
  echo "check_gpu: WARNING: no PyTorch: the rates were NOT COMPARED" >&2
fi

if ((${#failed[@]} > 0)); then
  printf 'check_gpu: FAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
echo "check_gpu: all passed"
