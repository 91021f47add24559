"""senet.search(): results, evaluators in Python, errors."""

import subprocess
import sys

import numpy as np
import pytest

import senet


def positions(game, count, seed=1, plies=4):
    env = senet.VecEnv(game, count, seed=seed)
    env.reset()
    for _ in range(plies):
        env.step(env.sample())
    return [senet.State(game, text) for text in env.texts()]


@pytest.fixture(scope="module")
def network():
    return senet.Network.builtin("connect_four")


@pytest.fixture(scope="module")
def states():
    return positions("connect_four", 40)


def test_finds_the_winning_move(network):
    state = senet.State("connect_four")
    for column in (3, 0, 3, 0, 3, 6):
        state.play(column)
    visits, values, policy = senet.search([state], network, 200)
    assert visits.shape == policy.shape == (1, 7) and values.shape == (1,)
    assert visits.dtype == np.uint32 and values.dtype == policy.dtype == np.float32
    assert policy[0].argmax() == 3 and policy[0].sum() == pytest.approx(1)
    assert values[0] == 1


def test_results_do_not_depend_on_the_batch(network, states):
    wanted = senet.search(states, network, 64)
    for options in ({"batch": 7}, {"lanes": 3}, {"threads": 3}, {"batch": 1, "threads": 2}):
        got = senet.search(states, network, 64, **options)
        for one, other in zip(wanted, got):
            np.testing.assert_array_equal(one, other)


def test_noise_comes_from_the_seed(network, states):
    def search(seed, **options):
        return senet.search(states, network, 64, noise=True, seed=seed, **options)[0]

    np.testing.assert_array_equal(search(5), search(5, threads=2, batch=9))
    assert (search(5) != search(6)).any()


def test_a_python_evaluator_gives_the_same_result(network, states):
    calls = []

    def evaluate(obs, mask):
        calls.append(len(obs))
        logits, outcomes = network(obs)
        assert mask.shape == logits.shape and mask.any(axis=1).all()
        return logits, outcomes

    wanted = senet.search(states, network, 100)
    got = senet.search(states, evaluate, 100)
    np.testing.assert_array_equal(wanted[0], got[0])
    np.testing.assert_allclose(wanted[1], got[1], atol=1e-5)
    assert max(calls) > 10 and len(calls) > 50


def test_an_evaluator_of_afterstates(states):
    network = senet.Network.builtin("backgammon")
    rolled = positions("backgammon", 12, plies=2)

    def evaluate(obs, mask):
        assert mask is None
        return network(obs)

    wanted = senet.search(rolled, network, 16)
    got = senet.search(rolled, evaluate, 16)
    assert wanted[0].shape == (12, senet.Game("backgammon").most_legal)
    np.testing.assert_array_equal(wanted[0], got[0])
    np.testing.assert_allclose(wanted[1], got[1], atol=1e-5)


def test_the_columns_are_those_of_the_environment():
    env = senet.VecEnv("backgammon", 6, seed=2)
    _, mask, _ = env.reset()
    states = [senet.State("backgammon", text) for text in env.texts()]
    visits, _, policy = senet.search(states, senet.Network.builtin("backgammon"), 8)
    assert (visits[~mask] == 0).all() and (policy[~mask] == 0).all()
    env.step(policy.argmax(axis=1))  # every move is legal


def test_without_a_network_random_games_answer(states):
    visits, values, _ = senet.search(states, None, 100)
    # The root's own evaluation is a visit too.
    assert (visits.sum(axis=1) <= 100).all() and (abs(values) <= 1).all()


def test_settings_by_name(network, states):
    one = senet.search(states, network, 50)[0]
    assert (senet.search(states, network, 50, c_puct=6.0)[0] != one).any()
    more = senet.search(states, network, 200, leaves=8)[0]
    assert (senet.search(states, network, 200)[0] != more).any()


def test_exceptions_come_through(states):
    class Mine(Exception):
        pass

    count = 0

    def fail(obs, mask):
        nonlocal count
        count += 1
        if count == 3:
            raise Mine("third call")
        return np.zeros((len(obs), 7)), np.full((len(obs), 3), 1 / 3)

    with pytest.raises(Mine, match="third call"):
        senet.search(states, fail, 100, batch=8)
    assert count <= 4  # the other thread stops at its next batch


@pytest.mark.parametrize(
    "answer, error, words",
    [
        (lambda n: 5, TypeError, "not a tuple"),
        (lambda n: (np.zeros((n, 7)), "x"), TypeError, "outcomes is not an array"),
        (lambda n: (np.zeros((n, 6)), np.full((n, 3), 1 / 3)), ValueError, "logits is .*, 6.*, 7"),
        (lambda n: (np.zeros((n, 7)), np.zeros((n, 3))), ValueError, "not a distribution"),
        (lambda n: (np.zeros((n, 7)), np.full((n, 3), np.nan)), ValueError, "not a distribution"),
        (lambda n: (np.full((n, 7), np.inf), np.full((n, 3), 1 / 3)), ValueError, "not finite"),
    ],
)
def test_wrong_answers(states, answer, error, words):
    with pytest.raises(error, match=words):
        senet.search(states, lambda obs, mask: answer(len(obs)), 10)


