#!/usr/bin/env bash
# Installs the training tree somewhere, builds tools/examples/train_own_game against it as a project of its own, and
# trains both games until they beat random moves: train.sh BUILD SOURCE
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component train --prefix "$work/prefix" >/dev/null
cp -r "$source/tools/examples/train_own_game" "$work/source" # nothing of the repository beside it
# What docs/own_game.md begins with compiles too, with one of the games in its place.
sed -n '/^```cpp$/,/^```$/p' "$source/docs/own_game.md" | sed '1d; /^```$/,$d' |
  sed 's/^struct MyGame .*/#include "ur.hpp"\nusing MyGame = Ur;/' >"$work/source/documented.cpp"
grep -q '^using MyGame' "$work/source/documented.cpp"
cat >>"$work/source/CMakeLists.txt" <<'END'
add_library(documented OBJECT documented.cpp)
target_link_libraries(documented PRIVATE senet::train)
target_compile_options(documented PRIVATE -O0 -Wno-unused-variable)
END
cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wconversion -Wno-sign-conversion -Werror" >/dev/null
cmake --build "$work/build" >/dev/null

train() { # GAME FOLDER ARGUMENTS...: exits with 0 when the network is better than random moves
  local status=0
  "$work/build/train_own_game" "$1" --run "$work/$2" --workers 2 "${@:3}" >"$work/out" || status=$?
  tail -n 1 "$work/out"
  score=$(sed -n 's/.* score \([0-9.]*\) .*/\1/p' "$work/out")
  return "$status"
}
# What is learnt wins, not what a network begins with.
has_learnt() { # GAME GAMES
  train "$1" "$1.new" --games 1 || true
  local untrained=$score
  train "$1" "$1" --games "$2"
  awk -v before="$untrained" -v after="$score" 'BEGIN { exit !(after > before + 0.1) }'
}
has_learnt breakthrough 2000
has_learnt ur 3000
# A resumed run goes on from the games that were there, and remembers the settings that it was given.
train ur ur --games 3000 --resume --learning-rate 0.0005
grep -q '^6000 games, ' "$work/out"
grep -q '"learning-rate": 0.0005,' "$work/ur/config.json"
# What makes no sense is said, and nothing is trained.
refused() { # REASON GAME ARGUMENTS...
  if "$work/build/train_own_game" "${@:2}" >"$work/out" 2>"$work/why"; then
    echo "not refused: ${*:2}" >&2
    exit 1
  fi
  grep -q -- "$1" "$work/why"
}
refused 'width takes a whole number 8 .. 4096, not "1"' ur --run "$work/other" --width 1
refused 'there is no setting "speed"' ur --run "$work/other" --speed 1
refused 'already holds a run' ur --run "$work/ur" --games 1
refused 'the run learns ur, not breakthrough' breakthrough --run "$work/ur" --resume --games 1
[[ ! -e $work/other ]]
