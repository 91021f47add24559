#!/usr/bin/env bash
# Installs libsenet somewhere, builds the examples against it in each way a host can, and plays:
# test.sh WAY SENET BUILD SOURCE, WAY being find_package, pkg_config, clang, add_subdirectory or shared.
set -euo pipefail
way=$1 senet=$2 build=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
c=gcc cxx=g++

# The program with which docs/embedding.md begins: the first block of C++ in it.
ten_lines=$work/ten_lines.cpp
sed -n '/^```cpp$/,/^```$/p' "$source/docs/embedding.md" | sed '1d; /^```$/,$d' >"$ten_lines"
grep -q 'int main' "$ten_lines"

weights() { # GAME
  "$senet" selfplay --run "$work/$1" --game "$1" --width 16 --blocks 1 --games 1 --visits 1 --fast-visits 1 \
    --lanes 1 --workers 1 --no-train --quiet >/dev/null
}
install() { cmake --install "$1" --component "$2" --prefix "$prefix" >/dev/null; }
host() { # CMAKE'S ARGUMENTS: the examples in CMake's hands
  cmake -S "$source/tests/installation" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DTEN_LINES="$ten_lines" \
    "$@" >/dev/null
  cmake --build "$work" --target ten_lines minimal_c minimal_cpp own_game memory >/dev/null
}
by_pkg_config() { # FLAGS FOR A HOST IN C, AND A NAME: the examples in nobody's hands
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name senet.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # words of a command line
  $c -std=c99 -pedantic -Wall -Werror "$source/tools/examples/minimal.c" -o "$work/minimal_c" $(pkg-config --cflags --libs "$@")
  compile() { # PROGRAM SOURCE
    # shellcheck disable=SC2046
    $cxx -std=c++20 -Wall -Wextra -Werror "$2" -o "$work/$1" $(pkg-config --cflags --libs "$package")
  }
  local package=${*: -1}
  compile minimal_cpp "$source/tools/examples/minimal.cpp"
  compile own_game "$source/tools/examples/train_own_game/own_game.cpp"
  compile ten_lines "$ten_lines"
}
plays() { # AT LEAST, PROGRAM AND ARGUMENTS: that many moves
  "${@:2}" >"$work/moves"
  tail -n 1 "$work/moves"
  [[ $(wc -l <"$work/moves") -ge $1 ]]
}
only_senet() { # nm's output: nothing else can be seen
  local strangers
  strangers=$(awk 'NF == 3 && $3 !~ /^senet_/')
  [[ -z $strangers ]] || { echo "$way: can be seen: $strangers" >&2; exit 1; }
}

case $way in
  pkg_config)
    install "$build" libsenet
    by_pkg_config --static senet
    ;;
  find_package)
    install "$build" libsenet
    host
    plays 9 "$work/memory"
    ;;
  clang)
    # Another compiler than the library's.
    c=clang cxx=clang++
    install "$build" libsenet
    by_pkg_config --static senet
    ;;
  add_subdirectory)
    # In a folder as Debian has it, and once more by pkg-config from there. Some hosts compile all together.
    host -DSENET_SOURCE="$source" -DCMAKE_UNITY_BUILD=ON -DSENET_INSTALL=ON -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu
    install "$work" libsenet
    by_pkg_config --static senet
    ;;
  shared)
    install "$build" libsenet
    install "$build" libsenet_shared
    # The number that senet.h tells.
    name=libsenet.so.$(echo SENET_ABI | gcc -E -P -include senet/senet.h -I"$prefix/include" - | tail -n 1 | tr -d u)
    library=$(find "$prefix" -name "$name")
    nm --dynamic --defined-only --extern-only "$library" | only_senet
    [[ $(nm --dynamic --defined-only "$library" | wc -l) -eq $(nm --defined-only --extern-only "$prefix"/lib*/libsenet.a | grep -c ' senet_') ]]
    readelf -d "$library" | grep -q "SONAME.*\[$name\]"
    host -DLIBRARY=senet::shared
    needs() { readelf -d "$work/$1" | grep -q "NEEDED.*\[$name\]"; }
    for program in minimal_c minimal_cpp; do needs $program; done
    # Beside it the static one, when that is meant.
    by_pkg_config senet-static
    for program in minimal_c minimal_cpp; do
      if needs $program; then echo "$program: not linked with the static library" >&2; exit 1; fi
      "$work/$program" >"$work/moves"
    done
    # A host in C needs nothing of C++ when the library is shared.
    by_pkg_config senet
    for program in minimal_c minimal_cpp; do needs $program; done
    LD_LIBRARY_PATH=$(dirname "$library")
    export LD_LIBRARY_PATH
    ;;
esac
if [[ -d $prefix ]]; then
  nm --defined-only --extern-only "$(find "$prefix" -name libsenet.a)" | only_senet
fi

for game in connect_four backgammon; do weights $game; done
plays 7 "$work/minimal_c"
plays 10 "$work/minimal_cpp"
plays 7 "$work/minimal_c" "$work/connect_four/weights/latest.safetensors"
plays 10 "$work/minimal_cpp" "$work/backgammon/weights/latest.safetensors"
plays 1 "$work/ten_lines"
grep -q ', [1-9][0-9]* visits, value' "$work/moves"
plays 4 "$work/own_game" breakthrough
grep -q "player 0 has won" "$work/moves"
plays 5 "$work/own_game" ur # with dice and weights that know nothing, either player may win
grep -q "player [01] has won" "$work/moves"
# The wrong weights are named, not played with.
if "$work/minimal_c" "$work/backgammon/weights/latest.safetensors" 2>"$work/why"; then
  echo "weights of another game were played with" >&2
  exit 1
fi
grep -q "connect_four" "$work/why"
