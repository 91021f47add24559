"""The adapters to Gymnasium and PettingZoo."""

import warnings

import numpy as np
import pytest

import senet


@pytest.fixture
def gym():
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    from senet import gymnasium as adapter
    return adapter


def random_columns(mask, random):
    return np.argmax(random.random(mask.shape) * mask, axis=1)


def test_single_agent_env_passes_gymnasiums_check(gym, game):
    from gymnasium.utils.env_checker import check_env
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(spec|np_random|infinity|unit tests).*")
        check_env(gym.Env(game, illegal="random", render_mode="ansi"))


def test_single_agent_env_plays_both_sides(gym, game_of_two):
    env = gym.Env(game_of_two)
    random = np.random.default_rng(1)
    players, rewards = [], []
    for episode in range(30):
        obs, info = env.reset(seed=4 if episode == 0 else None)
        players.append(info["player"])
        over = False
        while not over:
            assert obs.any() and info["action_mask"].any()
            obs, reward, over, truncated, info = env.step(random.choice(np.flatnonzero(info["action_mask"])))
            assert not truncated and (over or reward == 0)
        rewards.append(reward)
        assert not obs.any() and not info["action_mask"].any()
    assert players == [0, 1] * 15
    values = set(rewards)
    assert min(values) < 0 < max(values) and values <= set(senet.Game(game_of_two).outcome_values)
    import gymnasium
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_single_agent_env_refuses_illegal_columns(gym):
    env = gym.Env("tic_tac_toe")
    env.reset(seed=1)
    env.step(4)
    with pytest.raises(ValueError, match="action 4 is not legal"):
        env.step(4)
    with pytest.raises(ValueError, match="illegal"):
        gym.Env("tic_tac_toe", illegal="lose")


def test_vector_env_is_senets(gym, game):
    env = gym.VectorEnv(game, 50)
    twin = senet.VecEnv(game, 50)
    obs, info = env.reset(seed=3)
    twin.reset(seed=3)
    assert env.observation_space.shape == obs.shape and env.observation_space.contains(obs)
    for _ in range(60):
        assert np.array_equal(obs, twin.obs) and np.array_equal(info["action_mask"], twin.mask)
        assert np.array_equal(info["player"], twin.player)
        columns = twin.sample()
        assert env.action_space.contains(columns.astype(env.action_space.dtype))
        obs, reward, done, truncated, info = env.step(columns)
        twin.step(columns)
        assert np.array_equal(reward, twin.reward) and np.array_equal(done, twin.done)
        assert not truncated.any()
    assert env.render_mode is None and len(env.render()) == 50


def test_vector_env_against_an_opponent(gym):
    # The opponent plays the first legal column, the agent the last one: the player who begins wins.
    def first(obs, mask):
        return np.argmax(mask, axis=1)

    env = gym.VectorEnv("connect_four", 4, opponent=first)
    _, info = env.reset(seed=1)
    results = []
    for _ in range(60):
        last = 6 - np.argmax(info["action_mask"][:, ::-1], axis=1)
        _, reward, done, _, info = env.step(last)
        assert np.all(reward[~done] == 0)
        results += reward[done].tolist()
    assert set(results) == {1.0, -1.0} and len(results) > 20


def test_one_player_pays_for_each_move(gym, zoo):
    for made in (gym.Env("cube2", starts="scrambles", scramble_moves=1),
                 gym.VectorEnv("cube2", 1, starts="scrambles", scramble_moves=1)):
        made.reset(seed=1)
        states = [made.env.state(0) for _ in range(9)]
        for action, state in enumerate(states):
            state.play(action)
        assert any(state.is_over for state in states)
    env = gym.Env("cube2")
    obs, info = env.reset(seed=1)
    rewards, over = [], False
    while not over:
        assert obs.any() and info["action_mask"].all() and info["player"] == 0
        obs, reward, over, _, info = env.step(0)
        rewards.append(reward)
    assert rewards == [-1] * 40
    for make in (gym.Env, lambda game, opponent: gym.VectorEnv(game, 2, opponent)):
        with pytest.raises(ValueError, match="cube2 is a game of one player"):
            make("cube2", gym.random_player())
    alone = zoo.AECEnv("cube2")
    alone.reset(seed=1)
    assert alone.agents == ["player_0"]
    alone.step(3)
    assert alone.rewards == {"player_0": -1} and not alone.terminations["player_0"]
    for _ in range(39):
        alone.step(0)
    assert alone.rewards == {"player_0": -1} and alone.terminations["player_0"]


def test_vector_env_against_random_play_is_fair(gym, game_of_two):
    env = gym.VectorEnv(game_of_two, 200, opponent=gym.random_player(5))
    random = np.random.default_rng(6)
    _, info = env.reset(seed=1)
    players, results = [], []
    for _ in range(150):
        players.append(info["player"].mean())
        _, reward, done, _, info = env.step(random_columns(info["action_mask"], random))
        results += reward[done].tolist()
    assert len(results) > 200
    error = np.std(results) / np.sqrt(len(results))
    assert abs(np.mean(results)) < 5 * error
    # The agent plays both sides.
    assert 0.2 < np.mean(players[-50:]) < 0.8


def test_gymnasiums_wrappers_take_the_vector_env(gym):
    from gymnasium.wrappers.vector import RecordEpisodeStatistics
    env = RecordEpisodeStatistics(gym.VectorEnv("tic_tac_toe", 10, opponent=gym.random_player(2)))
    random = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    episodes = 0
    for _ in range(30):
        _, reward, done, _, info = env.step(random_columns(info["action_mask"], random))
        if done.any():
            assert np.array_equal(info["episode"]["r"][done], reward[done])
            episodes += done.sum()
    assert episodes > 50


@pytest.fixture
def zoo():
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    from senet import pettingzoo as adapter
    return adapter


def test_pettingzoos_tests(zoo, game, capsys):
    from pettingzoo.test import api_test, seed_test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names of spaces
        api_test(zoo.AECEnv(game), num_cycles=200)
        seed_test(lambda: zoo.AECEnv(game), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


def test_pettingzoo_game(zoo):
    env = zoo.AECEnv("connect_four", render_mode="ansi")
    env.reset(seed=1)
    for column in (3, 2, 3, 2, 3, 2):
        observation, reward, over, _, _ = env.last()
        assert observation["action_mask"].all() and not over and reward == 0
        assert observation["observation"].any()
        env.step(column)
    assert "X" in env.render()
    assert not env.observe("player_1")["action_mask"].any()
    env.step(3)
    assert env.rewards == {"player_0": 1, "player_1": -1} and all(env.terminations.values())
    with pytest.raises(ValueError, match="None"):
        env.step(1)
    env.step(None)
    env.step(None)
    assert not env.agents
    env.reset()
    with pytest.raises(ValueError, match="action 9"):
        env.step(9)
