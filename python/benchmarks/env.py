#!/usr/bin/env python3
"""Steps per CPU second of senet.VecEnv and of other environments, on one core.

    python python/benchmarks/env.py [--games GAME ...] [--n N] [--rounds R] [--seconds S]

Uniformly random legal play. A step plays one move in one game and writes the observation and the
legal actions of the next position. The peers are measured if they are installed: pgx (on the CPU),
OpenSpiel (from Python, its only interface for this), and EnvPool. EnvPool has none of the games, so
it steps CartPole, whose rules and observation are far simpler: only a scale for its overhead. A
step of backgammon is a whole play in senet, and one checker's move (pgx) or two (OpenSpiel)
elsewhere.
Othello is not part of senet: it is the game of docs/adding-a-game.md, compiled from that page with
g++ and loaded as a shared object, as yours would be.

All measurements alternate in rounds; the table has medians. CPU time is of the process, all of its
threads together.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

CORE = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})  # before libraries count the cores
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402

import senet  # noqa: E402


def load_othello():
    """Adds the game of docs/adding-a-game.md to senet's, as that page builds it."""
    root = pathlib.Path(__file__).resolve().parents[2]
    page = (root / "docs/adding-a-game.md").read_text()
    listing = "".join(block.split("```", 1)[0] for block in page.split("```cpp\n")[1:])
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder, "othello.so")
        subprocess.run(["g++", "-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                        f"-I{root}/games/include", f"-I{root}/engine/host/include",
                        "-x", "c++", "-", "-o", library], input=listing, text=True, check=True)
        senet.load_game(str(library))


class Senet:
    """senet.VecEnv, with columns from its sample()."""

    name = "senet"

    def __init__(self, game, n, observation="dense"):
        self.env = senet.VecEnv(game, n, seed=1, observation=observation)
        self.env.reset()
        self.steps(50)

    def steps(self, count):
        """Plays `count` steps of all games. Returns the CPU time of step() alone."""
        env, clock, step_time = self.env, time.process_time, 0.0
        for _ in range(count):
            columns = env.sample()
            begun = clock()
            env.step(columns)
            step_time += clock() - begun
        return step_time


class SparseSenet(Senet):
    """The same with sparse observations."""

    name = "senet, sparse"

    def __init__(self, game, n):
        super().__init__(game, n, observation="sparse")


class Pgx:
    """pgx: a compiled step of all games, which resets finished ones, with its own draw of actions."""

    name = "pgx"

    def __init__(self, game, n):
        import jax
        import pgx
        from pgx.experimental import auto_reset

        env = pgx.make(game)

        def act(state, key):
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
            return jax.random.categorical(key, logits, axis=-1)

        self.init = jax.jit(jax.vmap(env.init))
        self.step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
        self.act = jax.jit(act)
        self.split, self.wait = jax.random.split, jax.block_until_ready
        self.key = jax.random.PRNGKey(1)
        self.n = n
        self.state = self.init(self.split(self.key, n))
        self.steps(3)

    def steps(self, count):
        """As above. The keys that a step needs are drawn outside of it."""
        clock, step_time = time.process_time, 0.0
        for _ in range(count):
            self.key, key = self.split(self.key)
            actions, keys = self.wait((self.act(self.state, key), self.split(key, self.n)))
            begun = clock()
            self.state = self.wait(self.step(self.state, actions, keys))
            step_time += clock() - begun
        return step_time


class OpenSpiel:
    """OpenSpiel: a loop over the games in Python."""

    name = "OpenSpiel"

    def __init__(self, game, n):
        import pyspiel

        self.game = pyspiel.load_game(game)
        self.random = np.random.default_rng(1)
        self.n = n
        self.obs = np.zeros((n, self.game.observation_tensor_size()), np.float32)
        self.mask = np.zeros((n, self.game.num_distinct_actions()), bool)
        self.states = [None] * n
        for i in range(n):
            self.begin(i)
            self.describe(i)

    def begin(self, i):
        self.states[i] = self.game.new_initial_state()
        self.roll(i)

    def roll(self, i):
        state = self.states[i]
        while state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes())
            state.apply_action(actions[np.searchsorted(np.cumsum(chances), self.random.random() * 0.9999)])

    def describe(self, i):
        state = self.states[i]
        self.obs[i] = state.observation_tensor(state.current_player())
        self.mask[i] = False
        self.mask[i, state.legal_actions()] = True

    def steps(self, count):
        """As above."""
        clock, step_time = time.process_time, 0.0
        for _ in range(count):
            actions = np.argmax(self.random.random(self.mask.shape) * self.mask, axis=1).tolist()
            begun = clock()
            for i, action in enumerate(actions):
                self.states[i].apply_action(action)
                self.roll(i)
                if self.states[i].is_terminal():
                    self.begin(i)
                self.describe(i)
            step_time += clock() - begun
        return step_time


class EnvPool:
    """EnvPool's CartPole."""

    name = "EnvPool, CartPole"

    def __init__(self, game, n):
        import envpool

        self.env = envpool.make_gymnasium("CartPole-v1", num_envs=n, num_threads=1)
        self.random = np.random.default_rng(1)
        self.n = n
        self.env.reset()

    def steps(self, count):
        """As above."""
        clock, step_time = time.process_time, 0.0
        for _ in range(count):
            actions = self.random.integers(2, size=self.n)
            begun = clock()
            self.env.step(actions)
            step_time += clock() - begun
        return step_time


def measure(peer, n, seconds):
    """Million steps per CPU second: of step() with the choice of actions, and of step() alone."""
    count, all_time, step_time, batch = 0, 0.0, 0.0, 1
    while all_time < seconds:
        begun = time.process_time()
        step_time += peer.steps(batch)
        all_time += time.process_time() - begun
        count += batch
        batch = min(2 * batch, 100)
    return count * n / all_time / 1e6, count * n / step_time / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    games = ["connect_four", "backgammon", "othello"]
    parser.add_argument("--games", nargs="+", default=games, choices=games)
    parser.add_argument("--n", type=int, default=1024, help="games of a batch (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default %(default)s")
    parser.add_argument("--seconds", type=float, default=1.0,
                        help="CPU time of each measurement (default %(default)s)")
    arguments = parser.parse_args()
    if "othello" in arguments.games:
        load_othello()
    print(f"{arguments.n} games, core {CORE}, medians of {arguments.rounds} rounds")
    print(f"{'game':14} {'environment':20} {'million steps per CPU second':>30}")
    print(f"{'':14} {'':20} {'with actions drawn':>30} {'step alone':>12} {'range':>16}")
    for game in arguments.games:
        peers = []
        for kind in (Senet, SparseSenet, Pgx, OpenSpiel, EnvPool):
            try:
                peers.append((kind.name, kind(game, arguments.n), []))
            except ImportError as error:
                print(f"{game:14} {kind.name:20} not measured: {error}")
        for _ in range(arguments.rounds):
            for _, peer, figures in peers:
                figures.append(measure(peer, arguments.n, arguments.seconds))
        for name, _, figures in peers:
            both, alone = (statistics.median(column) for column in zip(*figures))
            low, high = (choose(figure[1] for figure in figures) for choose in (min, max))
            print(f"{game:14} {name:20} {both:30.3f} {alone:12.3f} {low:8.3f}..{high:.3f}")


if __name__ == "__main__":
    main()
