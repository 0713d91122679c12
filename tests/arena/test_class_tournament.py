"""A Swiss of a class with broken engines, kills, a late and a withdrawn player equals an undisturbed one.

The healthy players depend on the seed alone, so the tables must be equal.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout.arena.batch import Batch, BatchResult, close_players, play_batch
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, stored_plan, stored_standings

GAME = "ewn-3x3-3"
HEALTHY = ("random", "negascout depth=1 eval=zero", "negascout depth=2 eval=zero", "mcts simulations=4")
BROKEN = {
    "exits": "raise SystemExit(1)",
    "lies": """
for line in sys.stdin:
    words = line.split()
    print({"lab": "labok", "isready": "readyok", "go": "bestmove Z9Z9"}.get(words[0], "# ignored"), flush=True)
""",
    "leaves": """
for line in sys.stdin:
    words = line.split()
    if words[0] == "go":
        break
    print({"lab": "labok", "isready": "readyok"}.get(words[0], "# ignored"), flush=True)
""",
    "babbles": "print('\\x1b[2J' * 1000, flush=True)\nos.kill(os.getpid(), 11)",
}
"""Name → source of a lab engine that forfeits every game."""


def class_file(folder: Path, healthy: int, broken: int, *more: str) -> Path:
    """Write a players file; the names `more` are random players."""
    rows = [(f"h{number}", HEALTHY[number % len(HEALTHY)]) for number in range(healthy)]
    for name, source in list(BROKEN.items())[:broken]:
        (folder / f"{name}.py").write_text(f"import os, sys\n{source}\n")
        rows.append((name, f"lab:{sys.executable} {folder / name}.py"))
    rows += [(name, "random") for name in more]
    file = folder / f"class{len(more)}.csv"
    file.write_text("name,command\n" + "".join(f"{name},{command}\n" for name, command in rows))
    return file


class Runner:
    """Plays in this process; raises KeyboardInterrupt after `left` batches."""

    def __init__(self, left: int = 10**6) -> None:
        self._left = left
        self._results: list[BatchResult] = []

    def capacity(self) -> int:
        return 1 - len(self._results)

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        self._results.append(play_batch(batch))

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._results = self._results, []
        return results

    def close(self) -> None:
        close_players()


def undisturbed(store: Path, number: int) -> list[dict[str, Any]]:
    """Return the table of a tournament with the same changes of the field, played in one go."""
    with Store(store) as played:
        plan = stored_plan(played, number)
    with Store(":memory:") as other, contextlib.closing(Runner()) as runner:
        tournament = Tournament(plan, other)
        tournament._change(plan)
        tournament.play(runner)
        return tournament.standings.table()


def check(store: Path, number: int, healthy: int, broken: int, withdrawn: str) -> None:
    """Compare the table with that of an undisturbed run, and the forfeits with the broken engines."""
    with Store(store) as played:
        plan, standings = stored_standings(played, number)
    table = standings.table()
    assert table == undisturbed(store, number)
    assert {row["player"] for row in table} == set(plan.names)
    names = list(plan.names)
    late, left = plan.late[0], dict(plan.withdrawn)[names.index(withdrawn)]
    for meeting in standings.meetings:
        players = {names[meeting.first], names[meeting.second]}
        assert "kim" not in players or meeting.round >= late
        assert withdrawn not in players or meeting.round < left
        forfeits = meeting.forfeits(plan.names)
        assert bool(forfeits) == bool(players & set(BROKEN)), forfeits
        assert sum(meeting.tally.results.values()) == standings.games_per_meeting
        if len(players & set(BROKEN)) == 1:
            (good,) = players - set(BROKEN)
            assert meeting.points(names.index(good)) == standings.games_per_meeting
    met = [frozenset((p.first, p.second)) for p in standings.meetings]
    assert len(met) == len(set(met))


@pytest.mark.slow
def test_a_small_class(tmp_path: Path) -> None:
    """Six players, two of them broken, in this process; the runs end by exceptions."""
    store, settings = tmp_path / "a.sqlite", {"swiss": 4, "pairs": 1, "seed": 5, "luck": "off", "workers": 0}
    before, after = class_file(tmp_path, 4, 2), class_file(tmp_path, 4, 2, "kim")
    runners = iter([Runner(4), Runner(3), Runner()])
    changes: list[dict[str, Any]] = [{}, {"late": "kim"}, {"late": "kim", "withdraw": "h1"}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starscout.api.running.SameProcessRunner", lambda: next(runners))
        for change in changes:
            with contextlib.suppress(starscout.Interrupted):
                players = after if change else before
                result = starscout.tournament(GAME, players, store=store, progress=False, **settings, **change)
                assert change == changes[-1]
                assert result.tournament == 1
    check(store, 1, 4, 2, "h1")


def stored_pairs(store: Path) -> int:
    with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(store, timeout=60)) as file:
        return file.execute("SELECT COUNT(*) FROM pairs").fetchone()[0]
    return 0


@pytest.mark.slow
def test_a_swiss_of_twelve(tmp_path: Path) -> None:
    """Twelve players, four of them broken; two directors are killed with SIGKILL, one player joins and one leaves."""
    store = tmp_path / "a.sqlite"
    before, after = class_file(tmp_path, 8, 4), class_file(tmp_path, 8, 4, "kim")
    settings = ("--swiss", "6", "--pairs", "2", "--luck", "off", "--workers", "2", "--json", "--store", str(store))
    runs = [(str(before),), (str(after), "--late", "kim"), (str(after), "--late", "kim", "--withdraw", "h1")]
    output = ""
    for number, (players, *changes) in enumerate(runs):
        command = [sys.executable, "-m", "starscout", "tournament", GAME, "--players", players, *changes, *settings]
        director = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if number < 2:
            # Kill the first run in round 2 and the second one in round 4; a round has at least 12 pairs.
            wanted, until = (16, 40)[number], time.monotonic() + 900
            while stored_pairs(store) < wanted and director.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            assert director.poll() is None, director.communicate()[1]
            os.kill(director.pid, signal.SIGKILL)
            director.communicate()
        else:
            output, errors = director.communicate(timeout=1800)
            assert director.returncode == 0, errors
    result = json.loads(output)
    assert result["tournament"] == 1
    with Store(store) as played:
        assert [row["player"] for row in result["table"]] == [
            row["player"] for row in stored_standings(played, 1)[1].table()
        ]
    check(store, 1, 8, 4, "h1")
