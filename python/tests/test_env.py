"""senet.VecEnv."""

import copy
import gc
import pickle
import threading

import numpy as np
import pytest

import senet


def play(env, steps):
    """What `steps` random moves return, as copies."""
    return [tuple(np.copy(part) for part in env.step(env.sample())) for _ in range(steps)]


def equal(first, second):
    """Whether two lists of rows of arrays are equal."""
    return len(first) == len(second) and all(
        len(one) == len(two) and all(map(np.array_equal, one, two)) for one, two in zip(first, second))


def expected_rows(env):
    """obs, mask, player and legal of the environment, computed one position at a time."""
    game = env.game
    obs = np.zeros((env.n, game.features), np.float32)
    mask = np.zeros((env.n, env.columns), bool)
    player = np.zeros(env.n, np.int8)
    legal = np.full((env.n, game.most_legal), 0xFFFF, np.uint16)
    for i in range(env.n):
        state = env.state(i)
        assert state.turn in (senet.Turn.PLAYER_0, senet.Turn.PLAYER_1)
        actions = state.legal()
        obs[i], player[i], legal[i, :len(actions)] = state.features(), state.player, actions
        mask[i, actions if env.columns_are_actions else range(len(actions))] = True
    return obs, mask, player, legal


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_agree_with_single_positions(game, threads):
    env = senet.VecEnv(game, 70, seed=3, threads=threads)
    env.reset()
    ended = 0
    for _ in range(60):
        obs, mask, player, legal = expected_rows(env)
        assert np.array_equal(env.obs, obs) and np.array_equal(env.mask, mask)
        assert np.array_equal(env.player, player) and np.array_equal(env.legal, legal)
        assert np.array_equal(env.legal_count, mask.sum(axis=1))
        before = [env.state(i) for i in range(env.n)]
        columns = env.sample().copy()
        _, _, _, reward, done = env.step(columns)
        for i, state in enumerate(before):
            state.play(int(columns[i] if env.columns_are_actions else legal[i, columns[i]]))
            assert state.is_over == done[i]
            assert env.outcome[i] == (state.outcome if state.is_over else -1)
            cost = -1 if env.game.player_count == 1 else 0  # of each move
            assert reward[i] == (state.value(player[i]) if state.is_over and not cost else cost)
            if not state.is_over and state.turn != senet.Turn.CHANCE:
                assert env.state(i) == state
        ended += done.sum()
    assert ended > 0 or game == "backgammon"


def test_sparse_rows(game):
    dense = senet.VecEnv(game, 50, seed=8)
    sparse = senet.VecEnv(game, 50, seed=8, observation="sparse")
    (obs, _, _), ((indices, values, count), _, _) = dense.reset(), sparse.reset()
    assert indices.dtype == np.uint16 and values.dtype == np.float32 and count.dtype == np.int32
    assert indices.shape == values.shape == (50, dense.game.most_active)
    for _ in range(60):
        used = np.arange(indices.shape[1]) < count[:, None]
        assert np.all(indices[used] < dense.features) and np.all(indices[~used] == dense.features)
        assert np.all(values[~used] == 0)
        padded = np.zeros((50, dense.features + 1), np.float32)
        np.put_along_axis(padded, indices.astype(np.int64), values, axis=1)
        assert np.array_equal(padded[:, :-1], obs)
        columns = dense.sample()
        assert np.array_equal(columns, sparse.sample())
        dense.step(columns)
        sparse.step(columns)


def test_games_are_played_to_their_ends():
    env = senet.VecEnv("backgammon", 20, seed=1)
    values = np.array(env.game.outcome_values)
    env.reset()
    outcomes = []
    for _ in range(400):
        mover = env.player.copy()
        _, _, player, reward, done = env.step(env.sample())
        outcomes += env.outcome[done].tolist()
        # Only the player who bears off the last checker ends a game.
        assert np.all(reward[done] >= 1) and np.all(reward[~done] == 0)
        assert np.array_equal(np.abs(values[env.outcome[done]]), reward[done])
        assert np.array_equal(values[env.outcome[done]] > 0, mover[done] == 0)
    assert {0, 3} <= set(outcomes) and len(outcomes) > 20


def test_the_same_games_for_any_threads(game, observation):
    envs = [senet.VecEnv(game, 300, seed=5, threads=t, observation=observation) for t in (1, 2, 3)]
    for env in envs:
        env.reset()
    for _ in range(80):
        results = []
        for env in envs:
            columns = env.sample().copy()
            obs, *rest = env.step(columns)
            obs = obs if isinstance(obs, tuple) else (obs,)
            results.append([columns, *obs, *rest, env.outcome, env.legal, env.legal_count])
        assert all(equal([results[0]], [other]) for other in results[1:])


