#!/usr/bin/env python3
"""An Othello player that speaks UCI and takes the move that flips most discs, at random among equals.

    senet --game-library ./othello.so match --game othello --second "uci:python3 greedy_othello.py"

Knows the rules and the position text of docs/adding-a-game.md, and shares no code with that page.
"""

import random
import sys


def flipped(squares, own, at):
    """How many discs a move to `at` flips: for each direction, those up to a disc of `own`."""
    total = 0
    for rows, columns in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        row, column, line = at // 8 + rows, at % 8 + columns, 0
        while 0 <= row < 8 and 0 <= column < 8 and squares[8 * row + column] != "-":
            if squares[8 * row + column] == own:
                total += line
                break
            row, column, line = row + rows, column + columns, line + 1
    return total


def greedy_move(position, draw):
    own, squares = position[0], position[1:]
    moves = {at: flipped(squares, own, at) for at in range(64) if squares[at] == "-"}
    most = max(moves.values(), default=0)
    if most == 0:
        return "pass"
    at = draw.choice([at for at, count in moves.items() if count == most])
    return "abcdefgh"[at % 8] + str(at // 8 + 1)


def main():
    position = ""
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["uci"]:
            print("id name greedy\nuciok", flush=True)
        elif words[:1] == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "fen"]:
            position = words[2]
        elif words[:1] == ["go"]:
            # The same position always gets the same answer, so that a match can be repeated.
            print("bestmove", greedy_move(position, random.Random(position)), flush=True)
        elif words[:1] == ["quit"]:
            break


if __name__ == "__main__":
    main()
