#!/usr/bin/env bash
# Compares the forward pass with onnxruntime's: same network, one thread, alternating in one run.
#   tools/bench/peers/forward.sh [--senet build/release/tools/senet] [--rounds 3] [WEIGHTS ...]
# Installs onnxruntime from PyPI into build/peers. Without WEIGHTS: the built-in networks.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [[ ! -x build/peers/bin/python ]]; then
  python3 -m venv build/peers
  build/peers/bin/pip install --quiet onnx onnxruntime
fi
exec build/peers/bin/python tools/bench/peers/forward.py "$@"
