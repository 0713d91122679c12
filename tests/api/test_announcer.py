"""Games as they are played: a line for each on standard error, and a file of records that replays."""

from pathlib import Path

import pytest

from starscout import games
from starscout.api.announcer import Announcer
from starscout.arena.batch import Batch, play_pair
from starscout.arena.live import LiveRunner
from starscout.arena.plan import MatchPlan
from starscout.players.random_player import RandomPlayer
from starscout.records.files import check_file, load_records
from starscout.referee.series import Schedule

GAME = games.load("ewn-3x3-3")
PLAN = MatchPlan("ewn-3x3-3", "a", "b", seed=2, schedule=Schedule(shuffled=False))
NAMES = {"a": "Anna", "b": "Bert"}


def test_each_game_is_said_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    runner = LiveRunner({name: RandomPlayer(name) for name in "ab"}, watch=Announcer(GAME, NAMES, file))
    runner.submit(Batch(1, PLAN, (0, 1), 3))
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["round 1", "round 2", "round 3"]
    assert check_file(file).legal == 3
    winners = [record.players[record.winner or 0] for record in load_records(file)]
    assert [line.split()[2].lower()[0] for line in said.err.splitlines()] == winners


def test_in_a_tournament_the_meeting_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    announcer = Announcer(GAME, NAMES, None, meetings=True)
    players = RandomPlayer("a"), RandomPlayer("b")
    play_pair(PLAN, 4, players, 1, lambda game: announcer(Batch(1, PLAN, (4,)), 8, game))
    assert capsys.readouterr().err.startswith("Anna – Bert, round 9: ")


def test_records_are_appended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.jsonl"
    for _ in range(2):
        runner = LiveRunner({name: RandomPlayer(name) for name in "ab"}, watch=Announcer(GAME, NAMES, file))
        runner.submit(Batch(1, PLAN, (0,)))
    assert check_file(file).games == 4
    assert capsys.readouterr().err.count("round 1:") == 2
