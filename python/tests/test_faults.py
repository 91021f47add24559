"""What must not crash, hang or corrupt: misuse, threads, and games that fail."""

import threading

import numpy as np
import pytest

import senet


class Steps:
    """Each player adds 1 or 2 to a sum; the player who reaches 10 wins. `fails` makes it raise."""

    name = "steps"
    features = 11
    actions = 2
    fails = False

    def start(self):
        return (0, 0)

    def turn(self, state):
        return senet.Turn.OVER if state[0] >= 10 else state[1]

    def legal(self, state):
        if self.fails:
            raise OSError("no more moves")
        return [0, 1]

    def play(self, state, action):
        return (min(10, state[0] + action + 1), 1 - state[1])

    def outcome(self, state):
        return 0 if state[1] == 1 else 2

    def encode(self, state):
        return [state[0]]


@pytest.fixture(scope="module")
def steps():
    game = Steps()
    senet.add_game(game)
    return game


def test_a_python_game_on_several_threads(steps):
    one, two = (senet.VecEnv("steps", 200, seed=5, threads=threads) for threads in (1, 2))
    for _ in range(20):
        for first, second in zip(one.step(one.sample()), two.step(two.sample())):
            np.testing.assert_array_equal(first, second)
    two.set_texts(two.texts())
    two.set_states(two.states())


def test_a_game_that_fails_leaves_an_environment_that_must_be_reset(steps):
    env = senet.VecEnv("steps", 8, seed=1)
    steps.fails = True
    try:
        with pytest.raises(OSError, match="no more moves"):
            env.step(env.sample())
    finally:
        steps.fails = False
    with pytest.raises(RuntimeError, match="reset"):
        env.step(np.zeros(8, int))
    with pytest.raises(RuntimeError, match="reset"):
        env.sample()
    env.reset()
    env.step(env.sample())


def test_a_game_that_fails_in_a_search(steps):
    state = senet.State("steps")
    steps.fails = True
    try:
        with pytest.raises(OSError, match="no more moves"):
            senet.search([state], None, 50)
    finally:
        steps.fails = False
    assert senet.search([state], None, 50)[0].sum() > 0


@pytest.mark.parametrize("name", ["features", "actions", "most_legal", "most_active", "state_bytes"])
@pytest.mark.parametrize("value", [2**32 + 3, 2**63, -1, 0, "many", 1.5])
def test_numbers_of_a_game_are_checked(name, value):
    class Wrong(Steps):
        pass

    Wrong.name = "wrong"
    setattr(Wrong, name, value)
    with pytest.raises(ValueError):
        senet.add_game(Wrong())
    assert "wrong" not in senet.games()


@pytest.mark.parametrize("features", [[-1], ["a"], {1: "x"}, [99], 5, (1.0,), [0] * 12])
def test_wrong_features_are_reported_with_their_method(features):
    class Wrong(Steps):
        name = "wrong"

        def encode(self, state):
            return features

    with pytest.raises(ValueError, match="encode"):
        senet.add_game(Wrong())


def test_what_steps_rely_on_cannot_be_written():
    env = senet.VecEnv("connect_four", 8, seed=1)
    for array in (env.legal, env.legal_count):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 3
    for _ in range(12):  # until a column is full in some game
        env.step(env.sample())
    state = senet.State("connect_four")
    for _ in range(6):
        state.play(3)
    env.set_texts([state.text] * 8)
    env.mask[:] = True
    with pytest.raises(ValueError, match="action 3 is not legal"):
        env.step(np.full(8, 3))


@pytest.mark.parametrize(
    "actions", [["a"] * 4, np.zeros(4), np.array([None] * 4), [2**70] * 4, np.zeros(4, ">i4")]
)
def test_actions_of_other_types(actions):
    env = senet.VecEnv("connect_four", 4)
    with pytest.raises(TypeError):
        env.step(actions)


def test_an_evaluator_may_change_its_arguments():
    network = senet.Network.builtin("connect_four")
    states = [senet.State("connect_four", text) for text in ("", "4", "44", "443")[1:]]

    def careless(obs, mask):
        answer = network(obs)
        obs -= 0.5
        mask[:] = False
        return answer

    np.testing.assert_array_equal(
        senet.search(states, careless, 60)[0], senet.search(states, network, 60)[0]
    )


def test_an_empty_file_name():
    with pytest.raises(ValueError):
        senet.load_game("")


def test_one_reader_in_several_threads(tmp_path):
    from senet.run import find_program

    try:
        find_program()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    run = senet.Run(tmp_path / "run").start(
        "tic_tac_toe", games=400, visits=4, no_train=True, workers=1, quiet=True
    )
    assert run.wait(60) == 0
    reader, rows, refusals = run.records(), [], []

    def read():
        while True:
            try:
                part = reader.read(3, features="dense", policy="dense", text=True)
            except RuntimeError as error:
                refusals.append(str(error))
                continue
            if len(part["turn"]) == 0:
                return
            rows.append(len(part["turn"]))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(rows) == len(run.records().read()["turn"])
    assert reader.skipped_bytes == 0
    assert set(refusals) <= {"another call is using this object"}
