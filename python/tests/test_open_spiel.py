"""The same games as OpenSpiel's."""

import numpy as np
import pytest

import senet

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe"])
def test_a_thousand_games(name):
    n = 1000
    env = senet.VecEnv(name, n, seed=11)
    game = pyspiel.load_game(name)
    others = [game.new_initial_state() for _ in range(n)]
    # tic_tac_toe counts its rows from the top there, and from the bottom here.
    cells = np.arange(9).reshape(3, 3)[::-1].ravel() if name == "tic_tac_toe" else np.arange(7)
    _, mask, player = env.reset()
    left = set(range(n))
    for _ in range(50):
        for i in left:
            assert others[i].current_player() == player[i]
            assert others[i].legal_actions() == sorted(cells[np.flatnonzero(mask[i])])
        columns = env.sample().copy()
        _, _, _, reward, done = env.step(columns)
        for i in list(left):
            mover = others[i].current_player()
            others[i].apply_action(int(cells[columns[i]]))
            assert others[i].is_terminal() == done[i]
            if done[i]:
                assert others[i].returns()[mover] == reward[i]
                assert others[i].returns()[0] == env.game.outcome_values[env.outcome[i]]
                left.remove(i)
    assert not left
