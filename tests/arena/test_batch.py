"""Batches: reproducible pairs, the player cache, and the watch callback."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.arena import batch
from starscout.arena.batch import CACHED_MEETINGS, Batch, Crash, close_players, play_batch, play_pair, series_of, warm
from starscout.arena.plan import MatchPlan
from starscout.evaluation import opening_evaluation
from starscout.players.spec import make_player
from starscout.records.packed import SeatedGame
from starscout.referee import clock
from starscout.referee.series import Schedule, Series
from starscout.search.limits import Limit
from tests.patience import PATIENCE

PLAN = MatchPlan("ewn-3x3-3", "random", "random", Limit(nodes=5), seed=7)

AGENT = """#!/bin/sh
echo $$ >> {folder}/$1
while read -r word rest; do
    case $word in
        lab) echo labok ;;
        isready) echo readyok ;;
        go) echo bestmove nowhere ;;
    esac
done
"""
"""Speaks lab, and loses every game by an illegal move."""


@pytest.fixture(autouse=True)
def nobody_stays() -> Iterator[None]:
    yield
    close_players()


def alive(process: str) -> bool:
    return Path(f"/proc/{process}").exists()


@pytest.mark.parametrize(("count", "halves"), [(None, [2, 2, 2]), (6, [2, 2, 2]), (5, [2, 2, 1])])
def test_last_pair_of_an_odd_number_of_games_has_one_game(count: int | None, halves: list[int]) -> None:
    batch = Batch(1, PLAN, (0, 1, 2), count)
    assert [batch.halves(pair) for pair in batch.pairs] == halves
    result = play_batch(batch)
    assert (result.match, [record.pair for record in result.records]) == (1, [0, 1, 2])
    assert [len(record.scores) for record in result.records] == halves
    assert result.seconds > 0


def test_pair_is_independent_of_its_batch() -> None:
    together = play_batch(Batch(1, PLAN, (0, 1, 2, 3))).records
    apart = [play_batch(Batch(2, PLAN, (pair,))).records[0] for pair in (3, 2, 1, 0)][::-1]
    assert [record.content for record in together] == [record.content for record in apart]
    assert [record.scores for record in together] == [record.scores for record in apart]


def test_watch_receives_games_in_schedule_order() -> None:
    seen: list[SeatedGame] = []
    for pair in range(12):
        play_pair(PLAN, pair, watch=seen.append)
    halves = [game.record.half for game in seen]
    orders = {tuple(halves[n : n + 2]) for n in range(0, 24, 2)}
    assert orders == {(0, 1), (1, 0)}
    assert [series_of(PLAN).order(pair) for pair in range(12)] == [tuple(halves[n : n + 2]) for n in range(0, 24, 2)]
    in_order = MatchPlan("ewn-3x3-3", "random", "random", seed=7, schedule=Schedule(shuffled=False))
    seen.clear()
    play_pair(in_order, 3, watch=seen.append)
    assert [game.record.half for game in seen] == [0, 1]


def test_luck_is_measured_only_if_the_plan_has_a_meter() -> None:
    measured = MatchPlan("ewn-3x3-3", "random", "random", seed=7, luck="eval=race depth=1")
    record = play_pair(measured, 0)
    assert record.luck is not None
    assert len(record.luck) == 2
    games_played = record.games("ewn-3x3-3", ("A", "B"), 7)
    assert all(game.annotation is not None for game in games_played)
    assert play_pair(PLAN, 0).luck is None
    assert play_pair(MatchPlan("kari", "random", "random", luck="eval=cubes depth=1"), 0).luck is None


def test_play_pair_uses_given_players() -> None:
    game = games.load("ewn-3x3-3")
    players = make_player("random", game), make_player("random", game)
    players[0].name, players[1].name = "Anna", "Bert"
    seen: list[SeatedGame] = []
    record = play_pair(PLAN, 0, players, halves=1, watch=seen.append)
    assert len(record.scores) == 1
    assert [game.record.players for game in seen] == [("Anna", "Bert")]
    assert record.content[:20] == play_pair(PLAN, 0, halves=1).content[:20]


@pytest.mark.usefixtures("trusted")
def test_engines_are_cached_between_batches_and_closed_on_eviction(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(AGENT.format(folder=tmp_path))
    agent.chmod(0o755)

    def processes(number: int) -> list[str]:
        plan = MatchPlan("ewn-3x3-3", f"lab:{agent} {number}", "random")
        (record,) = play_batch(Batch(1, plan, (0,))).records
        assert record.reasons == ("illegal move", "illegal move")
        return (tmp_path / str(number)).read_text().split()

    (first,) = processes(0)
    assert processes(0) == [first]
    others = [process for number in range(1, CACHED_MEETINGS) for process in processes(number)]
    assert alive(first)
    others += processes(CACHED_MEETINGS)
    assert not alive(first)
    assert all(alive(process) for process in others)
    close_players()
    assert not any(alive(process) for process in others)


@pytest.mark.usefixtures("trusted")
def test_equal_specifications_give_two_players(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(AGENT.format(folder=tmp_path))
    agent.chmod(0o755)
    play_batch(Batch(1, MatchPlan("ewn-3x3-3", f"lab:{agent} x", f"lab:{agent} x"), (0,)))
    assert len(set((tmp_path / "x").read_text().split())) == 2


def test_warm_starts_no_engine(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(AGENT.format(folder=tmp_path))
    agent.chmod(0o755)
    warm(MatchPlan("ewn-3x3-3", f"lab:{agent} x", "random"))
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("name", ["kari", "othello", "othello-4x4", "ewn-3x3-1"])
def test_openings_are_independent_of_weights_and_luck_meter(name: str) -> None:
    def openings(luck: str) -> list[str]:
        series = series_of(MatchPlan(name, "random", "random", seed=3, opening_plies=2, luck=luck))
        return [series.start(pair, 0).text for pair in range(4)]

    assert opening_evaluation(games.load(name)) != "learned"
    assert openings("") == openings("eval=learned depth=1") == openings("eval=zero")


@pytest.mark.parametrize(("limit", "played"), [(Limit(time=5.0), 3), (Limit(nodes=10), 1)])
def test_timed_games_are_played_again_if_the_referee_was_stopped(
    limit: Limit, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: three seconds of SIGSTOP were stored as time forfeits."""
    stops = iter([0, 1, 1, 3, 3, 3, 3, 3])
    monkeypatch.setattr(clock.stop_monitor, "stops", lambda: next(stops))
    games_played = []
    original = Series.play

    def play(series: Series, *arguments: Any) -> SeatedGame:
        games_played.append(arguments)
        return original(series, *arguments)

    monkeypatch.setattr(Series, "play", play)
    play_pair(MatchPlan("ewn-3x3-3", "random", "random", limit), 0, halves=1)
    assert len(games_played) == played


def test_a_crash_that_ended_the_worker_is_a_lost_game() -> None:
    plan = MatchPlan("ewn-3x3-3", "random", "random")
    crash = Crash(3, 1, 0, "random ended the referee's process (exit code -11)")
    (record,) = play_batch(Batch(1, plan, (3,), crashes=(crash,))).records
    (undisturbed,) = play_batch(Batch(1, plan, (3,))).records
    assert record.forfeiter(1) == "A"
    assert (record.reasons[1], record.details()[1]) == ("crash", crash.detail)
    assert (record.scores[0], record.reasons[0]) == (undisturbed.scores[0], undisturbed.reasons[0])


def test_engines_are_closed_some_time_after_the_last_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: the engines of a Dask worker, which outlives the match, stayed alive."""
    monkeypatch.setattr(batch, "IDLE_SECONDS", 0.05)
    closed = threading.Event()
    monkeypatch.setattr(batch, "_close", lambda *players: closed.set())
    play_batch(Batch(1, MatchPlan("ewn-3x3-3", "random", "random"), (0,)))
    assert closed.wait(PATIENCE)
