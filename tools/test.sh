#!/usr/bin/env bash
# Builds Senet and runs its tests: tools/test.sh [--preset release|debug|asan|tsan|clang|arm64]
# SENET_CUDA=ON in the environment also builds the CUDA trainer; SENET_CUDA=HOST builds the part of
# it that the tests run without a device.
# The tsan preset builds and runs only the tests that use threads; clang and arm64 build libsenet and
# its tests, arm64 for 64-bit Arm under qemu-user (docs/testing.md).
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "usage: tools/test.sh [--preset release|debug|asan|tsan|clang|arm64]"
}

preset=release
while (($# > 0)); do
  case "$1" in
    --preset)
      preset=${2-}
      shift 2 || { usage >&2 && exit 2; }
      ;;
    --preset=*)
      preset=${1#*=}
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done
packages=--for-tests
case "$preset" in
  release | debug | asan | clang) target=all ;;
  arm64) target=all packages=--for-arm64 ;;
  tsan) target=tests_with_threads ;;
  *)
    usage >&2
    exit 2
    ;;
esac

tools/install_packages.sh "$packages"
cores=$(nproc)
cmake --preset "$preset" ${SENET_CUDA:+"-DSENET_CUDA=$SENET_CUDA"}
cmake --build --preset "$preset" --parallel "$cores" --target "$target"
status=0
# Some tests mostly wait: one more than there are cores.
ctest --preset "$preset" --parallel "$((cores + 1))" || status=$?
[[ $preset != clang && $preset != arm64 ]] || exit "$status"
if [[ -z $(PATH=$PATH:/usr/games command -v gnubg) ]]; then
  echo "test.sh: WARNING: gnubg is not installed: the tests against GNU Backgammon were SKIPPED" >&2
elif [[ ! -e /var/lib/gnubg/gnubg_ts0.bd && ! -e /usr/share/gnubg/gnubg_ts0.bd ]]; then
  echo "test.sh: WARNING: gnubg has no two-sided bear-off database (dpkg-reconfigure gnubg creates it):" \
    "exact bear-offs were NOT COMPARED with it" >&2
fi
grep -q '^SENET_CUDA:STRING=OFF' "build/$preset/CMakeCache.txt" && [[ $preset != tsan ]] &&
  echo "test.sh: WARNING: built without CUDA (set SENET_CUDA=ON to build it): the tests of the CUDA trainer were SKIPPED" >&2
for program in python3 chromium chromedriver wrk; do
  command -v "$program" >/dev/null ||
    echo "test.sh: WARNING: $program is not installed: tests of the example server that need it were SKIPPED" >&2
done
PATH=/usr/bin:$PATH python3 -c 'import matplotlib' 2>/dev/null ||
  echo "test.sh: WARNING: matplotlib is not installed: the test of the learning curve plot was SKIPPED" >&2
command -v clang++ >/dev/null ||
  echo "test.sh: WARNING: clang++ is not installed: the test of hosts compiled with another compiler was SKIPPED" >&2
exit "$status"
