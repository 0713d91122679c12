"""Endgame tables of dark chess against the unpruned reference, the rules and play to the end."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import NOT_ROLLED, ONGOING, GameError
from starscout.game.state import parse
from starscout.games.dark_chess import endgame_table
from starscout.games.dark_chess.endgame_table import DarkChessTable, DarkChessTableFiles, open_table, random_position
from starscout.games.dark_chess.rules import QUIET_LIMIT
from starscout.games.dark_chess.table_builder import classes_up_to
from starscout.players.spec import make_player
from starscout.search.exact import exact_value
from starscout.search.limits import Limit

DARK = games.load("dark-chess")
ZERO = load_evaluation(DARK, "zero")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DarkChessTable]:
    """The table of up to 3 pieces, in a folder of its own."""
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endgame_table, "table_path", lambda pieces: folder / f"{pieces}.table")
        endgame_table.find_table.cache_clear()
        assert list(DarkChessTableFiles().build(DARK, 3, 1))[-1] == 1.0
        opened = open_table(DARK, 3)
        assert opened is not None
        yield opened
    endgame_table.find_table.cache_clear()


def test_materials_with_the_same_relations_share_a_class() -> None:
    assert [len(classes_up_to(most).own) for most in (2, 3, 4)] == [8, 48, 192]


def test_two_pieces_equal_the_unpruned_reference(table: DarkChessTable) -> None:
    """Any capture ends the game, so a search to the limit of quiet plies is complete."""
    generator = random.Random(1)
    decided = 0
    for _ in range(400):
        position = random_position(2, generator)._replace(quiet=generator.randrange(24, QUIET_LIMIT))
        if DARK.outcome(position) == ONGOING:
            expected = exact_value(DARK, ZERO, position, QUIET_LIMIT - position.quiet)
            assert table.value(position) == expected
            decided += expected != 0
    assert decided > 20


def test_three_pieces_agree_with_proofs_of_the_unpruned_reference(table: DarkChessTable) -> None:
    """A value of ±1 with the evaluation `zero` is a proof, whatever lies beyond the depth."""
    generator = random.Random(2)
    proofs = 0
    for _ in range(400):
        position = random_position(3, generator)
        if DARK.outcome(position) == ONGOING:
            found = exact_value(DARK, ZERO, position, 5)
            if found != 0:
                assert table.value(position) == found
                proofs += 1
    assert proofs > 20


def test_every_value_follows_from_the_rules_and_the_next_values(table: DarkChessTable) -> None:
    """With the limit of quiet plies this proves the values by induction; here on a sample."""
    assert table.first_wrong_value(500) is None


def test_reflections_and_colours_keep_the_value(table: DarkChessTable) -> None:
    generator = random.Random(3)
    for _ in range(100):
        position = random_position(3, generator)
        images = [symmetry.position(position) for symmetry in DARK.symmetries]
        images.append(position._replace(revealed=type(position.revealed)(
            (int(position.revealed) >> 32) | (int(position.revealed) & 0xFFFF_FFFF) << 32
        ), mover=1 - position.mover))  # fmt: skip
        assert {table.entry(image) for image in images} == {table.entry(position)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Pr6/r7/8/7n r 0 - r", 1.0),
        ("k7/8/8/7N r 0 - r", 0.0),  # one hunter does not catch a piece that keeps its distance
        ("Ak6/8/8/8 r 5 - r", 1.0),
        ("1Kp5/8/8/8 r 29 - r", 1.0),  # a capture is in time
        ("2Kp4/8/8/8 b 29 - r", 0.0),
    ],
)
def test_known_positions(table: DarkChessTable, text: str, value: float) -> None:
    position = parse(DARK, text).position
    if DARK.outcome(position) == ONGOING:
        assert table.covers(position)
        assert table.value(position) == value
    else:
        assert DARK.outcome(position) == value


def test_won_positions_are_won_against_the_longest_resistance(table: DarkChessTable) -> None:
    generator = random.Random(4)
    played = 0
    while played < 15:
        position = random_position(3, generator)
        if DARK.outcome(position) != ONGOING or table.value(position) != 1.0:
            continue
        winner = position.mover
        while DARK.outcome(position) == ONGOING:
            assert table.value(position) == (1.0 if position.mover == winner else -1.0)
            position = DARK.play_position(position, table.best_move(position, NOT_ROLLED))
        assert DARK.outcome(position) == (1 if position.mover == winner else -1)
        played += 1


@pytest.mark.slow
def test_search_finds_a_win_through_the_table(table: DarkChessTable) -> None:
    """Four pieces: the table of three knows the result of each capture."""
    state = parse(DARK, "aN6/8/8/4n2E r 0 - r")
    assert not table.covers(state.position)
    with_table, without = (make_player(f"negascout eval=zero endgame={word}", DARK) for word in ("on", "off"))
    for player in (with_table, without):
        player.new_game(DARK, 0)
    assert table.value(state.play("A1B1").position) == -1
    assert (with_table.choose(state, Limit(depth=1)).value or 0.0) > 0.99
    assert without.choose(state, Limit(depth=1)).value == 0


@pytest.mark.slow
def test_player_uses_the_table(table: DarkChessTable) -> None:
    player = make_player("negascout endgame=on eval=material", DARK)
    player.new_game(DARK, 0)
    state = parse(DARK, "1k6/8/P7/1a6 r 0 - r")
    decision = player.choose(state, Limit(depth=1))
    assert decision.value == table.value(state.position)
    assert decision.moves[0].proven


def test_hidden_pieces_and_larger_positions_are_not_covered(table: DarkChessTable) -> None:
    for text in ("kP6/8/8/7? r 0 p r", "kP6/8/8/nN6 r 0 - r", "kP!5/8/8/8 b 0 p r"):
        assert not table.covers(parse(DARK, text).position)


def test_damaged_file_counts_as_missing(table: DarkChessTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = endgame_table.table_path(3).read_bytes()
    damaged = tmp_path / "damaged.table"
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr(endgame_table, "table_path", lambda pieces: damaged)
    assert open_table(DARK, 3) is None


def test_size_is_limited() -> None:
    with pytest.raises(GameError, match="expected 2 to 4 pieces for dark-chess, got 5"):
        DarkChessTableFiles().check_size(DARK, 5)


@pytest.mark.slow
def test_four_pieces_follow_from_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame_table, "table_path", lambda pieces: tmp_path / f"{pieces}.table")
    assert list(DarkChessTableFiles().build(DARK, 4, 1))
    found = open_table(DARK, 4)
    assert found is not None
    assert found.first_wrong_value(20_000) is None
