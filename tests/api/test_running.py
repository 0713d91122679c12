"""Running matches: store, workers, pace, durations, and the announcement of finished games."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from starscout import games
from starscout.api import running
from starscout.api.running import (
    Announcer,
    Pace,
    duration,
    game_name,
    game_text,
    limit_of,
    opened_runner,
    opened_store,
    player_spec,
    round_limit,
)
from starscout.arena.batch import Batch, play_pair
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.live import LiveRunner
from starscout.arena.pair import pack_pair
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.workers import WorkerError
from starscout.game import GameError, WorkError
from starscout.players.random_player import RandomPlayer
from starscout.protocols.channel import VARIABLE
from starscout.records.files import check_file, load_records
from starscout.records.packed import SeatedGame
from starscout.records.record import GameRecord
from starscout.referee.series import Schedule
from starscout.search.limits import Limit
from tests.arena.pairs import pair

PLAN = MatchPlan("ewn-3x3-3", "random", "random")
GAME = games.load("ewn-3x3-3")
ANNOUNCED = MatchPlan("ewn-3x3-3", "Anna", "Bert", seed=2, schedule=Schedule(shuffled=False))
START = "123../45.../6...f/...ed/..cba r -"


def test_the_default_store_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "mine.sqlite"))
    for path, expected in ((None, tmp_path / "mine.sqlite"), (str(tmp_path / "b.sqlite"), tmp_path / "b.sqlite")):
        with opened_store(path) as store:
            store.open_match(PLAN, {"pairs": 1})
        assert expected.is_file()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (89.4, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (86400, "24.0 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_pace_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(running.clock, "perf_counter", lambda: now)
    with Store(":memory:") as store:
        match = store.open_match(PLAN, {"pairs": 1})
        store.add(match.id, [pair(0, 1.0, 0.0)])
        match_run, pace = MatchRun(store, PLAN, StoppingRule(100)), Pace()
        assert pace.text(match_run) == "starting"
        # The clock starts with the first pair of this run: the start of the workers does not count.
        match_run.add_pair(pair(1, 1.0, 0.0))
        assert pace.text(match_run) == "starting"
        now = 110.0
        for number in range(2, 12):
            match_run.add_pair(pair(number, 1.0, 0.0))
        # Ten pairs in ten seconds, and 88 left.
        assert pace.text(match_run) == "2.0 games per second, at most 88 s left"
        now = 120.0
        for number in range(12, 100):
            match_run.add_pair(pair(number, 1.0, 0.0))
        assert pace.text(match_run) == "9.8 games per second"


def test_worker_errors_propagate() -> None:
    def work() -> None:
        with opened_runner("ewn-3x3-3", ("random",), workers=1) as runner:
            assert runner.workers() == 1
            raise WorkerError("pair 3 took down its worker")

    # `main` turns every WorkError into a message and exit code 1.
    with pytest.raises(WorkError, match="pair 3 took down its worker"):
        work()


def test_workers_load_games_and_players_by_name() -> None:
    game = games.load("ewn-3x3-3")
    assert game_name(game) == game_name("ewn-3x3-3") == "ewn-3x3-3"
    with pytest.raises(GameError, match="write it to a file"):
        game_name(replace(game, name="mine"))
    assert player_spec("random") == "random"
    assert player_spec(RandomPlayer).endswith("random_player.py:RandomPlayer")


def test_engine_lines_are_logged_while_a_runner_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with opened_runner("ewn-3x3-3", ("random",), workers=0, log=tmp_path / "talk.log"):
        assert os.environ[VARIABLE] == str(tmp_path / "talk.log")
    assert VARIABLE not in os.environ


def test_limits_of_matches_and_of_refereed_games() -> None:
    assert limit_of({}) == Limit()
    limit = limit_of({"time": 0.5, "game_time": 60.0, "depth": 3, "nodes": 100, "simulations": 50})
    assert limit == Limit(time=0.5, clock=60.0, depth=3, nodes=100, simulations=50)
    usual = Limit(time=10.0)
    assert round_limit({}, usual) == round_limit({"increment": 1.0}, usual) == usual
    assert round_limit({"time": 2.0}, usual) == Limit(time=2.0)
    assert round_limit({"game_time": 60.0, "increment": 1.0}, usual) == Limit(clock=60.0, increment=1.0)


def test_each_game_is_announced_and_recorded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    players = {name: RandomPlayer(name) for name in ("Anna", "Bert")}
    runner = LiveRunner(players, watch=Announcer(GAME, file))
    runner.submit(Batch(1, ANNOUNCED, (0, 1), 3))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert [line.split(":")[0] for line in printed.err.splitlines()] == ["round 1", "round 2", "round 3"]
    assert check_file(file).legal == 3
    winners = [record.players[record.winner or 0] for record in load_records(file)]
    assert [line.split()[2] for line in printed.err.splitlines()] == winners


def test_announcements_of_a_tournament_name_the_pairing(capsys: pytest.CaptureFixture[str]) -> None:
    announcer = Announcer(GAME, None, pairings=True)
    players = RandomPlayer("Anna"), RandomPlayer("Bert")
    play_pair(ANNOUNCED, 4, players, 1, lambda game: announcer(Batch(1, ANNOUNCED, (4,)), 8, game))
    assert capsys.readouterr().err.startswith("Anna – Bert, round 9: ")


def test_records_are_appended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.jsonl"
    for _ in range(2):
        players = {name: RandomPlayer(name) for name in ("Anna", "Bert")}
        LiveRunner(players, watch=Announcer(GAME, file)).submit(Batch(1, ANNOUNCED, (0,)))
    assert check_file(file).games == 4
    assert capsys.readouterr().err.count("round 1:") == 2


@pytest.mark.parametrize(
    ("winner", "reason", "detail", "side", "text"),
    [
        (0, "corner", "", 0, "round 3: Anna wins as red: corner, 0 plies"),
        (0, "corner", "", 1, "round 3: Bert wins as red: corner, 0 plies"),
        (1, "timeout", "too late", 1, "round 3: Anna wins as blue: timeout, 0 plies (too late)"),
        (None, "numbers", "", 0, "round 3: draw: numbers, 0 plies"),
    ],
)
def test_a_game_in_one_line(winner: int | None, reason: str, detail: str, side: int, text: str) -> None:
    record = GameRecord("ewn", START, ("x", "y"), (), winner, reason, detail)
    assert game_text(games.load("ewn"), ("Anna", "Bert"), 2, SeatedGame(record, side)) == text
    assert pack_pair(0, [SeatedGame(record, side)]).scores == (SeatedGame(record, side).score,)
