#!/usr/bin/env bash
# Compares libsenet's binary interface with abi.txt: abi.sh PROGRAM LIBRARY HEADERS COMPILER [--write].
#
# It compares sizes, offsets and constants (printed by PROGRAM, built from abi.c), the declarations
# in HEADERS (folders separated by colons), ignoring comments and layout, and the symbols that
# LIBRARY exports. A changed line breaks hosts that are already compiled, so it needs a new
# SENET_ABI. A new line does not, nor does a struct with a struct_size that grew at its end, nor a
# raised limit. --write replaces abi.txt.
set -euo pipefail
program=$1 library=$2 headers=$3 compiler=$4
kept=$(dirname "$0")/abi.txt
IFS=: read -ra folders <<<"$headers"
includes=("${folders[@]/#/-I}")

now() {
  "$program"
  # One declaration per line: a semicolon outside braces ends it.
  "$compiler" -x c -std=c99 -E -P "${includes[@]}" - <<<"#include <senet/game_table.h>" | sed 's|__attribute__((visibility("default")))||g' | tr '\n' ' ' | tr -s ' ' |
    sed 's/.*typedef int32_t senet_status;/typedef int32_t senet_status;/; s/( /(/g' |
    awk '{
      for (i = 1; i <= length($0); ++i) {
        letter = substr($0, i, 1)
        if (letter == "{") ++depth
        if (letter == "}") --depth
        if (letter == ";" && depth == 0) { sub(/^ /, "", line); print "declares " line; line = "" } else line = line letter
      }
    }'
  nm --defined-only --extern-only "$library" | awk 'NF == 3 {print "symbol " $3}' | LC_ALL=C sort
}

if [[ ${5:-} == --write ]]; then
  now >"$kept"
else
  diff -U0 <(LC_ALL=C sort "$kept") <(now | LC_ALL=C sort)
fi
