"""Default features, derived from the bits of positions."""

from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.evaluation.features import features_in, images_of
from starscout.evaluation.squares import sample_positions, square_features, squares_from_tables
from starscout.evaluation.weights import pack
from starscout.game import Game, Position

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def seen_by_mover(game: Game, position: Position, *, turned: bool) -> list[int | None]:
    """The content of each square, read from `cells`: the mover (0), the other side (1) or empty."""
    cells = game.cells(position)
    if turned and position.mover == 1:
        cells = cells[::-1]
    return [None if cell.side is None else int(cell.side != position.mover) for cell in cells]


@pytest.mark.parametrize(
    ("file", "turned"), [pytest.param("connect_four.py", False, marks=pytest.mark.slow), ("dice_race.py", True)]
)
def test_default_features_are_the_board(file: str, turned: bool) -> None:
    game = games.load(str(EXAMPLES / file))
    positions = sample_positions(game)
    features = square_features(game, positions)
    weights = pack(features.tables)
    others = sample_positions(game, seed=7)[:300]
    found = features_in(features, weights, others)
    boards = [seen_by_mover(game, position, turned=turned) for position in others]
    # Each square has a slot in the order of the board, unless it is always empty or always full.
    slot = 0
    for square in range(game.rows * game.columns):
        contents = [board[square] for board in boards]
        if len(set(contents)) == 1:
            continue
        pairs = set(zip(contents, found[:, slot].tolist(), strict=True))
        assert len(pairs) == len({feature for _, feature in pairs}) == len({content for content, _ in pairs}), square
        slot += 1
    # Only the mover is left.
    assert [features.sizes[spare] for spare in range(slot, features.slots)] == [2]
    again = squares_from_tables(game, {**features.tables, "rows": numpy.zeros(3)})
    assert (again.sizes, again.name) == (features.sizes, features.name)


def test_lanes_of_a_piece_list_are_found() -> None:
    game = games.load("kari")
    positions = sample_positions(game)
    features = square_features(game, positions)
    # Twelve cubes of six bits each, and the mover.
    assert features.sizes == (64,) * 12 + (2,)
    assert len(images_of(game, features, pack(features.tables), positions)) == 4
