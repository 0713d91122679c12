"""What is seen of one state."""

import starscout
from starscout.environments.batch import action_count, action_mask, board_view, legal_actions


def test_othello_by_hand() -> None:
    state = starscout.start("othello")
    assert action_count(state.game) == 65
    # Black plays d3, c4, f5 or e6: squares 19, 26, 37, 44.
    assert sorted(legal_actions(state)) == [19, 26, 37, 44]
    assert action_mask(state).sum() == 4
    assert board_view(state)[3:5, 3:5].tolist() == [[-1, 1], [1, -1]]
    passing = starscout.parse("othello-4x4", "XXXXXXXXXXXXXXO- O")
    assert list(legal_actions(passing)) == [16]


def test_ewn_by_hand() -> None:
    # Red cube 2 may go right, down and diagonally: actions 3, 4 and 5.
    red = starscout.parse("ewn-3x3-3", ".2./.../.ca r 2")
    assert {action: red.game.format_move(red.position, move) for action, move in legal_actions(red).items()} == {
        3: "B1C1", 4: "B1B2", 5: "B1C2",
    }  # fmt: skip
    assert board_view(red).tolist() == [[0, 2, 0], [0, 0, 0], [0, -3, -1]]
    blue = starscout.parse("ewn-3x3-3", ".2./.../.ca b 3")
    assert {action: blue.game.format_move(blue.position, move) for action, move in legal_actions(blue).items()} == {
        6: "B3A3", 7: "B3B2", 8: "B3A2",
    }  # fmt: skip
    assert board_view(blue).tolist() == [[0, -2, 0], [0, 0, 0], [0, 3, 1]]
