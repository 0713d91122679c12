"""Stable discs against all continuations of late positions."""

import pytest

from starscout import games
from starscout.game import ONGOING, Game
from starscout.games.othello.rules import Position, black_and_white
from starscout.games.othello.solver_search import build_stable
from starscout.kernels.bits import Word
from tests.games.othello.definition import late_positions


def always_kept(game: Game, position: Position) -> tuple[int, int]:
    """The discs of black and of white that no continuation turns."""
    kept = black_and_white(position)
    if game.outcome(position) == ONGOING:
        for move in game.legal(position, 1):
            after = always_kept(game, Position(*game.play_position(position, move)))
            kept = kept[0] & after[0], kept[1] & after[1]
    return kept


@pytest.mark.parametrize("name", ["othello", "othello-6x6", "othello-4x4"])
def test_no_continuation_turns_a_stable_disc(name: str):
    game = games.load(name)
    stable = build_stable(game.rows)
    seen = 0
    for position in late_positions(game, 25, 3, 5):
        black, white = black_and_white(position)
        kept = always_kept(game, position)
        for own, other, safe in ((black, white, kept[0]), (white, black, kept[1])):
            found = int(stable(Word(own), Word(other)))
            assert found & ~safe == 0, game.format(position, 1)
            seen += found.bit_count()
    assert seen > 25


@pytest.mark.plain
def test_by_hand():
    stable = build_stable(8)
    corner_and_edge = 0b111
    assert int(stable(Word(corner_and_edge), Word(0))) == corner_and_edge
    assert int(stable(Word(0b110), Word(0))) == 0
    # A full first row: its ends are corners, and no disc of an edge is turned from elsewhere.
    assert int(stable(Word(0b0111_1110), Word(0b1000_0001))) == 0b0111_1110
    everything = (1 << 64) - 1
    assert int(stable(Word(everything), Word(0))) == everything
