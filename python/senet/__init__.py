"""Senet: board games, batched environments and self-play on CPUs.

    env = senet.VecEnv("connect_four", 1024, seed=1)
    obs, mask, player = env.reset()
    obs, mask, player, reward, done = env.step(env.sample())
"""

from importlib.metadata import version as _version

from senet._core import Game, Network, Records, State, Turn, VecEnv, add_game, games, load_game, search
from senet.matches import Match, match
from senet.run import Run

__all__ = [
    "Game",
    "Match",
    "Network",
    "Records",
    "Run",
    "State",
    "Turn",
    "VecEnv",
    "add_game",
    "games",
    "load_game",
    "match",
    "records",
    "search",
]
__version__ = _version("senet")


def records(file, **options):
    """The training samples of a record log: Records(file).read(**options)."""
    return Records(file).read(**options)
