"""Gymnasium environments: `pip install senet[gymnasium]`.

    from senet.gymnasium import VectorEnv
    env = VectorEnv("connect_four", 1024)                         # both players are the agent
    env = VectorEnv("connect_four", 1024, opponent=random_player(1))  # the agent against another

Actions are columns, as in senet.VecEnv. `info["action_mask"]` has the legal ones.
"""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

import senet

__all__ = ["Env", "VectorEnv", "random_player"]


def random_player(seed=0):
    """An opponent that plays uniformly random legal columns, reproducible from its seed."""
    random = np.random.default_rng(seed)

    def choose(obs, mask):
        """The columns [n] with the highest of n random numbers among the legal ones."""
        return np.argmax(random.random(mask.shape) * mask, axis=1)

    return choose


def _spaces(env):
    """The spaces of one game: observation and action."""
    return (Box(-np.inf, np.inf, (env.features,), np.float32), Discrete(env.columns))


def _check_opponent(env, opponent):
    """Refuses one where there is a single player."""
    if opponent is not None and env.game.player_count == 1:
        raise ValueError(f"{env.game.name} is a game of one player: it has no opponent")


def _values(env):
    """[2, outcomes] f32: what each outcome from player 0's view is worth to each player."""
    values = np.array(env.game.outcome_values, np.float32)
    return np.stack([values, values[list(env.game.outcome_mirror)]])


class VectorEnv(gymnasium.vector.VectorEnv):
    """senet.VecEnv as a Gymnasium vector environment.

    Observations are [n, features] f32 from the view of the player to move. A step that ends a game
    sets `terminations` and its reward; the observation in that row is the first of the next game
    (AutoresetMode.SAME_STEP). There is no observation of the finished position. Arrays are copies,
    except with copy=False.

    Without an opponent, every step is a move of the player whose turn it is, and the reward is that
    of this player. With an opponent, every step is a move of the agent and the opponent's reply,
    and observations and rewards are the agent's. When a game ends, the other one of the two begins
    the next game in that row, so the agent plays both sides. Players must take turns one move at a
    time.

    `info`, all arrays [n, ...]:
        action_mask  [n, columns] bool  the legal columns
        player       [n] i8             which player of the game is to move, 0 or 1

    Args:
        game: one of senet.games().
        num_envs: number of games.
        opponent: a function of (obs, mask) that returns n legal columns.
        threads, copy, starts, scramble_moves: as in senet.VecEnv.

    Raises:
        ValueError: unknown game, a number out of range, or in step(): a column that is not legal.
    """

    metadata = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, game, num_envs, opponent=None, *, threads=1, copy=True, starts="game",
                 scramble_moves=20, render_mode=None):
        self.env = senet.VecEnv(game, num_envs, threads=threads, copy=copy, starts=starts,
                                scramble_moves=scramble_moves)
        _check_opponent(self.env, opponent)
        self.num_envs = num_envs
        self.opponent = opponent
        self.render_mode = render_mode
        self.single_observation_space, self.single_action_space = _spaces(self.env)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._values = _values(self.env)

    def reset(self, *, seed=None, options=None):
        """Starts new games. Returns (obs, info). The agent begins all of them."""
        super().reset(seed=seed)
        obs, mask, player = self.env.reset(seed)
        return obs, {"action_mask": mask, "player": player}

    def step(self, actions):
        """Plays [n] columns. Returns (obs, reward, terminations, truncations, info)."""
        before = self.env.player.copy()
        obs, mask, player, reward, done = self.env.step(actions)
        if self.opponent is not None:
            # The values of games that end in the reply, for the player who has just moved.
            if np.any(~done & (player == before)):
                raise NotImplementedError("a player moved twice in a row")
            reward, done, agent = reward.copy(), done.copy(), 1 - player
            obs, mask, player, _, over = self.env.step(self.opponent(obs, mask))
            if not np.array_equal(player, np.where(over, player, agent)):
                raise NotImplementedError("a player moved twice in a row")
            reward[over] += self._values[agent[over], self.env.outcome[over]]
            done |= over
        truncated = np.zeros(self.num_envs, bool)
        return obs, reward, done, truncated, {"action_mask": mask, "player": player}

    def render(self):
        """The boards as text, a string for each game."""
        return tuple("\n".join(self.env.state(i).drawing()) for i in range(self.num_envs))


class Env(gymnasium.Env):
    """One game of an agent against an opponent, as a Gymnasium environment.

    The agent begins every second game. The reward is 0 until the game ends, then the agent's
    points; in a game of one player, without an opponent, -1 for each move. The observation of a
    finished game is all zeros. `info["action_mask"]` [columns] i8 has the legal columns;
    `info["player"]` is which player of the game the agent is.

    Args:
        game: one of senet.games().
        opponent: a function of (obs, mask), [1, features] and [1, columns], that returns [1] legal
            columns. Default: random_player().
        illegal: what an illegal column does: "raise" a ValueError, or "random", which plays a
            random legal column in its place.
        starts, scramble_moves: as in senet.VecEnv.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, game, opponent=None, *, illegal="raise", starts="game", scramble_moves=20,
                 render_mode=None):
        if illegal not in ("raise", "random"):
            raise ValueError('illegal must be "raise" or "random"')
        self.env = senet.VecEnv(game, 1, starts=starts, scramble_moves=scramble_moves)
        _check_opponent(self.env, opponent)
        self._is_random = opponent is None
        self.opponent = random_player() if opponent is None else opponent
        self.illegal = illegal
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.env)
        self._values = _values(self.env)
        self._games = 0
        self._agent = 0
        self._is_over = True

    def reset(self, *, seed=None, options=None):
        """Starts a game, where the opponent may have made the first move. Returns (obs, info)."""
        super().reset(seed=seed)
        if seed is not None:
            self._games = 0
        if seed is not None and self._is_random:
            self.opponent = random_player(seed)
        self.env.reset(seed)
        self._agent = self._games % self.env.game.player_count
        self._games += 1
        self._is_over = False
        self._reply()
        return self._obs(), self._info()

    def step(self, action):
        """Plays a column, then the opponent's moves. Returns (obs, reward, terminated, False, info)."""
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the game has ended: call reset()")
        if self.illegal == "random" and not self.env.mask[0, action]:
            action = self.np_random.choice(np.flatnonzero(self.env.mask[0]))
        self._play(np.array([action]))
        self._reply()
        reward = float(self._values[self._agent, self.env.outcome[0]]) if self._is_over else 0.0
        if self.env.game.player_count == 1:
            reward = float(self.env.reward[0])
        return self._obs(), reward, self._is_over, False, self._info()

    def render(self):
        """The board as text."""
        return "\n".join(self.env.state(0).drawing())

    def _play(self, columns):
        self._is_over = bool(self.env.step(columns)[4][0])

    def _reply(self):
        while not self._is_over and self.env.player[0] != self._agent:
            self._play(self.opponent(self.env.obs, self.env.mask))

    def _obs(self):
        return np.zeros(self.env.features, np.float32) if self._is_over else self.env.obs[0].copy()

    def _info(self):
        mask = np.zeros(self.env.columns, np.int8) if self._is_over else self.env.mask[0].astype(np.int8)
        return {"action_mask": mask, "player": self._agent}
