"""senet.add_game() and senet.load_game()."""

import itertools
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import senet

ROOT = pathlib.Path(__file__).parents[2]
NUMBERS = itertools.count()


class Nim:
    """Three heaps; a player takes any number of objects from one. The player with the last one wins."""

    features = 16
    actions = 15  # 5 * heap + objects - 1

    def __init__(self, **changes):
        """With these methods and attributes in place of the usual ones."""
        self.name = f"nim_{next(NUMBERS)}"
        for name, value in changes.items():
            setattr(self, name, value)

    def start(self):
        return (0, (3, 4, 5))

    def turn(self, state):
        return state[0] if any(state[1]) else senet.Turn.OVER

    def legal(self, state):
        return [5 * i + n for i, heap in enumerate(state[1]) for n in range(heap)]

    def play(self, state, action):
        heaps = list(state[1])
        heaps[action // 5] -= action % 5 + 1
        return (1 - state[0], tuple(heaps))

    def outcome(self, state):
        return 2 if state[0] == 0 else 0  # the other player took the last one

    def encode(self, state):
        return [5 * i + heap - 1 for i, heap in enumerate(state[1]) if heap] + [15]


class Race:
    """Two players throw a die in turn, or take two points. The first with ten points wins."""

    features = 30
    actions = 2
    most_chance = 3
    most_active = 3

    def __init__(self, **changes):
        self.name = f"race_{next(NUMBERS)}"
        for name, value in changes.items():
            setattr(self, name, value)

    def start(self):
        return [0, 0, 0, False]  # points, the mover, whether the die is about to be thrown

    def turn(self, state):
        if max(state[:2]) >= 10:
            return senet.Turn.OVER
        return senet.Turn.CHANCE if state[3] else state[2]

    def legal(self, state):
        return (0, 1)

    def chance(self, state):
        return [0.5, 0.25, 0.25]

    def viewer(self, state):
        return state[2]

    def play(self, state, action):
        points, mover = state[:2], state[2]
        if not state[3] and action == 1:
            return [*points, mover, True]
        points[mover] += (1, 2, 4)[action] if state[3] else 2
        return [*points, 1 - mover, False]

    def outcome(self, state):
        return 0 if state[0] >= 10 else 2

    def encode(self, state):
        mover = state[2]
        return {min(state[mover], 11): 1.0, 12 + min(state[1 - mover], 11): 1.0, 29: 0.5}


@pytest.fixture(scope="module")
def nim():
    return senet.add_game(Nim())


@pytest.fixture(scope="module")
def race():
    return senet.add_game(Race())


def test_a_python_game_is_a_game(nim):
    assert nim in senet.games()
    game = senet.Game(nim)
    assert (game.features, game.most_legal, game.has_dice) == (16, 15, False)
    assert game.outcome_values == (1, 0, -1)
    assert eval(game.start) == (0, (3, 4, 5))
    assert game.perft(1) == 12
    state = game.state("(1, (1, 0, 2))")
    assert state.player == 1 and state.legal() == [0, 10, 11]
    np.testing.assert_array_equal(np.flatnonzero(state.features()), [0, 11, 15])
    state.play(11)
    assert eval(state.text) == (0, (1, 0, 0))
    state.play(0)
    assert state.is_over and state.outcome == 0 and state.value(1) == -1


class Countdown:
    """One player takes 1, 2 or 3 from a number until it is 0; 20 moves at most."""

    name, player_count, most_moves_left = "count_to_zero", 1, 10
    features, actions = 40, 3

    def start(self):
        return (30, 20)

    def turn(self, state):
        return 0 if min(state) > 0 else senet.Turn.OVER

    def legal(self, state):
        return list(range(min(3, state[0])))

    def play(self, state, action):
        return (state[0] - action - 1, state[1] - 1)

    def outcome(self, state):
        return 0 if state[0] == 0 else 10

    def encode(self, state):
        return [state[0] - 1]


def test_a_python_game_of_one_player():
    name = senet.add_game(Countdown())
    game = senet.Game(name)
    assert game.player_count == 1 and game.outcome_values == tuple(-i for i in range(11))
    near = game.state("(6, 20)")
    visits, values, policy = senet.search([near], None, 500)
    assert policy[0].argmax() == 2 and -3 < values[0] <= -2
    with pytest.raises(ValueError, match="player_count must be 1 .. 2"):
        senet.add_game(Nim(player_count=3))


def test_perft_of_a_python_game(nim):
    rules = Nim()

    def count(state, depth):
        if depth == 0:
            return 1
        if rules.turn(state) == senet.Turn.OVER:
            return 0
        return sum(count(rules.play(state, action), depth - 1) for action in rules.legal(state))

    for depth in range(4):
        assert senet.Game(nim).perft(depth) == count(rules.start(), depth)


def test_search_solves_nim(nim):
    """The player who makes the heaps' exclusive or zero wins (Bouton, 1901)."""
    state = senet.State(nim)
    _, values, policy = senet.search([state], None, 4000)
    state.play(int(policy[0].argmax()))
    assert np.bitwise_xor.reduce(eval(state.text)[1]) == 0
    # Search also asks a function, and a network that knows nothing.
    uniform = senet.search([senet.State(nim)], lambda obs, mask: (
        np.zeros(mask.shape), np.full((len(obs), 3), 1 / 3)), 4000)
    assert uniform[2][0].argmax() == policy[0].argmax()
    spec = {"game": nim, "features": 16, "policy_logits": 15, "outcomes": 3, "width": 16, "blocks": 1}
    visits = senet.search([senet.State(nim)], senet.Network.untrained(spec), 100)[0]
    assert visits.sum() == 99 and (visits[0, [0, 1, 2, 5, 10]] > 0).all()


def test_a_network_knows_the_numbers_of_an_own_game(nim):
    assert senet.Network.untrained({"game": nim, "width": 16, "blocks": 1}).spec["features"] == 16


def test_threads_of_a_python_game():
    code = "import senet; from test_own_games import Nim; n = senet.add_game(Nim()); " \
           "e = senet.VecEnv(n, 9, threads=2); e.reset(); e.step(e.sample()); e.set_states(e.states()); " \
           "e.set_texts(e.texts()); print(senet.search([senet.State(n)] * 9, None, 20, threads=2)[0].sum())"
    subprocess.run([sys.executable, "-c", code], cwd=pathlib.Path(__file__).parent, check=True, timeout=20)


@pytest.mark.parametrize("rules", ["nim", "race"])
def test_environments_of_python_games(rules, request):
    name, own = request.getfixturevalue(rules), (Nim() if rules == "nim" else Race())
    env = senet.VecEnv(name, 20, seed=1)
    obs, mask, player = env.reset()
    ended = 0
    for _ in range(40):
        for i, text in enumerate(env.texts()):
            state = eval(text)
            assert own.turn(state) == player[i]
            np.testing.assert_array_equal(np.flatnonzero(mask[i]), own.legal(state))
            encoded = own.encode(state)
            expected = np.zeros(own.features, np.float32)
            expected[list(encoded)] = list(encoded.values()) if isinstance(encoded, dict) else 1
            np.testing.assert_array_equal(obs[i], expected)
        obs, mask, player, reward, done = env.step(env.sample())
        assert (reward[done] == 1).all()  # the last mover wins
        ended += done.sum()
    assert ended > 50
    again = pickle.loads(pickle.dumps(env))
    assert again.texts() == env.texts()
    columns = env.sample()
    for one, other in zip(env.step(columns), again.step(columns)):
        np.testing.assert_array_equal(one, other)


def test_a_python_game_with_dice(race):
    game = senet.Game(race)
    assert game.has_dice and game.most_chance == 3
    state = game.state()
    state.play(1)
    assert state.turn == senet.Turn.CHANCE and state.chances() == [0.5, 0.25, 0.25]
    assert state.player == 0
    state.play(2)
    assert eval(state.text) == [4, 0, 1, False] and state.player == 1
    # Eight points, to move: taking two wins at once.
    _, values, policy = senet.search([game.state("[8, 8, 0, False]")], None, 500)
    assert policy[0].argmax() == 0 and values[0] == 1


def test_states_of_python_games_are_values(nim):
    state = senet.State(nim)
    other = pickle.loads(pickle.dumps(state))
    assert other == state and other.key == state.key
    other.play(0)
    assert other != state and senet.State(nim, other.text) == other
    for text in ("(0, (9, 9, 9))", "(0, 1)", "no", "", "[0, (1, 2, 3)", "__import__('os')"):
        with pytest.raises(ValueError):
            senet.State(nim, text)


@pytest.mark.parametrize("form", [list, dict, tuple])
def test_forms_of_features(form):
    def encode(state):
        indices = Nim().encode(state)
        if form is dict:
            return {index: 1.0 for index in indices}
        return indices if form is list else tuple(float(i in indices) for i in range(16))

    name = senet.add_game(Nim(encode=encode))
    np.testing.assert_array_equal(np.flatnonzero(senet.State(name).features()), [2, 8, 14, 15])


def test_own_outcomes():
    name = senet.add_game(Nim(outcome_values=[2, -2], outcome_mirror=[1, 0], outcome=lambda state: 1 - state[0]))
    assert senet.Game(name).outcome_values == (2, -2) and senet.Game(name).value_range == 2
    env = senet.VecEnv(name, 10)
    rewards = np.concatenate([r[d] for r, d in (env.step(env.sample())[3:] for _ in range(20))])
    assert set(rewards) == {2.0}


@pytest.mark.parametrize("method", ["start", "turn", "legal", "play", "outcome", "encode", "name", "features", "actions"])
def test_a_missing_method_is_named(method):
    class Broken:
        pass

    broken, whole = Broken(), Nim()
    for name in ("start", "turn", "legal", "play", "outcome", "encode", "name", "features", "actions"):
        if name != method:
            setattr(broken, name, getattr(whole, name))
    with pytest.raises(AttributeError, match=f"the game has no {method}"):
        senet.add_game(broken)
    assert whole.name not in senet.games()


@pytest.mark.parametrize("changes, words", [
    ({"legal": lambda state: [3, 2]}, "legal"),
    ({"legal": lambda state: []}, "legal"),
    ({"legal": lambda state: [99]}, "legal"),
    ({"legal": lambda state: list(range(16))}, "legal"),
    ({"legal": lambda state: None}, "legal"),
    ({"turn": lambda state: 7}, "turn"),
    ({"turn": lambda state: "white"}, "turn"),
    ({"outcome": lambda state: 3}, "outcome"),
    ({"outcome": lambda state: None}, "outcome"),
    ({"encode": lambda state: [16]}, "encode"),
    ({"encode": lambda state: [1, 1]}, "encode"),
    ({"encode": lambda state: (1.0, 2.0)}, "encode"),
    ({"encode": lambda state: "x"}, "encode"),
    ({"encode": lambda state: (float("nan"),) * 16}, "encode"),
    ({"play": lambda state, action: (0, tuple(range(1000)))}, "play.*state_bytes"),
    ({"features": 0}, "features"),
    ({"features": "many"}, "features"),
    ({"actions": 0}, "actions"),
    ({"name": ""}, "name"),
    ({"outcome_values": [1, 0], "outcome_mirror": [1, 0, 2]}, "outcome_mirror"),
    ({"outcome_values": [1, 0], "outcome_mirror": [1, 0]}, "outcome"),
])
def test_a_wrong_method_is_named(changes, words):
    with pytest.raises(ValueError, match=words):
        senet.add_game(Nim(**changes))


def test_exceptions_of_a_method_come_through():
    class Mine(Exception):
        pass

    broken = []

    def play(state, action):
        if broken:
            raise Mine("play")
        return Nim().play(state, action)

    name = senet.add_game(Nim(play=play))
    env, state = senet.VecEnv(name, 5), senet.State(name)
    broken.append(True)
    for call in (lambda: state.play(0), lambda: env.step(env.sample()), lambda: senet.search([state], None, 50),
                 lambda: senet.Game(name).perft(2)):
        with pytest.raises(Exception) as error:
            call()
        assert "play" in str(error.value)
    broken.clear()
    env.reset()
    env.step(env.sample())
    assert senet.search([state], None, 50)[0].sum() > 0


def test_an_exception_in_random_play_comes_through():
    def play(state, action):
        return 1 / 0

    with pytest.raises((ValueError, ZeroDivisionError), match="play|division"):
        senet.add_game(Nim(play=play))


def test_names_are_taken_once(nim):
    with pytest.raises(ValueError, match=nim):
        senet.add_game(Nim(name=nim))
    with pytest.raises(ValueError, match="connect_four"):
        senet.add_game(Nim(name="connect_four"))


def test_python_ends_cleanly():
    code = "import senet; from test_own_games import Nim; n = senet.add_game(Nim()); " \
           "e = senet.VecEnv(n, 3); e.step(e.sample()); s = senet.State(n); print(s)"
    done = subprocess.run([sys.executable, "-c", code], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True,
                          env=os.environ)
    assert done.returncode == 0 and done.stderr == ""


# -- Games of shared objects.

def compiled(folder, name, language, compiler, standard):
    """A game of docs/adding-a-game.md, compiled as there."""
    compiler = shutil.which(compiler)
    page = ROOT / "docs/adding-a-game.md"
    if compiler is None or not page.exists():
        pytest.skip("no compiler, or no documentation")
    listings = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    source, built = folder / f"{name}.{language}", folder / f"{name}.so"
    source.write_text("".join(listings))
    build(compiler, standard, source, built)
    return built


def build(compiler, standard, source, built):
    """Compiles a game as docs/adding-a-game.md does."""
    subprocess.run([compiler, f"-std={standard}", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                    f"-I{ROOT / 'games/include'}", f"-I{ROOT / 'engine/host/include'}",
                    source, "-o", built], check=True)


@pytest.fixture(scope="module")
def pig_object(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("pig"), "pig", "c", "cc", "c99")


@pytest.fixture(scope="module")
def othello(tmp_path_factory):
    return senet.load_game(compiled(tmp_path_factory.mktemp("othello"), "othello", "cpp", "c++", "c++20"))


@pytest.fixture(scope="module")
def pig(pig_object):
    return senet.load_game(pig_object)


def test_a_shared_object_is_a_game(pig):
    assert pig == "pig" and pig in senet.games()
    game = senet.Game(pig)
    assert (game.features, game.has_dice, game.has_afterstates, game.most_chance) == (44, True, True, 6)
    state = game.state()
    assert state.legal() == [1]  # there is nothing to bank yet
    state.play(1)
    assert state.chances() == pytest.approx([1 / 6] * 6)
    state.play(5)
    assert state.legal() == [0, 1] and state.player == 0
    assert senet.State(pig, state.text) == state == pickle.loads(pickle.dumps(state))
    state.play(0)
    assert state.player == 1


def test_an_environment_of_a_shared_object(pig):
    env = senet.VecEnv(pig, 100, seed=1, threads=2)
    env.reset()
    ended = 0
    for _ in range(500):
        _, _, _, reward, done = env.step(env.sample())
        ended += done.sum()
    assert ended > 50
    assert pickle.loads(pickle.dumps(env)).texts() == env.texts()


def test_dense_rows_from_a_set_of_features(othello):
    """Othello lists its features as a set; environments then write whole rows from it."""
    dense, sparse = (senet.VecEnv(othello, 50, seed=2, observation=kind) for kind in ("dense", "sparse"))
    obs, (indices, values, _) = dense.reset()[0], sparse.reset()[0]
    for _ in range(150):
        expected = np.zeros((50, 256 + 1), np.float32)  # the last column: no feature
        np.put_along_axis(expected, indices.astype(np.int64), values, axis=1)
        np.testing.assert_array_equal(obs, expected[:, :256])
        np.testing.assert_array_equal(obs[7], dense.state(7).features())
        columns = dense.sample()
        dense.step(columns)
        sparse.step(columns)
    assert 0 < obs.sum() < obs.size


COUNTDOWN = """
#include <senet/game_defaults.hpp>
#include <senet/own_game.hpp>

struct Countdown : senet::GameDefaults<Countdown> {  // takes 1 to 3 of 66; the last to take wins
  static constexpr std::string_view kName = "countdown";
  static constexpr std::size_t kMaxLegal = 3, kPolicyLogits = 3, kFeatures = 67, kMaxActive = 67;
  std::uint32_t left = 66, mover = 0;
  senet::Turn turn() const {
    if (left == 0) return senet::Turn::kOver;
    return mover == 0 ? senet::Turn::kPlayer0 : senet::Turn::kPlayer1;
  }
  void legal(senet::ActionList<kMaxLegal>& out) const {
    for (senet::Action action = 0; action < std::min(left, 3u); ++action) out.push_back(action);
  }
  void play(senet::Action action) { left -= action + 1u; mover = 1 - mover; }
  std::uint8_t outcome() const { return mover == 1 ? 0 : 2; }
  senet::FeatureBits<kFeatures> feature_bits() const {  // those below left, and the last one
    return {left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0},
            (left > 64 ? (std::uint64_t{1} << (left - 64)) - 1 : 0) | 4};
  }
};

const senet_game_library senet_exported_game = senet::api::game_library<Countdown>();
"""


def test_a_set_whose_last_word_is_not_full(tmp_path):
    compiler = shutil.which("c++")
    if compiler is None or not (ROOT / "games/include").exists():
        pytest.skip("no compiler, or no headers")
    (tmp_path / "countdown.cpp").write_text(COUNTDOWN)
    build(compiler, "c++20", tmp_path / "countdown.cpp", tmp_path / "countdown.so")
    env = senet.VecEnv(senet.load_game(tmp_path / "countdown.so"), 20, seed=3)
    obs = env.reset()[0]
    for _ in range(60):
        for row, text in zip(obs, env.texts()):
            left = int.from_bytes(bytes.fromhex(text[:8]), "little")
            np.testing.assert_array_equal(row, [i < left or i == 66 for i in range(67)])
        obs = env.step(env.sample())[0]


def test_searches_of_a_shared_object(pig):
    state = senet.State(pig)
    for action in (1, 5):  # throws a six
        state.play(action)
    network = senet.Network.untrained({"game": pig, "features": 44, "policy_logits": 2, "outcomes": 2,
                                       "width": 16, "blocks": 0, "policy_head": 0})
    for evaluator in (None, network, lambda obs, mask: network(obs)):
        visits, values, policy = senet.search([state], evaluator, 100)
        assert visits.shape == (1, 2) and policy.sum() == pytest.approx(1) and abs(values[0]) <= 1


def test_records_of_a_shared_object(pig, pig_object, tmp_path):
    run = senet.Run(tmp_path / "run")
    try:
        run.start(pig, game_library=pig_object, games=20, no_train=True, workers=1, quiet=True)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert run.wait(60) == 0
    data = run.records().read(features="dense", policy="none", text=True)
    assert len(np.unique(data["game_number"])) == 20 and data["target"].shape[1] == 2
    state = senet.State(pig, data["text"][5])
    np.testing.assert_array_equal(state.features(), data["features"][5])
    assert run.network().game == pig


def test_objects_that_are_refused(pig, pig_object, tmp_path):
    with pytest.raises(ValueError, match="pig"):
        senet.load_game(shutil.copy(pig_object, tmp_path / "again.so"))
    with pytest.raises(ValueError, match="missing"):
        senet.load_game(tmp_path / "missing.so")
    (tmp_path / "text.so").write_text("no object")
    with pytest.raises(ValueError, match="text.so"):
        senet.load_game(tmp_path / "text.so")
