"""Searches Connect Four with an evaluator in NumPy: a linear value, learned from random games."""

import numpy as np
import senet


def random_positions(steps, n=256):
    """Positions [rows, features] of random games, with the result [rows] for the player to move."""
    env, history = senet.VecEnv("connect_four", n, seed=1, copy=True), []
    obs = env.reset()[0]
    for _ in range(steps):
        after, _, _, reward, done = env.step(env.sample())
        history.append((obs, reward, done))
        obs = after
    seen, results, result = [], [], np.full(n, np.nan)
    for obs, reward, done in reversed(history):
        result = np.where(done, reward, -result)  # what the other player gets, negated
        known = ~np.isnan(result)  # the last games have not ended
        seen.append(obs[known])
        results.append(result[known])
    return np.concatenate(seen), np.concatenate(results)


def main(steps=200, games=200):
    features, results = random_positions(steps)
    ridge = features.T @ features + 10 * np.eye(features.shape[1])
    weights = np.linalg.solve(ridge, features.T @ results).astype(np.float32)

    def linear(obs, mask):
        """The same prior for all columns; won, drawn and lost."""
        value = np.tanh(obs @ weights)
        return np.zeros(mask.shape), np.stack([(1 + value) / 2, 0 * value, (1 - value) / 2], axis=1)

    match = senet.match("connect_four", linear, None, games, visits=100)
    print(f"{len(results)} positions; against random games: {match}")
    return match


if __name__ == "__main__":
    main()
