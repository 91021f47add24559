"""senet.match()."""

import numpy as np
import pytest

import senet
from senet.matches import _DICE, _OPENINGS, _SEARCHES, _opening, _roll, _stream


def test_a_player_draws_with_itself(game_of_two):
    """The same moves and dice with sides swapped: each pair is a draw, whatever the games are."""
    match = senet.match(game_of_two, None, None, games=20, visits=8, random_plies=2)
    assert match.results.shape == (20,) and match.results.dtype == np.float32
    assert match.score == 0.5 and match.error == 0 and match.results.any()
    np.testing.assert_array_equal(match.results[::2], -match.results[1::2])
    again = senet.match(game_of_two, None, None, games=20, visits=8, random_plies=2, threads=1, lanes=3)
    np.testing.assert_array_equal(again.results, match.results)
    other = senet.match(game_of_two, None, None, games=20, visits=8, random_plies=2, seed=2)
    assert not np.array_equal(other.results, match.results)
    assert repr(match) == "<score 0.500 +- 0.000 in 20 games>"


def test_one_player_has_no_matches():
    with pytest.raises(ValueError, match="cube2 is a game of one player"):
        senet.match("cube2", None, None, games=2)


def test_the_stronger_side_wins():
    network = senet.Network.builtin("connect_four")

    def blind(obs, mask):
        return np.zeros(mask.shape), np.full((len(obs), 3), 1 / 3)

    match = senet.match("connect_four", network, blind, games=40, visits=20)
    assert match.score > 0.8 and 0 < match.error < 0.1
    back = senet.match("connect_four", blind, network, games=40, visits=20)
    assert back.score < 0.2
    assert set(np.unique(match.results)) <= {-1, 0, 1}


def test_values_of_backgammon_are_points():
    network = senet.Network.builtin("backgammon")
    match = senet.match("backgammon", network, None, games=20, visits=2)
    assert np.abs(match.results).max() <= 3 and match.results.sum() > 0


def test_the_dice_are_not_those_of_the_opening():
    """Streams of different purposes differ, and those of different pairs."""
    first = [_stream(1, pair, purpose).integers(2**32)
             for pair in range(50) for purpose in (_OPENINGS, _DICE, _SEARCHES)]
    assert len(set(first)) == len(first)
    rolls = {}
    for seed in range(30):
        opening = _opening("backgammon", 1, _stream(seed, 0, _OPENINGS))[0]
        state = opening.copy()
        state.play(state.legal()[0])
        _roll(state, _stream(seed, 0, _DICE))
        rolls[seed] = (opening.text.split(":")[-1], state.text.split(":")[-1])
    assert sum(a == b for a, b in rolls.values()) < 10


def test_noise_depends_on_the_seed():
    matches = [senet.match("connect_four", None, None, games=20, visits=8, noise=True, seed=seed)
               for seed in (1, 1, 2)]
    np.testing.assert_array_equal(matches[0].results, matches[1].results)
    assert not np.array_equal(matches[0].results, matches[2].results)


def test_wrong_arguments():
    for games in (0, 3, -2):
        with pytest.raises(ValueError, match="even number"):
            senet.match("tic_tac_toe", None, None, games=games)
    with pytest.raises(ValueError, match="within 50 random moves"):
        senet.match("tic_tac_toe", None, None, games=2, random_plies=50)
    with pytest.raises(ValueError, match="go"):
        senet.match("go", None, None)
