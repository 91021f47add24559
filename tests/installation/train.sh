#!/usr/bin/env bash
# Installs the training tree in a temporary prefix, builds tools/examples/train_own_game against it
# as a separate project, and trains both games until they beat random moves: train.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component train --prefix "$work/prefix" >/dev/null
cp -r "$source/tools/examples/train_own_game" "$work/source" # without the rest of the repository
# The first C++ block in docs/own_game.md must compile, with Ur as the game.
sed -n '/^```cpp$/,/^```$/p' "$source/docs/own_game.md" | sed '1d; /^```$/,$d' |
  sed 's/^struct MyGame .*/#include "ur.hpp"\nusing MyGame = Ur;/' >"$work/source/documented.cpp"
grep -q '^using MyGame' "$work/source/documented.cpp"
cat >>"$work/source/CMakeLists.txt" <<'END'
add_library(documented OBJECT documented.cpp)
target_link_libraries(documented PRIVATE senet::train)
target_compile_options(documented PRIVATE -O0 -Wno-unused-variable)
END
# Little optimisation: compiling takes longer than training.
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
  -DCMAKE_CXX_FLAGS="${CXXFLAGS-} -Wall -Wextra -Wconversion -Wno-sign-conversion -Werror" >/dev/null
cmake --build "$work/build" >/dev/null

train() { # GAME FOLDER ARGUMENTS...: returns 0 if the network beats random moves
  local status=0
  "$work/build/train_own_game" "$1" --run "$work/$2" --workers 2 "${@:3}" >"$work/out" || status=$?
  tail -n 1 "$work/out"
  score=$(sed -n 's/.* score \([0-9.]*\) .*/\1/p' "$work/out")
  return "$status"
}
# Training must raise the score above that of an untrained network.
has_learnt() { # GAME GAMES
  train "$1" "$1.new" --games 1 || true
  local untrained=$score
  train "$1" "$1" --games "$2"
  awk -v before="$untrained" -v after="$score" 'BEGIN { exit !(after > before + 0.1) }'
}
has_learnt breakthrough 2000
has_learnt ur 3000
# A resumed run continues from the existing games and stores the new settings.
train ur ur --games 500 --resume --learning-rate 0.0005
grep -q '^3500 games, ' "$work/out"
grep -q '"learning-rate": 0.0005,' "$work/ur/config.json"
# Invalid input is refused with a reason before any training.
refused() { # REASON GAME ARGUMENTS...
  if "$work/build/train_own_game" "${@:2}" >"$work/out" 2>"$work/why"; then
    echo "accepted invalid arguments: ${*:2}" >&2
    exit 1
  fi
  grep -q -- "$1" "$work/why"
}
refused 'width takes a whole number 8 .. 4096, not "1"' ur --run "$work/other" --width 1
refused 'there is no setting "speed"' ur --run "$work/other" --speed 1
refused 'already holds a run' ur --run "$work/ur" --games 1
refused 'the run trains ur, not breakthrough' breakthrough --run "$work/ur" --resume --games 1
[[ ! -e $work/other ]]
