"""Packed games: round trips, large dice and the format of earlier versions."""

import dataclasses
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import starscout
from starscout import games
from starscout.players.spec import make_player
from starscout.records.packed import DIGITS, SeatedGame, pack_games, unpack_games, unpack_times
from starscout.records.record import Annotation, GameRecord
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

DICE_RACE = Path(starscout.__file__).parents[1] / "examples" / "dice_race.py"
PLAYERS = "Anna", "Bert"


def seated(name: str, seed: int = 3, side: int = 0, half: int = 0) -> SeatedGame:
    """A random game with Anna as player A and artificial reports."""
    game = games.load(name)
    players = make_player("random", game), make_player("random", game)
    players[side].name, players[1 - side].name = PLAYERS
    record = play_game(any_start(game, seed), players, (Limit(), Limit()), seed=seed, pair=2, half=half)
    return SeatedGame(record, side, next(record.states()).mover)


def unpacked(content: bytes, times: bytes, game: str, seed: int = 3) -> list[SeatedGame]:
    return unpack_games(content, times, game, PLAYERS, seed, 2)


def rounded(record: GameRecord) -> GameRecord:
    """Thinking times are kept in microseconds."""
    plies = tuple(ply._replace(seconds=round(ply.seconds * 1e6) / 1e6) for ply in record.plies)
    return dataclasses.replace(record, plies=plies)


@pytest.mark.plain
@pytest.mark.parametrize("name", ["ewn", "ewn-3x3-3", "kari", "othello"])
def test_games_round_trip(name: str) -> None:
    played = [seated(name), seated(name, side=1, half=1)]
    again = unpacked(*pack_games(played), name)
    assert [game._replace(record=rounded(game.record)) for game in played] == again
    assert pack_games(again) == pack_games(played)


@pytest.mark.plain
def test_clocks_round_trip() -> None:
    games = [seated("ewn-3x3-3"), seated("ewn-3x3-3", half=1)]
    played = [
        game._replace(record=dataclasses.replace(game.record, left=left))
        for game, left in zip(games, ((59.25, None), (58.5, 0.0)), strict=True)
    ]
    content, times = pack_games(played)
    assert content == pack_games(games)[0]
    assert [game.record.left for game in unpacked(content, times, "ewn-3x3-3")] == [(59.25, None), (58.5, 0.0)]
    assert unpack_times(times) == unpack_times(pack_games(games)[1])


@pytest.mark.plain
@given(st.lists(st.none() | st.floats(-1, 1), min_size=1), st.lists(st.none() | st.integers(0, 2**62), min_size=1))
def test_reports_round_trip(values: list[float | None], counts: list[int | None]) -> None:
    game = seated("ewn-3x3-3")
    plies = tuple(
        ply._replace(value=values[n % len(values)], nodes=counts[n % len(counts)], depth=n)
        for n, ply in enumerate(game.record.plies)
    )
    played = game._replace(record=dataclasses.replace(game.record, plies=plies))
    ((record, *_),) = unpacked(*pack_games([played]), "ewn-3x3-3")
    for number, ply in enumerate(record.plies):
        value = values[number % len(values)]
        assert ply.value == (None if value is None else round(value, DIGITS))
        assert (ply.nodes, ply.depth, ply.simulations) == (counts[number % len(counts)], number, None)


@pytest.mark.plain
def test_annotations_are_rounded_and_equal_games_are_equal_bytes() -> None:
    game = seated("ewn-3x3-3")
    luck = tuple(ply / 7 for ply in range(len(game.record.plies)))
    annotated = game._replace(annotation=Annotation(luck, luck))
    content, times = pack_games([annotated])
    (again,) = unpacked(content, times, "ewn-3x3-3")
    assert again.annotation == Annotation(*[tuple(round(number, DIGITS) for number in luck)] * 2)
    # The content does not depend on thinking times.
    slow = tuple(ply._replace(seconds=9.5) for ply in game.record.plies)
    slower = annotated._replace(record=dataclasses.replace(game.record, plies=slow))
    assert pack_games([slower])[0] == content
    assert unpack_times(pack_games([slower])[1]) == [[9.5] * len(slow)]


def test_a_die_with_twelve_faces(tmp_path: Path) -> None:
    """Two digits of a roll stay together."""
    source = DICE_RACE.read_text().replace("FACES = 12, 3, 4", "FACES = 12, 3, 12").replace('"dice-race"', '"dozen"')
    file = tmp_path / "dozen.py"
    file.write_text(source)
    played = [seated(str(file), seed) for seed in range(6)]
    assert max(ply.roll for game in played for ply in game.record.plies) > 9
    for seed, game in enumerate(played):
        (again,) = unpacked(*pack_games([game]), str(file), seed)
        assert [ply.roll for ply in again.record.plies] == [ply.roll for ply in game.record.plies]
        again.record.check()


@pytest.mark.plain
def test_rolls_as_a_text_of_digits_are_still_read() -> None:
    """Up to version 0.1 rolls were `"4613"`."""
    game = seated("ewn")
    content, times = pack_games([game])
    (entry,) = json.loads(zlib.decompress(content))
    assert entry["rolls"] == [ply.roll for ply in game.record.plies]
    old = {**entry, "rolls": "".join(map(str, entry["rolls"]))}
    assert unpacked(zlib.compress(json.dumps([old]).encode()), times, "ewn") == unpacked(content, times, "ewn")