def test_wrong_arguments(network, states):
    over = senet.State("connect_four", "4444443")
    cases = [
        (lambda: senet.search([], network), ValueError, "there is none"),
        (lambda: senet.search(["text"], network), TypeError, "not a senet.State"),
        (lambda: senet.search(states, 5), TypeError, "neither"),
        (lambda: senet.search(states, network, 0), ValueError, "visits"),
        (lambda: senet.search(states, network, batch=0), ValueError, "batch"),
        (lambda: senet.search(states, network, mode="afterstates"), ValueError, "afterstates"),
        (lambda: senet.search(states, network, mode="x"), ValueError, "mode"),
        (lambda: senet.search(states, network, kind="x"), ValueError, "no evaluator called x"),
        (lambda: senet.search(states, network, c_puct=-1), ValueError, "c-puct"),
        (lambda: senet.search(states, network, colour=1), ValueError, 'no setting "colour"'),
        (lambda: senet.search([senet.State("backgammon")], network), ValueError, "no player"),
        (lambda: senet.search([*states, senet.State("tic_tac_toe")], network), ValueError, "game"),
        (lambda: senet.search([senet.State("tic_tac_toe")], network), ValueError, "plays"),
        (lambda: senet.search(states, network, visits=10**7, lanes=4096), ValueError, "GiB"),
    ]
    for call, error, words in cases:
        with pytest.raises(error, match=words):
            call()
    assert over.turn != senet.Turn.OVER


def test_torch(network, states):
    torch = pytest.importorskip("torch")
    from senet.torch import Module

    module = Module(network)
    wanted = senet.search(states, network, 100)
    got = senet.search(states, module.evaluator, 100)
    np.testing.assert_array_equal(wanted[0], got[0])
    np.testing.assert_allclose(wanted[1], got[1], atol=1e-5)

    def with_gradients(obs, mask):
        logits, outcomes = module(torch.from_numpy(obs))
        return logits, outcomes.softmax(-1)

    np.testing.assert_array_equal(senet.search(states, with_gradients, 100)[0], wanted[0])


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import senet
signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background ignore it
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
states = [senet.State("connect_four")] * 200
evaluators = {
    "network": senet.Network.builtin("connect_four"),
    "function": lambda obs, mask: (np.zeros(mask.shape), np.full((len(obs), 3), 1 / 3)),
    "playouts": None,
}
begun = time.monotonic()
try:
    if sys.argv[1] == "perft":
        senet.Game("connect_four").perft(12)
    else:
        senet.search(states, evaluators[sys.argv[1]], 200_000, lanes=8)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun)
"""


@pytest.mark.parametrize("what", ["network", "function", "playouts", "perft"])
def test_ctrl_c(what):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, what], capture_output=True, text=True, timeout=15)
    assert done.stdout.startswith("interrupted")


def resident_kib():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def test_memory_stays_flat(network, states):
    def evaluate(obs, mask):
        return np.zeros(mask.shape), np.full((len(obs), 3), 1 / 3)

    def search(count):
        for _ in range(count):
            senet.search(states, network, 20)
            senet.search(states, evaluate, 20)
            senet.search(states, None, 20)

    search(10)
    before = resident_kib()
    search(100)
    assert resident_kib() - before < 2048


def test_jax(network, states):
    """An evaluator that is compiled for one shape: it fills the batch up."""
    jax = pytest.importorskip("jax")

    @jax.jit
    def compiled(obs):
        return obs[:, :7] * 0, jax.nn.softmax(obs[:, :3] * 0.1, axis=-1)

    def evaluate(obs, mask):
        rows = np.zeros((256, obs.shape[1]), np.float32)
        rows[: len(obs)] = obs
        return tuple(np.asarray(part)[: len(obs)] for part in compiled(rows))

    visits = senet.search(states, evaluate, 50)[0]
    assert compiled._cache_size() == 1 and visits.sum(axis=1).max() == 49


def test_a_function_may_search_and_step(network, states):
    """The interpreter lock and the searches of an evaluator do not block each other."""
    def evaluate(obs, mask):
        senet.search(states[:2], network, 4)
        env = senet.VecEnv("connect_four", 4, threads=2)
        env.step(env.sample())
        return network(obs)

    np.testing.assert_array_equal(senet.search(states, evaluate, 10)[0], senet.search(states, network, 10)[0])


def test_what_a_signals_handler_raises_comes_through():
    code = """
import os, signal, threading
import senet
class Enough(Exception):
    pass
def raise_it(number, frame):
    raise Enough()
signal.signal(signal.SIGUSR1, raise_it)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
try:
    senet.search([senet.State("connect_four")] * 200, None, 200_000, lanes=8)
except Enough:
    print("enough")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "enough\n"
