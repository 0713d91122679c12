"""Exact tables against rational brute force, and recovery from damaged files."""

import random
from pathlib import Path

import pytest

from starscout import games
from starscout.game import Game, GameError, Position
from starscout.games.ewn import endgame_table as ewn
from starscout.games.ewn.board import build_cubes, make_side, places
from starscout.games.ewn.endgame_table import (
    EwnTable,
    build_table,
    check_cubes,
    find_table,
    open_table,
    random_position,
    table_path,
)
from starscout.kernels.bits import Word
from starscout.search.endgame import TABLE_HEADER, TABLE_MAGIC, table_checksum
from tests.games.ewn.rational import RationalGame, Side

ROUNDING = 6e-5
"""Half of 1/65535 for each ply at most; errors average out over the rolls."""


@pytest.fixture(autouse=True)
def own_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of a test are in its own folder; compiled kernels stay where they are."""
    monkeypatch.setattr(ewn, "table_path", lambda game, cubes: tmp_path / f"{game.name}-{cubes}.table")
    find_table.cache_clear()


def built(game: Game, cubes: int, threads: int = 1) -> EwnTable:
    *_, finished = build_table(game, cubes, threads)
    assert finished == 1.0
    table = open_table(game, cubes)
    assert table is not None
    return table


def side_of(game: Game, word: Word) -> Side:
    board = build_cubes(game.rows, game.columns, game.faces)
    return tuple(
        (cube + 1, game.rows - 1 - place // game.columns, game.columns - 1 - place % game.columns)
        for cube, place in enumerate(places(board, word))
        if place is not None
    )


def position_of(game: Game, mover: Side, other: Side) -> Position:
    board = build_cubes(game.rows, game.columns, game.faces)
    words = []
    for side in (mover, other):
        squares: list[int | None] = [None] * game.faces
        for number, down, right in side:
            squares[number - 1] = (game.rows - 1 - down) * game.columns + game.columns - 1 - right
        words.append(make_side(board, squares))
    return game.position(*words, 0)


def compare(table: EwnTable, exact: RationalGame) -> None:
    """Compare every position that the brute force meets: the table has them all."""
    for mover, other in met(exact):
        position = position_of(table.game, mover, other)
        assert table.covers(position)
        expected = float(2 * exact.chance(mover, other) - 1)
        assert abs(table.value(position) - expected) < ROUNDING, table.game.format(position, 0)


def met(exact: RationalGame) -> set[tuple[Side, Side]]:
    """The positions that the brute force reaches from all its starts."""
    found: set[tuple[Side, Side]] = set()
    waiting = list(exact.starts)
    while waiting:
        mover, other = waiting.pop()
        if (mover, other) in found:
            continue
        found.add((mover, other))
        for roll in range(1, exact.faces + 1):
            for number, down, right in exact.moves(mover, roll):
                following = exact.after(mover, other, number, down, right)
                if following is not None:
                    waiting.append(following)
    return found


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "name",
    [
        "ewn-3x3-2",
        "ewn-4x3-1",
        *(pytest.param(name, marks=SLOW) for name in ("ewn-3x4-2", "ewn-3x3-3", "ewn-4x4-2", "ewn-4x4-3")),
    ],
)
def test_every_value_of_small_boards(name: str):
    game = games.load(name)
    exact = RationalGame(game.rows, game.columns, game.faces)
    for seed in range(min(game.starts, 2)):
        position = game.start_position(seed)
        exact.starts.append((side_of(game, position.own), side_of(game, position.enemy)))
    compare(built(game, 2 * game.faces), exact)


@SLOW
def test_one_and_two_cubes_on_5x5():
    game = games.load("ewn")
    exact = RationalGame(5, 5, 6)
    generator = random.Random(3)
    exact.starts += [(((number, 4, 4),), ((2, 4, 4),)) for number in (1, 4)]
    for _ in range(20):
        numbers = [sorted(generator.sample(range(1, 7), 2)) for _ in range(2)]
        exact.starts.append(
            (((numbers[0][0], 1, 2), (numbers[0][1], 2, 1)), ((numbers[1][0], 1, 1), (numbers[1][1], 1, 2)))
        )
    compare(built(game, 4), exact)


def test_symmetric_positions_share_a_value():
    game = games.load("ewn-4x4-3")
    table = built(game, 4)
    generator = random.Random(1)
    for _ in range(50):
        position = random_position(table, generator)
        for symmetry in game.symmetries:
            assert table.value(symmetry.position(position)) == table.value(position)


def test_table_does_not_depend_on_threads():
    game = games.load("ewn-4x4-2")
    one = built(game, 4).record["values"].copy()
    assert (built(game, 4, threads=3).record["values"] == one).all()


def test_moves_of_a_position():
    game = games.load("ewn-3x3-3")
    table = built(game, 6)
    position, roll = game.parse("12./3.c/.ba r 2")
    exact = RationalGame(3, 3, 3)
    mover, other = side_of(game, position.own), side_of(game, position.enemy)
    values = table.move_values(position, roll)
    expected = sorted(float(2 * exact.move_chance(mover, other, *move) - 1) for move in exact.moves(mover, roll))
    assert sorted(values.values()) == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("name", ["ewn-3x3-3", "ewn-4x3-2"])
def test_refined_values_are_exact_and_errors_are_bounded(name: str):
    game = games.load(name)
    table, exact = built(game, 2 * game.faces), RationalGame(game.rows, game.columns, game.faces)
    generator, rounded = random.Random(2), 0
    for _ in range(20):
        position = random_position(table, generator)
        mover, other = side_of(game, position.own), side_of(game, position.enemy)
        expected = float(2 * exact.chance(mover, other) - 1)
        refined = table.refined(position, 10.0)
        assert refined is not None
        assert refined.covers(position)
        assert refined.error(position) == 0.0
        assert refined.value(position) == pytest.approx(expected, abs=1e-15)
        assert abs(table.value(position) - expected) <= table.error(position) < 0.001
        rounded += table.value(position) != refined.value(position)
        for roll in range(1, game.faces + 1):
            chances = [exact.move_chance(mover, other, *move) for move in exact.moves(mover, roll)]
            values = refined.move_values(position, roll)
            assert sorted(values.values()) == pytest.approx(sorted(float(2 * c - 1) for c in chances), abs=1e-15)
    assert rounded > 5


def test_refinement_is_refused_where_it_takes_too_long():
    game = games.load("ewn-3x3-3")
    table = built(game, 6)
    assert table.refined(game.start_position(0), 1e-3) is None


def test_table_coverage():
    game = games.load("ewn-3x3-3")
    table = built(game, 4)
    assert table.covers(game.parse("1../..c/.ba r -")[0])
    assert not table.covers(game.parse("12./..c/.ba r -")[0])
    assert not table.covers(game.start_position(0))


def test_damaged_file_is_rebuilt(tmp_path: Path):
    game = games.load("ewn-3x3-3")
    before = built(game, 4).record["values"].copy()
    path = ewn.table_path(game, 4)
    content = path.read_bytes()
    for damage in (content[:-1], content[:40], b"", content[:-9] + b"x" + content[-8:], b"x" + content[1:]):
        path.write_bytes(damage)
        assert open_table(game, 4) is None
        find_table.cache_clear()
        found = find_table(game)
        assert found is not None
        assert (found.record["values"] == before).all()


def test_file_with_wrong_indices_is_damaged():
    """Kernels use the indices without a bounds check; a correct checksum does not protect them."""
    game = games.load("ewn-3x3-3")
    built(game, 4)
    path = ewn.table_path(game, 4)
    content = bytearray(path.read_bytes())
    content[TABLE_HEADER.size : TABLE_HEADER.size + 4] = (1 << 30).to_bytes(4, "little")
    path.write_bytes(content)
    header = TABLE_HEADER.pack(TABLE_MAGIC, len(content) - TABLE_HEADER.size, table_checksum(path))
    path.write_bytes(header + content[TABLE_HEADER.size :])
    assert open_table(game, 4) is None


def test_unwritable_cache_disables_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    game = games.load("ewn-3x3-3")
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(ewn, "table_path", lambda game, cubes: tmp_path / "file" / "no-folder.table")
    assert find_table(game) is None


def test_default_path():
    assert table_path(games.load("ewn"), 4).name == "ewn-up-to-4.table"


@pytest.mark.parametrize(
    ("name", "cubes", "words"),
    [("ewn", 1, "2 to 12"), ("ewn-3x3-3", 7, "2 to 6"), ("ewn", 6, "choose fewer cubes")],
)
def test_invalid_table_sizes_are_rejected(name: str, cubes: int, words: str):
    with pytest.raises(GameError, match=words):
        check_cubes(games.load(name), cubes)


def test_missing_tables_number_no_positions(monkeypatch: pytest.MonkeyPatch):
    """Players look for the tables of all sizes; numbering the positions of twelve cubes takes gigabytes."""
    monkeypatch.setattr(ewn, "number_positions", lambda game, cubes: pytest.fail("positions were numbered"))
    assert open_table(games.load("ewn"), 12) is None
