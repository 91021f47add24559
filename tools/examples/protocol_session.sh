#!/usr/bin/env bash
# Shows a conversation with an engine, as docs/protocol.md does:
#
#   tools/examples/protocol_session.sh SESSION ENGINE...     e.g. ubgi_session.txt build/release/tools/senet uci
#
# Every line of the file SESSION is sent and shown behind "> ". A word that no engine knows follows it, unshown: lines are
# answered in their order, so when that word is refused, the answer before it is complete.
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
      echo "protocol_session: the engine ended" >&2
      exit 1
    fi
    [[ $answer != "error unknown_command "*"$mark"* ]] || break
    printf '%s\n' "$answer"
  done
done <"$session"
echo quit >&"$commands"