def test_seeds():
    def games(seed, n=40):
        env = senet.VecEnv("backgammon", n, seed=seed)
        env.reset()
        return play(env, 30)

    assert equal(games(1), games(1))
    assert not equal(games(1), games(2))
    # A row does not depend on the number of rows.
    assert np.array_equal(games(1, 40)[-1][0], games(1, 80)[-1][0][:40])
    # Rows differ from each other.
    assert len(np.unique(games(1)[-1][0], axis=0)) == 40


def test_reset(game):
    env = senet.VecEnv(game, 30, seed=7)
    first = [np.copy(part) for part in env.reset()]
    moves = play(env, 20)
    again = senet.VecEnv(game, 30, seed=1)
    assert equal([first], [again.reset(seed=7)]) and again.seed == 7
    assert equal(moves, play(again, 20))
    following = env.reset()
    assert not env.done.any() and np.all(env.outcome == -1)
    if env.game.has_dice:
        assert not equal([first], [following])
    # Without a seed, the games continue where the environment was made.
    fresh = senet.VecEnv(game, 30, seed=7)
    assert equal(moves, play(fresh, 20))


def test_samples_are_uniform():
    env = senet.VecEnv("connect_four", 1000, seed=2)
    env.reset()
    draws = np.stack([env.sample().copy() for _ in range(70)])
    counts = np.bincount(draws.ravel(), minlength=7)
    # 70,000 draws from 7 columns: a standard deviation is 93.
    assert np.all(np.abs(counts - 10_000) < 5 * 93)
    # Neither rows nor calls repeat each other.
    assert len(np.unique(draws, axis=0)) == 70 and len(np.unique(draws, axis=1)[0]) == 1000


def test_no_copy(game):
    env = senet.VecEnv(game, 10)
    assert not np.shares_memory(env.obs, env.mask)
    reset = env.reset()
    step = env.step(env.sample())
    views = [env.obs, env.mask, env.player, env.reward, env.done]
    for mine, theirs in zip(step, views):
        assert np.shares_memory(mine, theirs)
    assert all(np.shares_memory(a, b) for a, b in zip(reset, step[:3]))
    assert env.step(env.sample()) is step


def test_copy(game, observation):
    env = senet.VecEnv(game, 10, copy=True, observation=observation)
    (obs, *rest), columns = env.reset(), env.sample()
    arrays = [*(obs if isinstance(obs, tuple) else [obs]), *rest, columns]
    before = [np.copy(array) for array in arrays]
    again = env.obs if isinstance(env.obs, tuple) else [env.obs]
    assert not any(np.shares_memory(a, b) for a in arrays for b in [*again, env.mask, env.player])
    for _ in range(5):
        env.step(env.sample())
    assert equal([before], [arrays])


def test_arrays_outlive_the_environment():
    env = senet.VecEnv("connect_four", 100)
    obs, mask, _ = env.reset()
    saved = obs.copy()
    del env
    gc.collect()
    others = [senet.VecEnv("connect_four", 100, seed=i) for i in range(5)]
    for other in others:
        play(other, 5)
    assert np.array_equal(obs, saved) and mask.all()


