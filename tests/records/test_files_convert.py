"""Conversion between all formats that support a game."""

import itertools
from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError, Outcome
from starscout.players.spec import make_player
from starscout.records.files import load_records, write_record
from starscout.records.record import GameRecord, RecordError, Replay
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

ABLE = {"ewn": ("json", "server"), "othello": ("json", "ggf", "moves"), "kari": ("json",)}


def record_of(name: str) -> GameRecord:
    rules = games.load(name)
    players = make_player("random", rules), make_player("random", rules)
    return play_game(any_start(rules, 8, 0), players, (Limit(), Limit()), seed=8)


@pytest.mark.parametrize("name", ABLE)
def test_conversions_round_trip(name: str, tmp_path: Path) -> None:
    record = record_of(name)
    for first, second in itertools.product(ABLE[name], repeat=2):
        file = tmp_path / "games"
        file.write_text(2 * write_record(record, first), encoding="utf-8")
        loaded = list(load_records(file))
        assert len(loaded) == 2
        file.write_text(write_record(loaded[0], second), encoding="utf-8")
        (again,) = load_records(file)
        assert [ply[:3] for ply in again.plies] == [ply[:3] for ply in record.plies]
        assert (again.start, again.winner, again.reason) == (record.start, record.winner, record.reason)


def test_the_text_format() -> None:
    start = "123../45.../6...f/...ed/..cba r -"
    replay = Replay("ewn", start, 1)
    replay.add(4, "A2B3", 1, seconds=0.25, value=0.5)
    replay.add(6, "E3D3", 1)
    record = replay.finished(Outcome(0, "timeout"), ("me", "you"), detail="you answered after 61.00 s")
    assert write_record(record, "text").splitlines() == [
        "ewn: me (red) – you (blue)",
        start,
        "  1. red    die 4  A2B3   75%  0.25 s",
        "  2. blue   die 6  E3D3",
        "red wins: timeout (you answered after 61.00 s)",
        "",
    ]


def test_unsupported_conversions_raise(tmp_path: Path) -> None:
    record = record_of("kari")
    for form in ("ggf", "moves", "server"):
        with pytest.raises(GameError, match=r"(Othello|ewn)"):
            write_record(record, form)
    with pytest.raises(GameError, match="format: expected one of"):
        write_record(record, "pgn")
    file = tmp_path / "games"
    file.write_text(write_record(record, "json").replace(record.plies[0].text, "A1F6", 1), encoding="utf-8")
    with pytest.raises(RecordError, match="ply 1"):
        list(load_records(file))
