"""Where matches are kept and run: the store, the workers, the pace, and the lengths of time that people read."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from starscout import games
from starscout.api import running
from starscout.api.running import (
    ChosenSettings,
    Interrupted,
    Pace,
    duration,
    game_name,
    opened_runner,
    opened_store,
    player_spec,
)
from starscout.arena.director import Goal, MatchRun
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.workers import WorkerError
from starscout.game import GameError, WorkError
from starscout.players.random_player import RandomPlayer
from starscout.protocols.engine_log import VARIABLE
from tests.arena.pairs import pair

PLAN = MatchPlan("ewn-3x3-3", "random", "random")


def test_the_store_is_the_one_that_is_named_else_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "mine.sqlite"))
    for path, expected in ((None, tmp_path / "mine.sqlite"), (str(tmp_path / "b.sqlite"), tmp_path / "b.sqlite")):
        with opened_store(path) as store:
            store.open_match(PLAN, {"pairs": 1})
        assert expected.is_file()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (89.4, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (86400, "24.0 h")],
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_pace_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(running.clock, "perf_counter", lambda: now)
    with Store(":memory:") as store:
        match = store.open_match(PLAN, {"pairs": 1})
        store.add(match.id, [pair(0, 1.0, 0.0)])
        match_run, pace = MatchRun(store, PLAN, Goal(100)), Pace()
        assert pace.text(match_run) == "starting"
        # The first pair of this run starts the watch: the workers' start does not count.
        match_run.take(pair(1, 1.0, 0.0))
        assert pace.text(match_run) == "starting"
        now = 110.0
        for number in range(2, 12):
            match_run.take(pair(number, 1.0, 0.0))
        # Ten pairs in ten seconds, and 88 to come.
        assert pace.text(match_run) == "2.0 games per second, 88 s left at most"
        now = 120.0
        for number in range(12, 100):
            match_run.take(pair(number, 1.0, 0.0))
        assert pace.text(match_run) == "9.8 games per second"


def test_work_that_cannot_be_done_is_passed_on() -> None:
    def work() -> None:
        with opened_runner("ewn-3x3-3", ("random",), ChosenSettings(workers=1)) as runner:
            assert runner.workers() == 1
            raise WorkerError("pair 3 took down its worker")

    # `main` makes a sentence and exit code 1 of every WorkError.
    with pytest.raises(WorkError, match="pair 3 took down its worker"):
        work()


def test_games_and_players_that_workers_can_find() -> None:
    game = games.load("ewn-3x3-3")
    assert game_name(game) == game_name("ewn-3x3-3") == "ewn-3x3-3"
    with pytest.raises(GameError, match="write it to a file"):
        game_name(replace(game, name="mine"))
    assert player_spec("random") == "random"
    assert player_spec(RandomPlayer).endswith("random_mover.py:RandomPlayer")


def test_an_interrupt_is_a_keyboard_interrupt_with_what_was_played() -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        raise Interrupted("three pairs")
    assert stopped.value.result == "three pairs"  # pyright: ignore[reportAttributeAccessIssue]


def test_lines_of_engines_are_logged_while_a_runner_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with opened_runner("ewn-3x3-3", ("random",), ChosenSettings(workers=0, log=tmp_path / "talk.log")):
        assert os.environ[VARIABLE] == str(tmp_path / "talk.log")
    assert VARIABLE not in os.environ
