#!/usr/bin/env bash
# Compares the search tree of Connect Four with those of alphazero-pybind11 and OpenSpiel: same
# positions, random answers in place of a network, no encoding, one thread, alternating in one run.
#   tools/bench/peers/tree.sh [--rounds 3] [--simulations 800] [--seconds 2]
# Clones both programs into build/peers, unless they are there, and needs the packages libabsl-dev
# and libeigen3-dev. Senet must be built in build/release. All are compiled with -O3 for any x86-64.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
for header in absl/hash/hash.h eigen3/Eigen/Dense; do
  [[ -e /usr/include/$header ]] || {
    echo "tree.sh: $header is missing: install libabsl-dev and libeigen3-dev" >&2
    exit 1
  }
done
mkdir -p build/peers
cd build/peers

clone() {  # FOLDER ADDRESS REVISION
  [[ -e $1 ]] && return
  rm -rf "$1.new"
  git init --quiet "$1.new"
  git -C "$1.new" fetch --quiet --depth 1 "$2" "$3"
  git -C "$1.new" checkout --quiet FETCH_HEAD
  mv "$1.new" "$1"
}
clone alphazero https://github.com/bhansconnect/alphazero-pybind11 0983a87806f35f5d1c2e60abe2c807be9301a1a7
clone open_spiel https://github.com/google-deepmind/open_spiel v1.5
# OpenSpiel includes Abseil as if it were in its folder.
[[ -e open_spiel/open_spiel/abseil-cpp ]] || ln -s /usr/include open_spiel/open_spiel/abseil-cpp
mapfile -t abseil < <(basename -a /usr/lib/*/libabsl_*.so | sed 's/^lib/-l/; s/\.so$//')

compile() {  # PROGRAM ARGUMENTS...
  g++ -std=c++20 -O3 -DNDEBUG -fno-math-errno -w -I"$root" "$root/tools/bench/peers/connect_four/$1.cpp" "${@:2}" -o "$1"
}
release=$root/build/release
compile tree_senet -I"$root/games/include" -I"$release/made" "$release/games/libsenet_games.a" "$release/nn/libsenet_nn_core.a"
compile tree_alphazero -Ialphazero/src -isystem /usr/include/eigen3 \
  alphazero/src/{mcts,game_state,connect4_gs}.cc -Wl,--as-needed "${abseil[@]}"
compile tree_open_spiel -Iopen_spiel \
  open_spiel/open_spiel/{spiel,spiel_utils,spiel_bots,observer,game_parameters,policy,action_view}.cc \
  open_spiel/open_spiel/{utils/usage_logging,algorithms/mcts,games/connect_four/connect_four}.cc \
  -Wl,--as-needed "${abseil[@]}"
exec python3 "$root/tools/bench/peers/tree.py" "$@"
