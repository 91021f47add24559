#!/usr/bin/env bash
# Installs libsenet somewhere, builds the examples against it in each way a host can, and plays:
# test.sh WAY SENET BUILD SOURCE, WAY being find_package, pkg_config or add_subdirectory.
set -euo pipefail
way=$1 senet=$2 build=$3 source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

weights() { # GAME
  "$senet" selfplay --run "$work/$1" --game "$1" --width 16 --blocks 1 --games 1 --visits 1 --fast-visits 1 \
    --lanes 1 --workers 1 --no-train --quiet 2>/dev/null
  echo "$work/$1/weights/latest.safetensors"
}
for name in connect_four backgammon; do weights $name >/dev/null; done

case $way in
  pkg_config)
    cmake --install "$build" --component libsenet --prefix "$work/prefix" >/dev/null
    export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig:$work/prefix/lib/$(gcc -print-multiarch)/pkgconfig"
    # shellcheck disable=SC2046  # words of a command line
    gcc -std=c99 -pedantic -Wall -Werror "$source/tools/examples/minimal.c" -o "$work/minimal_c" $(pkg-config --cflags --libs --static senet)
    # shellcheck disable=SC2046
    g++ -std=c++20 -Wall -Werror "$source/tools/examples/minimal.cpp" -o "$work/minimal_cpp" $(pkg-config --cflags --libs senet)
    ;;
  find_package)
    cmake --install "$build" --component libsenet --prefix "$work/prefix" >/dev/null
    cmake -S "$source/tests/installation" -B "$work" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
    cmake --build "$work" >/dev/null
    ;;
  add_subdirectory)
    cmake -S "$source/tests/installation" -B "$work" -G Ninja -DSENET_SOURCE="$source" >/dev/null
    cmake --build "$work" --target minimal_c minimal_cpp >/dev/null
    ;;
esac
# An installed library is one file and two headers, and only senet_... can be seen in it.
if [[ -d $work/prefix ]]; then
  strangers=$(nm --defined-only --extern-only "$(find "$work/prefix" -name libsenet.a)" | awk 'NF == 3 && $3 !~ /^senet_/')
  [[ -z $strangers ]] || { echo "libsenet.a shows: $strangers" >&2; exit 1; }
fi
"$work/minimal_c" | tee "$work/moves" | tail -n 1
[[ $(wc -l <"$work/moves") -ge 7 ]]
"$work/minimal_cpp" | tee "$work/moves" | tail -n 1
[[ $(wc -l <"$work/moves") -ge 10 ]]
"$work/minimal_c" "$work/connect_four/weights/latest.safetensors" | tee "$work/moves" | tail -n 2
[[ $(wc -l <"$work/moves") -ge 7 ]]
"$work/minimal_cpp" "$work/backgammon/weights/latest.safetensors" | tee "$work/moves" | tail -n 2
[[ $(wc -l <"$work/moves") -ge 10 ]]
# The wrong weights are named, not played with.
if "$work/minimal_c" "$work/backgammon/weights/latest.safetensors" 2>"$work/why"; then
  echo "weights of another game were played with" >&2
  exit 1
fi
grep -q "connect_four" "$work/why"
