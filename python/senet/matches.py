"""Matches between evaluators."""

import math
from typing import NamedTuple

import numpy as np

from senet._core import State, Turn, VecEnv, search


class Match(NamedTuple):
    """The result of match(), from the first evaluator's side."""

    score: float  # points per game: 1 for a win, 1/2 for a draw
    error: float  # the standard error of `score`: of pairs, because their two games are alike
    results: np.ndarray  # [games] f32: the value of each game's end; games 2 k and 2 k + 1 are a pair

    def __repr__(self):
        return f"<score {self.score:.3f} +- {1.96 * self.error:.3f} in {len(self.results)} games>"


def match(game, first, second, games=400, visits=50, *, random_plies=4, seed=1, **settings):
    """Plays games between two evaluators, or None for random games, with searches of `visits`.

    Two games each begin with the same `random_plies` random moves and have the same dice, with
    sides swapped. All games are searched together. `settings` are those of search().
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number from 2, not {games}")
    columns_are_actions = VecEnv(game, 1).columns_are_actions
    states, dice = [], []
    for pair in range(games // 2):
        states += _opening(game, random_plies, np.random.default_rng((seed, pair)))
        dice += [np.random.default_rng((seed, pair, 0)) for _ in range(2)]
    while not all(state.is_over for state in states):
        for side, evaluator in enumerate((first, second)):  # the first is player i % 2 of game i
            turns = [i for i, state in enumerate(states)
                     if not state.is_over and state.player == (i + side) % 2]
            if not turns:
                continue
            policies = search([states[i] for i in turns], evaluator, visits, **settings)[2]
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
