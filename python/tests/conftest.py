"""Shared by the tests of the Python package."""

import pytest

import senet


@pytest.fixture(params=senet.games())
def game(request):
    """The name of each game."""
    return request.param


@pytest.fixture(params=[name for name in senet.games() if senet.Game(name).player_count == 2])
def game_of_two(request):
    """The name of each game of two players."""
    return request.param


@pytest.fixture(params=["dense", "sparse"])
def observation(request):
    """Both kinds of observations."""
    return request.param
