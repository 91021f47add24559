"""Searches Connect Four with an evaluator in NumPy: a linear value, learned from random games.

    python own_evaluator.py [--steps 200] [--games 200]
"""

import argparse

import numpy as np
import senet


def random_positions(steps, n=256):
    """Positions [rows, features] of random games, with the result [rows] for the player to move."""
    env = senet.VecEnv("connect_four", n, seed=1, copy=True)
    obs, _, player = env.reset()
    open_games, seen, results = [[] for _ in range(n)], [], []
    for _ in range(steps):
        for game, row, mover in zip(open_games, obs, player):
            game.append((row, mover))
        before = player
        obs, _, player, reward, done = env.step(env.sample())
        for i in np.flatnonzero(done):
            for row, mover in open_games[i]:
                seen.append(row)
                results.append(reward[i] if mover == before[i] else -reward[i])
            open_games[i] = []
    return np.array(seen), np.array(results)


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--games", type=int, default=200)
    given = parser.parse_args(arguments)
    features, results = random_positions(given.steps)
    ridge = features.T @ features + 10 * np.eye(features.shape[1])
    weights = np.linalg.solve(ridge, features.T @ results).astype(np.float32)
    correlation = np.corrcoef(features @ weights, results)[0, 1]
    print(f"{len(results)} positions, correlation {correlation:.2f}")

    def linear(obs, mask):
        """Won, drawn and lost, and the same prior for all columns."""
        value = np.tanh(obs @ weights)
        outcomes = np.stack([(1 + value) / 2, 0 * value, (1 - value) / 2], axis=1)
        return np.zeros(mask.shape), outcomes

    for name, other in (("no knowledge", lambda obs, mask: linear(0 * obs, mask)),
                        ("random games", None)):
        print(f"100 visits, score against {name}: {match(linear, other, given.games):.3f}")


def match(first, second, games, visits=100):
    """Points per game of the first evaluator. Pairs of games begin with the same random moves."""
    random = np.random.default_rng(1)
    states = []
    for _ in range(games // 2):
        state = senet.State("connect_four")
        for _ in range(4):
            state.play(int(random.choice(state.legal())))
        states += [state, state.copy()]
    for ply in range(4, 42):
        for side, evaluator in enumerate((first, second)):
            turns = [s for i, s in enumerate(states) if not s.is_over and (i + ply) % 2 == side]
            if turns:
                for state, policy in zip(turns, senet.search(turns, evaluator, visits)[2]):
                    state.play(int(policy.argmax()))
    return np.mean([(state.value(i % 2) + 1) / 2 for i, state in enumerate(states)])


if __name__ == "__main__":
    main()
