"""A PettingZoo environment (AEC): `pip install senet[pettingzoo]`.

    from senet.pettingzoo import AECEnv
    env = AECEnv("backgammon")
"""

import gymnasium
import numpy as np
import pettingzoo
from gymnasium.spaces import Box, Dict, Discrete

import senet

__all__ = ["AECEnv"]


class AECEnv(pettingzoo.AECEnv):
    """A game between "player_0" and "player_1".

    Observations are dictionaries:
        observation  [features] f32  the position from the agent's view at its latest turn; 0 before
                                     its first turn and after the end
        action_mask  [columns] i8    the legal columns; all 0 unless it is the agent's turn

    Actions are columns, as in senet.VecEnv. Rewards are points, at the
    end of the game; in a game of one player, whose only agent is player_0, -1 for each move.

    Args:
        game: one of senet.games().

    Raises:
        ValueError: unknown game, or in step(): a column that is not legal.
    """

    metadata = {"render_modes": ["ansi"], "is_parallelizable": False, "name": "senet_v0"}

    def __init__(self, game, render_mode=None):
        super().__init__()
        self.env = senet.VecEnv(game, 1)
        self.metadata = dict(self.metadata, name=f"{game}_v0")
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"][:self.env.game.player_count]
        self.agents = []
        self._observation_spaces = {
            agent: Dict({"observation": Box(-np.inf, np.inf, (self.env.features,), np.float32),
                         "action_mask": Box(0, 1, (self.env.columns,), np.int8)})
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: Discrete(self.env.columns) for agent in self.possible_agents
        }

    def observation_space(self, agent):
        """The space of a dictionary as above."""
        return self._observation_spaces[agent]

    def action_space(self, agent):
        """The columns."""
        return self._action_spaces[agent]

    def reset(self, seed=None, options=None):
        """Starts a game, the first one of the seed if it is given."""
        self.env.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._seen = {agent: np.zeros(self.env.features, np.float32) for agent in self.agents}
        self._begin_turn()

    def observe(self, agent):
        """The agent's dictionary, new arrays."""
        mask = np.zeros(self.env.columns, np.int8)
        if agent == self.agent_selection and not self.terminations[agent]:
            mask = self.env.mask[0].astype(np.int8)
        return {"observation": self._seen[agent].copy(), "action_mask": mask}

    def step(self, action):
        """Plays a column for the agent whose turn it is. After the end the action must be None."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        over = self.env.step(np.array([action]))[4][0]
        if len(self.possible_agents) == 1:
            self.rewards["player_0"] = float(self.env.reward[0])
        if over:
            self._end()
        else:
            self._begin_turn()
        self._accumulate_rewards()

    def render(self):
        """The board as text."""
        if self.render_mode is None:
            gymnasium.logger.warn("render_mode is None: pass render_mode=\"ansi\"")
            return None
        return "\n".join(self.env.state(0).drawing())

    def close(self):
        """Nothing to free."""

    def _begin_turn(self):
        self.agent_selection = self.possible_agents[self.env.player[0]]
        self._seen[self.agent_selection] = self.env.obs[0].copy()

    def _end(self):
        game, outcome = self.env.game, self.env.outcome[0]
        if len(self.possible_agents) == 2:
            self.rewards["player_0"] = game.outcome_values[outcome]
            self.rewards["player_1"] = game.outcome_values[game.outcome_mirror[outcome]]
        for agent in self.agents:
            self.terminations[agent] = True
            self._seen[agent] = np.zeros(self.env.features, np.float32)
        self.agent_selection = self.possible_agents[self.possible_agents.index(self.agent_selection) - 1]
