#!/usr/bin/env bash
# Installs libsenet in a temporary prefix, builds the examples against it in one of the ways that a
# host can use, and plays: test.sh WAY SENET BUILD SOURCE
# WAY is find_package, pkg_config, clang, add_subdirectory or shared.
set -euo pipefail
way=$1 senet=$2 build=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
prefix=$work/prefix
c=gcc cxx=g++
# With ccache as the launcher, all ways share the objects that they compile alike.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=true

# The first C++ block in docs/embedding.md.
ten_lines=$work/ten_lines.cpp
sed -n '/^```cpp$/,/^```$/p' "$source/docs/embedding.md" | sed '1d; /^```$/,$d' >"$ten_lines"
grep -q 'int main' "$ten_lines"

weights() { # GAME
  "$senet" selfplay --run "$work/$1" --game "$1" --width 16 --blocks 1 --games 1 --visits 1 --fast-visits 1 \
    --lanes 1 --workers 1 --no-train --quiet >/dev/null
}
install() { cmake --install "$1" --component "$2" --prefix "$prefix" >/dev/null; }
host() { # CMAKE_ARGUMENTS...: builds the examples with CMake
  cmake -S "$source/tests/installation" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DTEN_LINES="$ten_lines" \
    "$@" >/dev/null
  cmake --build "$work" --target ten_lines minimal_c minimal_cpp own_game memory >/dev/null
}
by_pkg_config() { # [FLAGS] PACKAGE: builds the examples with pkg-config; FLAGS are for C only
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name senet.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # the output is split into words on purpose
  $c -std=c99 -pedantic -Wall -Werror "$source/tools/examples/minimal.c" -o "$work/minimal_c" $(pkg-config --cflags --libs "$@")
  compile() { # PROGRAM SOURCE
    # shellcheck disable=SC2046
    ${CMAKE_CXX_COMPILER_LAUNCHER-} $cxx -std=c++20 -Wall -Wextra -Werror $(pkg-config --cflags "$package") -c "$2" -o "$work/$1.o"
    # shellcheck disable=SC2046
    $cxx "$work/$1.o" -o "$work/$1" $(pkg-config --libs "$package")
  }
  local package=${*: -1}
  compile minimal_cpp "$source/tools/examples/minimal.cpp"
  compile own_game "$source/tools/examples/train_own_game/own_game.cpp"
  compile ten_lines "$ten_lines"
}
plays() { # MINIMUM PROGRAM ARGUMENTS...: runs PROGRAM and expects at least MINIMUM lines of moves
  "${@:2}" >"$work/moves"
  tail -n 1 "$work/moves"
  [[ $(wc -l <"$work/moves") -ge $1 ]]
}
only_senet() { # reads nm's output; fails if it has a symbol that does not begin with senet_
  local strangers
  strangers=$(awk 'NF == 3 && $3 !~ /^senet_/')
  [[ -z $strangers ]] || { echo "$way: unexpected visible symbols: $strangers" >&2; exit 1; }
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
    # A library of the documented size, and the installed program.
    read -r megabytes of_networks < <(sed -n 's/^libsenet is .* of \([0-9.]*\) MB, \([0-9.]*\) MB of which .*/\1 \2/p' "$source/docs/embedding.md")
    close_to() { awk -v documented="$1" -v bytes="$2" 'BEGIN { exit !(documented * 1e6 / bytes > 0.95 && documented * 1e6 / bytes < 1.05) }'; }
    close_to "$megabytes" "$(stat --format %s "$(find "$prefix" -name libsenet.a)")"
    close_to "$of_networks" "$(cat "$source"/games/*/model.safetensors | wc -c)"
    # Its build compiles only what is in it: neither oneDNN's evaluator nor the kits.
    if [[ -f $build/build.ninja ]] && ninja -C "$build" -t commands libsenet | grep 'senet_nn\.dir\|senet_kits\.dir'; then
      echo "libsenet's build compiles files that are not in it" >&2
      exit 1
    fi
    install "$build" senet
    senet=$prefix/bin/senet
    ;;
  clang)
    # A compiler other than the library's.
    c=clang cxx=clang++
    install "$build" libsenet
    by_pkg_config --static senet
    ;;
  add_subdirectory)
    # With a unity build, as some hosts use, then by pkg-config from Debian's multiarch folder. Without
    # optimisation, because nothing here measures speed.
    host -DSENET_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_UNITY_BUILD=ON -DSENET_INSTALL=ON -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu
    install "$work" libsenet
    by_pkg_config --static senet
    ;;
  shared)
    install "$build" libsenet
    install "$build" libsenet_shared
    # The ABI number in senet.h.
    name=libsenet.so.$(echo SENET_ABI | gcc -E -P -include senet/senet.h -I"$prefix/include" - | tail -n 1 | tr -d u)
    library=$(find "$prefix" -name "$name")
    nm --dynamic --defined-only --extern-only "$library" | only_senet
    [[ $(nm --dynamic --defined-only "$library" | wc -l) -eq $(nm --defined-only --extern-only "$prefix"/lib*/libsenet.a | grep -c ' senet_') ]]
    readelf -d "$library" | grep -q "SONAME.*\[$name\]"
    host -DLIBRARY=senet::shared
    needs() { readelf -d "$work/$1" | grep -q "NEEDED.*\[$name\]"; }
    for program in minimal_c minimal_cpp; do needs $program; done
    # senet-static links the static library even though the shared one is installed.
    by_pkg_config senet-static
    for program in minimal_c minimal_cpp; do
      if needs $program; then echo "$program: not linked with the static library" >&2; exit 1; fi
      "$work/$program" >"$work/moves"
    done
    # With the shared library, a C host needs no C++ libraries.
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
plays 5 "$work/own_game" ur # with dice and untrained weights, either player may win
grep -q "player [01] has won" "$work/moves"
# Weights of another game are refused with a reason.
if "$work/minimal_c" "$work/backgammon/weights/latest.safetensors" 2>"$work/why"; then
  echo "weights of another game were accepted" >&2
  exit 1
fi
grep -q "connect_four" "$work/why"
