"""Senet: board games, batched environments and self-play on CPUs.

    env = senet.VecEnv("connect_four", 1024, seed=1)
    obs, mask, player = env.reset()
    obs, mask, player, reward, done = env.step(env.sample())
"""

from importlib.metadata import version as _version

from senet._core import Game, State, Turn, VecEnv, games

__all__ = ["Game", "State", "Turn", "VecEnv", "games"]
__version__ = _version("senet")
