#!/usr/bin/env bash
# Prints a dialogue with an engine in the format of docs/protocol.md:
#
#   tools/examples/protocol_session.sh SESSION ENGINE...
#   e.g. SESSION = ubgi_session.txt, ENGINE... = build/release/tools/senet uci
#
# Sends every line of the file SESSION and prints it after "> ". A hidden unknown command follows
# each line. The engine answers lines in order, so the error for the unknown command marks the end
# of the answer.
set -euo pipefail

if (($# < 2)) || [[ ! -r $1 ]]; then
  echo "usage: tools/examples/protocol_session.sh SESSION ENGINE..." >&2
  exit 2
fi
session=$1
shift

coproc engine { "$@"; }
answers=${engine[0]}
commands=${engine[1]}

mark=end-of-answer
while IFS= read -r line || [[ -n $line ]]; do
  printf '> %s\n' "$line"
  [[ $line != quit ]] || break
  printf '%s\n%s\n' "$line" "$mark" >&"$commands"
  while :; do
    if ! IFS= read -r answer <&"$answers"; then
      echo "protocol_session: the engine exited" >&2
      exit 1
    fi
    [[ $answer != "error unknown_command "*"$mark"* ]] || break
    printf '%s\n' "$answer"
  done
done <"$session"
echo quit >&"$commands"
