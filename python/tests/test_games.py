"""senet.Game and senet.State."""

import copy
import pickle

import numpy as np
import pytest

import senet

# The counts of tests/games/.
PERFT = {
    "tic_tac_toe": [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    "connect_four": [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234],
    "cube2": [9**depth for depth in range(8)],  # no position of the start's distance is passed
}
START_WITHOUT_OPENING = "4HPwATDgc/ABMA:0:-"


def test_the_list_of_games():
    # Other tests add games.
    assert senet.games()[:4] == ["tic_tac_toe", "connect_four", "backgammon", "cube2"]
    with pytest.raises(ValueError, match="known games: .*connect_four"):
        senet.Game("chess")


@pytest.mark.parametrize("name", PERFT)
def test_perft(name):
    counts = [senet.Game(name).perft(depth) for depth in range(len(PERFT[name]))]
    assert counts == PERFT[name]


def test_perft_with_dice():
    game = senet.Game("backgammon")
    # Plays of each roll of the start: tests/games/backgammon_perft_test.cpp.
    plays = [15, 16, 17, 14, 18, 17, 8, 8, 9, 9, 10, 14, 14, 14, 7, 42, 75, 73, 52, 4, 11]
    assert game.perft(1, START_WITHOUT_OPENING) == sum(plays)
    weighted = 2 * sum(plays[:15]) + sum(plays[15:])
    assert game.perft(1, START_WITHOUT_OPENING, by_chance=True) == weighted
    state = game.state(START_WITHOUT_OPENING)
    for roll, count in enumerate(plays):
        rolled = state.copy()
        rolled.play(roll)
        assert len(rolled.legal()) == count == game.perft(1, rolled.text)


def test_perft_refuses():
    game = senet.Game("connect_four")
    with pytest.raises(ValueError, match="depth"):
        game.perft(-1)
    with pytest.raises(ValueError, match="connect_four position"):
        game.perft(1, "no position")


def test_numbers_of_games():
    game = senet.Game("backgammon")
    assert (game.name, game.features, game.most_legal, game.most_chance) == ("backgammon", 426, 3060, 21)
    assert game.has_dice and game.has_afterstates and game.value_range == 3
    assert game.outcome_values == (1, 2, 3, -1, -2, -3) and game.outcome_mirror == (3, 4, 5, 0, 1, 2)
    game = senet.Game("connect_four")
    assert (game.features, game.policy_logits, game.most_legal, game.most_chance) == (347, 7, 7, 0)
    assert game.start == "7/7/7/7/7/7" and not game.has_dice
    assert game == senet.Game("connect_four") != senet.Game("tic_tac_toe")
    assert len({game, senet.Game("connect_four")}) == 1
    assert pickle.loads(pickle.dumps(game)) == game


def test_one_player():
    game = senet.Game("cube2")
    assert game.player_count == 1 and senet.Game("backgammon").player_count == 2
    assert game.outcome_values == tuple(-moves for moves in range(16))
    assert game.outcome_mirror == tuple(range(16)) and game.value_range == 15
    state = game.state("R U")
    for text in ("U'", "R'"):
        assert state.player == 0 and not state.is_over
        state.play(state.action_from_text(text))
    assert state.is_over and state.outcome == 0 and state.value(0) == 0


def test_a_walk_through_a_game():
    state = senet.State("connect_four")
    assert state.turn == senet.Turn.PLAYER_0 and state.outcome is None and not state.is_over
    for column in (3, 2, 3, 2, 3, 2):
        assert column in state.legal()
        state.play(column)
    assert state.player == 0 and state.text == "7/7/7/2OX3/2OX3/2OX3"
    assert state.action_text(3) == "4" and state.action_from_text("4") == 3
    before = state.copy()
    state.play(3)
    assert state.is_over and state.turn == senet.Turn.OVER and state.legal() == []
    assert state.outcome == 0 and state.value(0) == 1 and state.value(1) == -1
    assert not before.is_over and before != state
    for finished in (state.features, state.sparse_features):
        with pytest.raises(ValueError, match="finished"):
            finished()
    with pytest.raises(ValueError, match="not ended"):
        before.value(0)


def test_states_with_dice():
    state = senet.State("backgammon")
    assert state.turn == senet.Turn.CHANCE and state.legal() == []
    assert state.chances() == pytest.approx([1 / 15] * 15)
    for roll in (-1, 15, 70000):
        with pytest.raises(ValueError, match=f"action {roll} is not legal"):
            state.play(roll)
    state.play(3)
    assert state.turn == senet.Turn.PLAYER_0 and state.chances() == []
    with pytest.raises(ValueError, match="not legal"):
        state.play(65535)


def test_features_agree(game):
    state = senet.State(game)
    random = np.random.default_rng(5)
    for _ in range(40):
        if state.is_over:
            break
        dense, (indices, values) = state.features(), state.sparse_features()
        assert dense.dtype == values.dtype == np.float32 and indices.dtype == np.uint16
        assert dense.shape == (senet.Game(game).features,) and len(indices) > 0
        assert len(set(indices.tolist())) == len(indices)
        expected = np.zeros_like(dense)
        expected[indices] = values
        assert np.array_equal(dense, expected)
        state.play(int(random.choice(state.legal() or len(state.chances()))))


def test_copies_and_keys(game):
    state = senet.State(game)
    same = [pickle.loads(pickle.dumps(state)), copy.deepcopy(state), senet.State(game, state.text)]
    assert all(other == state and other.key == state.key for other in same)
    with pytest.raises(TypeError):  # play() changes a state
        hash(state)
    if state.turn == senet.Turn.CHANCE:
        state.play(0)
    state.play(state.legal()[0])
    assert all(other != state and other.key != state.key for other in same)
    assert eval(repr(state), {"senet": senet}) == state
    with pytest.raises(ValueError):
        senet.State(game, "no position")
