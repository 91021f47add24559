"""Matches between evaluators."""

import math
from typing import NamedTuple

import numpy as np

from senet._core import Game, State, Turn, VecEnv, search


class Match(NamedTuple):
    """The result of match(), from the first evaluator's side."""

    score: float  # points per game: 1 for a win, 1/2 for a draw
    error: float  # the standard error of `score`: of pairs, because their two games are alike
    results: np.ndarray  # [games] f32: the value of each game's end; games 2 k and 2 k + 1 are a pair

    def __repr__(self):
        return f"<score {self.score:.3f} +- {1.96 * self.error:.3f} in {len(self.results)} games>"


# Purposes of random numbers. Never 0, because NumPy pads seeds with zeros.
_OPENINGS, _DICE, _SEARCHES = 1, 2, 3


def _stream(seed, number, purpose):
    """The random numbers of one opening, of the dice of one pair, or of one search."""
    return np.random.default_rng((seed, number, purpose))


def match(game, first, second, games=400, visits=50, *, random_plies=4, seed=1, **settings):
    """Plays games between two evaluators of senet.search.

    The games come in pairs, which begin with the same random moves and have the same dice, with
    sides swapped. All games are searched together. The same arguments give the same games.

    Args:
        game: the name of a game.
        first, second: a Network, a function, or None: searches that play random games.
        games: an even number. In games 0, 2, 4 ... the first evaluator is player 0.
        visits: of the search for each move.
        random_plies: moves at the beginning. At 0, all pairs of a game without dice are alike.
        seed: of these moves, of the dice, and of the searches' noise.
        settings: more arguments of senet.search.

    Returns:
        A Match.

    Raises:
        ValueError: `games` is odd, or the game is unknown, has one player or always ends within
            `random_plies`.
    """
    if Game(game).player_count == 1:
        raise ValueError(f"{game} is a game of one player and has no matches")
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number from 2, not {games}")
    columns_are_actions = VecEnv(game, 1).columns_are_actions
    states, dice = [], []
    for pair in range(games // 2):
        states += _opening(game, random_plies, _stream(seed, pair, _OPENINGS))
        dice += [_stream(seed, pair, _DICE) for _ in range(2)]
    ply = 0
    while not all(state.is_over for state in states):
        for side, evaluator in enumerate((first, second)):  # the first is player i % 2 of game i
            turns = [i for i, state in enumerate(states)
                     if not state.is_over and state.player == (i + side) % 2]
            if not turns:
                continue
            ply += 1
            noise = int(_stream(seed, ply, _SEARCHES).integers(2**63))
            policies = search([states[i] for i in turns], evaluator, visits, seed=noise, **settings)[2]
            for i, column in zip(turns, policies.argmax(axis=1).tolist()):
                states[i].play(column if columns_are_actions else states[i].legal()[column])
                _roll(states[i], dice[i])
    results = np.array([state.value(i % 2) for i, state in enumerate(states)], np.float32)
    pairs = ((np.sign(results) + 1.0) / 2).reshape(-1, 2).mean(axis=1, dtype=np.float64)
    error = pairs.std(ddof=1) / math.sqrt(len(pairs)) if len(pairs) > 1 else math.nan
    return Match(float(pairs.mean()), float(error), results)


def _opening(game, plies, random):
    """A position after random moves, twice. Draws again if the game has ended."""
    for _ in range(1000):
        state = State(game)
        _roll(state, random)
        for _ in range(plies):
            if not state.is_over:
                state.play(int(random.choice(state.legal())))
                _roll(state, random)
        if not state.is_over:
            return [state, state.copy()]
    raise ValueError(f"{game} ends within {plies} random moves")


def _roll(state, random):
    while state.turn == Turn.CHANCE:
        chances = np.array(state.chances(), np.float64)
        state.play(int(random.choice(len(chances), p=chances / chances.sum())))
