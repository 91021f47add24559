#!/usr/bin/env python3
"""Simulations per CPU second of senet.search with an evaluator in Python, and of mctx, on one core.

    python python/benchmarks/search.py [--visits V ...] [--n N] [--rounds R]

All search the same number of Connect Four positions after four random moves. A simulation is one
visit: a walk down the tree, one evaluation, one step of the rules, and the way back up. The
"network" costs nothing: fixed random logits and outcomes, the same for each row of a batch in all
calls, so that only the search is measured.

  senet       senet.search: PUCT; calls a NumPy function with batches of 256 dense rows. On one
              core it has one thread. Trees are freed after each call.
  2 threads   the same with two threads that take turns, the default on more cores.
  4 leaves    the same with four leaves of each of 64 searches in a batch. Fewer trees are in use at
              the same time, and fit into the cache.
  mctx        mctx.muzero_policy: PUCT of all roots in step, compiled by XLA, which includes pgx's
              rules and the constant network. Its tree keeps each node's whole state.
  OpenSpiel   the MCTSBot of open_spiel.python with an own evaluator, one leaf at a time: 16
              positions, which is enough for a figure.

mctx and OpenSpiel are measured if they are installed. All measurements alternate in rounds; the
table has medians. A search that has taken 60 CPU seconds with a number of visits is not measured
again with it. CPU time is of the process, all of its threads together, and includes making the
trees, but not compiling.
"""

import argparse
import os
import statistics
import time

CORE = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})  # before libraries count the cores
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402

import senet  # noqa: E402

BATCH = 256
MOST_SECONDS = 60
RANDOM = np.random.default_rng(1)
LOGITS = RANDOM.standard_normal((BATCH, 7), np.float32)
OUTCOMES = RANDOM.dirichlet(np.ones(3), BATCH).astype(np.float32)
VALUES = OUTCOMES[:, 0] - OUTCOMES[:, 2]


def openings(n):
    """The columns [n, 4] of the moves before the searched positions."""
    return np.random.default_rng(2).integers(7, size=(n, 4))


class Senet:
    """senet.search with a NumPy function."""

    name = "senet"
    options = {}

    def __init__(self, n, visits):
        self.visits, self.count = visits, n * visits
        self.states = [senet.State("connect_four") for _ in range(n)]
        for state, moves in zip(self.states, openings(n)):
            for move in moves:
                state.play(int(move))

    def run(self):
        """Searches all positions once."""

        def evaluate(obs, mask):
            return LOGITS[: len(obs)], OUTCOMES[: len(obs)]

        senet.search(self.states, evaluate, self.visits, batch=BATCH, **self.options)


class TwoThreads(Senet):
    """The same with two threads."""

    name = "senet, 2 threads"
    options = {"threads": 2}


class FourLeaves(Senet):
    """The same with fewer trees at the same time."""

    name = "senet, 4 leaves"
    options = {"lanes": 64, "leaves": 4}


class Mctx:
    """mctx with pgx's rules. A value is that of the player to move, so the discount is -1."""

    name = "mctx, pgx"

    def __init__(self, n, visits):
        import jax
        import jax.numpy as jnp
        import mctx
        import pgx

        env = pgx.make("connect_four")
        self.count = n * visits
        rows = np.arange(n) % BATCH
        logits, values = jnp.asarray(LOGITS[rows]), jnp.asarray(VALUES[rows])
        step = jax.vmap(env.step)

        def recurrent(params, key, action, state):
            mover = state.current_player
            state = step(state, action)
            reward = jnp.take_along_axis(state.rewards, mover[:, None], axis=1)[:, 0]
            allowed = jnp.where(state.legal_action_mask, logits, jnp.finfo(jnp.float32).min)
            over = state.terminated
            return mctx.RecurrentFnOutput(
                reward=reward,
                discount=jnp.where(over, 0.0, -1.0),
                prior_logits=allowed,
                value=jnp.where(over, 0.0, values),
            ), state

        def search(state, key):
            root = mctx.RootFnOutput(prior_logits=logits, value=values, embedding=state)
            return mctx.muzero_policy(
                None, key, root, recurrent, visits, ~state.legal_action_mask, dirichlet_fraction=0.0
            ).action_weights

        state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), n))
        for moves in openings(n).T:
            state = jax.jit(step)(state, jnp.asarray(moves))
        self.state, self.key = state, jax.random.PRNGKey(2)
        self.search = jax.jit(search).lower(self.state, self.key).compile()

    def run(self):
        """As above."""
        self.search(self.state, self.key).block_until_ready()


class OpenSpiel:
    """OpenSpiel's search in Python, for 16 positions."""

    name = "OpenSpiel, Python"

    def __init__(self, n, visits):
        import pyspiel
        from open_spiel.python.algorithms import mcts

        class Constant(mcts.Evaluator):
            def evaluate(self, state):
                return np.array([VALUES[0], -VALUES[0]])

            def prior(self, state):
                actions = state.legal_actions()
                return [(action, 1 / len(actions)) for action in actions]

        game = pyspiel.load_game("connect_four")
        self.bot = mcts.MCTSBot(game, 1.5, visits, Constant(),
                                child_selection_fn=mcts.SearchNode.puct_value)
        self.states = [game.new_initial_state() for _ in range(16)]
        self.count = len(self.states) * visits
        for state, moves in zip(self.states, openings(16)):
            for move in moves:
                state.apply_action(int(move))

    def run(self):
        """As above."""
        for state in self.states:
            self.bot.mcts_search(state)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--visits", type=int, nargs="+", default=[32, 100, 400])
    parser.add_argument("--n", type=int, default=1024, help="positions (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="default %(default)s")
    arguments = parser.parse_args()
    print(f"{arguments.n} positions, batches of {BATCH}, core {CORE}, "
          f"medians of {arguments.rounds} rounds")
    print(f"{'visits':>6} {'search':20} {'thousand simulations per CPU second':>36} {'range':>16}")
    for visits in arguments.visits:
        peers = []
        for kind in (Senet, TwoThreads, FourLeaves, Mctx, OpenSpiel):
            try:
                peers.append((kind(arguments.n, visits), []))
            except ImportError as error:
                print(f"{visits:6} {kind.name:20} not measured: {error}")
        for peer, _ in peers:
            if not isinstance(peer, (Mctx, OpenSpiel)):
                peer.run()  # warms up
        for _ in range(arguments.rounds):
            for peer, figures in peers:
                if sum(peer.count / figure / 1e3 for figure in figures) > MOST_SECONDS:
                    continue
                begun = time.process_time()
                peer.run()
                figures.append(peer.count / (time.process_time() - begun) / 1e3)
        for peer, figures in peers:
            print(f"{visits:6} {peer.name:20} {statistics.median(figures):36.1f} "
                  f"{min(figures):8.1f}..{max(figures):.1f}", flush=True)


if __name__ == "__main__":
    main()