def test_types():
    env = senet.VecEnv("backgammon", 4)
    assert [a.dtype for a in (env.obs, env.mask, env.player, env.reward, env.done, env.outcome)] == [
        np.float32, bool, np.int8, np.float32, bool, np.int8]
    assert (env.legal.dtype, env.legal_count.dtype, env.sample().dtype) == (np.uint16, np.int32, np.int32)
    assert env.obs.shape == (4, 426) and env.mask.shape == env.legal.shape == (4, 3060)
    assert not env.columns_are_actions and senet.VecEnv("tic_tac_toe", 1).columns_are_actions
    assert len(env) == env.n == 4 and env.threads == 1 and not env.copy and env.observation == "dense"
    assert env.game == senet.Game("backgammon")
    assert env.obs.ctypes.data % 64 == 0  # as JAX wants it


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_all_integers_are_actions(dtype):
    env = senet.VecEnv("connect_four", 8)
    env.step(np.full(8, 4, dtype))
    assert env.texts() == ["7/7/7/7/7/4X2"] * 8
    strided = np.zeros((8, 3), dtype)
    strided[:, 1] = 6
    env.step(strided[:, 1])
    assert env.texts() == ["7/7/7/7/7/4X1O"] * 8
    env.step(np.arange(8)[::-1].astype(dtype) // 4)
    assert env.texts() == ["7/7/7/7/7/1X2X1O"] * 4 + ["7/7/7/7/7/X3X1O"] * 4


def test_lists_are_actions():
    env = senet.VecEnv("tic_tac_toe", 3)
    env.step([0, 4, 8])
    assert env.texts() == ["3/3/X2", "3/1X1/3", "2X/3/3"]


@pytest.mark.parametrize("game, column", [("connect_four", 7), ("connect_four", -1), ("tic_tac_toe", 4),
                                          ("backgammon", 3059), ("backgammon", 3060),
                                          ("connect_four", 2**32), ("connect_four", -(2**63))])
def test_illegal_actions_change_nothing(game, column):
    env = senet.VecEnv(game, 6, seed=4)
    env.reset()
    env.step([4] * 6 if env.columns_are_actions else [0] * 6)
    before = [env.texts(), *(np.copy(a) for a in (env.obs, env.mask, env.legal, env.states()))]
    columns = env.sample().astype(np.int64)
    columns[5] = column
    with pytest.raises(ValueError) as error:
        env.step(columns)
    text = str(error.value)
    assert "environment 5" in text and f"action {column} " in text and env.texts()[5] in text
    after = [env.texts(), env.obs, env.mask, env.legal, env.states()]
    assert before[0] == after[0] and equal([before[1:]], [after[1:]])


def test_bad_actions():
    env = senet.VecEnv("connect_four", 3)
    for bad in (np.zeros(4, int), np.zeros((3, 1), int), np.zeros((), int)):
        with pytest.raises(ValueError, match=r"shape \[3\], not \["):
            env.step(bad)
    for bad in (np.zeros(3), np.zeros(3, bool), np.zeros(3, complex)):
        with pytest.raises(TypeError, match="integers"):
            env.step(bad)
    with pytest.raises(Exception):
        env.step(None)
    assert env.texts() == [env.game.start] * 3


@pytest.mark.parametrize("arguments", [dict(n=0), dict(n=-1), dict(n=2**40), dict(threads=0), dict(threads=10**6),
                                       dict(observation="bits"), dict(game="chess")])
def test_bad_arguments(arguments):
    with pytest.raises(ValueError):
        senet.VecEnv(**{"game": "tic_tac_toe", "n": 1, **arguments})


def test_games_start_from_scrambles(tmp_path):
    """Another scramble in each row and in each game, for any number of threads, also after pickling."""
    env = senet.VecEnv("cube2", 200, seed=3, starts="scrambles", scramble_moves=2)
    # Nine positions are one move away, 54 two.
    first = env.texts()
    assert 40 < len(set(first)) <= 9 + 54
    near = senet.VecEnv("cube2", 200, seed=3, starts="scrambles", scramble_moves=1)
    assert len(set(near.texts())) == 9
    env.reset()
    env.reset()
    second = env.texts()
    assert second != first
    other = senet.VecEnv("cube2", 200, seed=3, threads=2, starts="scrambles", scramble_moves=2)
    assert other.texts() == first
    again = pickle.loads(pickle.dumps(env))
    for each in (env, again):
        while not each.step(each.sample())[4].any():
            pass
    assert env.texts() == again.texts()
    file = tmp_path / "starts"
    file.write_text("444\n4455\n")
    texts = senet.VecEnv("connect_four", 50, starts=f"file:{file}@3,game@1").texts()
    assert len(set(texts)) == 3


@pytest.mark.parametrize("game, starts, reason", [
    ("connect_four", "scrambles", "connect_four has no scrambles"),
    ("cube2", "hard", "hard positions come from the games of a run"),
    ("cube2", "solved", '"solved" is none of game, scrambles, hard, file:FILE'),
    ("cube2", "file:/nowhere", "/nowhere")])
def test_bad_starts(game, starts, reason):
    with pytest.raises(ValueError, match=reason):
        senet.VecEnv(game, 1, starts=starts)
    with pytest.raises(ValueError, match="scramble-moves"):
        senet.VecEnv("cube2", 1, starts="scrambles", scramble_moves=0)


def test_texts(game):
    env = senet.VecEnv(game, 25, seed=6)
    env.reset()
    play(env, 4)
    texts = env.texts()
    assert texts == [env.state(i).text for i in range(25)] and len(set(texts)) > 1
    other = senet.VecEnv(game, 25, seed=9)
    other.set_texts(texts)
    assert other.texts() == texts
    assert np.array_equal(other.obs, env.obs) and np.array_equal(other.mask, env.mask)
    assert np.array_equal(other.player, env.player)
    assert not other.done.any()


def test_bad_texts_change_nothing():
    env = senet.VecEnv("connect_four", 2)
    env.step([1, 2])
    texts = env.texts()
    over = "7/7/3X3/2OX3/2OX3/2OX3"
    for bad, reason in (([texts[0]], "1 texts for 2"), ([texts[0], "x"], "text 1: "), ([over, texts[0]], "text 0: .*ended")):
        with pytest.raises(ValueError, match=reason):
            env.set_texts(bad)
        assert env.texts() == texts


def test_texts_before_a_roll_are_rolled():
    env = senet.VecEnv("backgammon", 200, seed=1)
    env.set_texts(["4HPwATDgc/ABMA:0:-"] * 200)
    rolls = {text[-2:] for text in env.texts()}
    assert len(rolls) > 15 and all(roll.isdigit() for roll in rolls)


def test_states_continue_the_same_games(game):
    env = senet.VecEnv(game, 40, seed=6)
    play(env, 30)
    states = env.states()
    assert states.dtype == np.uint8 and states.shape[0] == 40 and not np.shares_memory(states, env.states())
    other = senet.VecEnv(game, 40, seed=6, threads=2)
    other.set_states(states)
    assert np.array_equal(other.states(), states) and other.texts() == env.texts()
    for _ in range(60):
        columns = env.sample()
        assert equal([env.step(columns)], [other.step(columns)])
    other.set_states(np.asfortranarray(states))
    assert np.array_equal(other.states(), states)


def test_only_states_are_accepted(game):
    env = senet.VecEnv(game, 5, seed=6)
    play(env, 3)
    states = env.states()
    for row, byte in [(0, 0), (1, 7), (2, 8), (3, 12), (4, 16), (4, states.shape[1] - 1)]:
        changed = states.copy()
        changed[row, byte] ^= 1
        with pytest.raises(ValueError, match=f"row {row} is not one that states"):
            env.set_states(changed)
    with pytest.raises(ValueError, match="row 0"):
        env.set_states(np.zeros_like(states))
    for bad in (states[:4], states[:, 1:], states[0]):
        with pytest.raises(ValueError, match="shape"):
            env.set_states(bad)
    with pytest.raises(TypeError, match="uint8"):
        env.set_states(states.astype(np.int32))
    assert np.array_equal(env.states(), states)


@pytest.mark.parametrize("make", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_pickles_continue_the_same_games(game, observation, make):
    env = senet.VecEnv(game, 33, seed=12, threads=2, observation=observation, copy=True)
    for steps in (0, 25):
        play(env, steps) if observation == "dense" else [env.step(env.sample()) for _ in range(steps)]
        other = make(env)
        assert (other.n, other.seed, other.threads, other.copy, other.observation) == (33, 12, 2, True, observation)
        assert other.texts() == env.texts()
        for _ in range(40):
            columns = env.sample()
            assert np.array_equal(columns, other.sample())
            mine, theirs = env.step(columns), other.step(columns)
            assert equal([mine[1:]], [theirs[1:]])
            assert np.array_equal(env.legal, other.legal)
        assert equal([env.reset()[1:]], [other.reset()[1:]])


def test_one_call_at_a_time():
    env = senet.VecEnv("backgammon", 20_000)
    columns = env.sample().copy()
    messages = []

    def steps():
        for _ in range(20):
            try:
                env.step(np.zeros_like(columns))
            except RuntimeError as error:
                messages.append(str(error))

    threads = [threading.Thread(target=steps) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # step() released the interpreter lock, so that the threads met.
    assert messages and set(messages) == {"another call is using this object"}
    env.step(env.sample())


def test_action_text():
    env = senet.VecEnv("connect_four", 2)
    assert env.action_text(1, 3) == "4" and env.action_text(-1, 6) == "7"
    with pytest.raises(ValueError, match="not legal"):
        env.action_text(0, 7)
    for row in (2, -3):
        with pytest.raises(IndexError):
            env.action_text(row, 0)
    env = senet.VecEnv("backgammon", 2)
    text = env.action_text(1, env.legal[1, 0])
    assert env.state(1).action_from_text(text) == env.legal[1, 0]


def test_states_are_independent():
    env = senet.VecEnv("connect_four", 1)
    state = env.state(0)
    state.play(0)
    assert env.texts() == [env.game.start]


def resident_kib():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def test_memory_stays_flat(game, observation):
    env = senet.VecEnv(game, 256, seed=1, threads=2, observation=observation)

    def steps(count):
        for _ in range(count):
            env.step(env.sample())

    steps(200)
    gc.collect()
    before = resident_kib()
    steps(2000)
    assert resident_kib() - before < 1024


def test_environments_are_freed():
    def make():
        env = senet.VecEnv("backgammon", 256)
        env.step(env.sample())

    make()
    gc.collect()
    before = resident_kib()
    for _ in range(50):
        make()
    # Each one has more than 2 MiB of arrays.
    assert resident_kib() - before < 20 * 1024
