"""`starscout match`: JSON fields, reproducibility, interruption, invalid input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run as run_command
from tests.patience import PATIENCE

FIELDS = {
    "pairs", "games", "wins", "losses", "draws", "score", "score_error", "elo", "elo_error", "los", "luck_adjusted",
    "sprt", "forfeits", "mean_plies", "seconds",
}  # fmt: skip


def starscout(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(arguments, environment=environment)


def test_json_fields_and_repeatability(tmp_path: Path) -> None:
    arguments = ("match", "ewn-3x3-3", "random", "random", "--pairs", "30", "--seed", "5", "--json", "--workers", "0")
    first = starscout(*arguments, "--store", str(tmp_path / "a.sqlite"))
    assert first.returncode == 0, first.stderr
    value = json.loads(first.stdout)
    assert set(value) >= FIELDS
    assert value["games"] == 60 == value["wins"] + value["losses"] + value["draws"]
    assert value["score"] == value["wins"] / 60
    stored = json.loads(starscout(*arguments, "--store", str(tmp_path / "a.sqlite")).stdout)
    assert stored == value


def test_invalid_input_leaves_no_match(tmp_path: Path) -> None:
    store = str(tmp_path / "a.sqlite")
    for arguments in (
        ("ewn", "random", "rundom"),
        ("own", "random", "random"),
        ("ewn", "random", "random", "--sprt", "5", "0"),
        ("ewn", "random", "random", "--sprt-luck"),
    ):
        result = starscout("match", *arguments, "--store", store, NUMBA_DISABLE_JIT="1")
        assert result.returncode == 2
        assert result.stdout == ""
        assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("broken", ["agent.py", "helper.py"])
def test_agent_with_a_syntax_error_is_reported(tmp_path: Path, broken: str) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("import helper\n")
    (tmp_path / broken).write_text("class A:\n    def choose(self)\n")
    result = starscout(
        "match", "ewn-3x3-3", f"python:{agent}:A", "random", "--pairs", "1", "--workers", "1", "--store", ":memory:",
        NUMBA_DISABLE_JIT="1",
    )  # fmt: skip
    line = "line 1: " if broken == "helper.py" else ""
    told = f"starscout: the player file {agent} fails: {line}SyntaxError: expected ':' ({broken}, line 2)\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", told)


MATCH = ("match", "ewn-3x3-3", "random", "random", "--json")


@pytest.mark.parametrize("end", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_interrupted_match_resumes(tmp_path: Path, end: signal.Signals) -> None:
    store = str(tmp_path / "a.sqlite")
    process = subprocess.Popen(
        [sys.executable, "-m", "starscout", *MATCH, "--workers", "1", "--pairs", "10000000", "--store", store],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while stored_pairs(store) < 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, end)
    output, _ = process.communicate(timeout=300)
    before = stored_pairs(store)
    assert before >= 20
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert json.loads(output)["pairs"] == before
    pairs = str(before + 50)
    again = *MATCH, "--workers", "0", "--pairs", pairs, "--store"
    resumed = json.loads(starscout(*again, store).stdout)
    assert stored_pairs(store) == before + 50
    undisturbed = json.loads(starscout(*again, ":memory:").stdout)
    assert untimed(resumed) == untimed(undisturbed)


def untimed(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary without fields that depend on a clock."""
    used = {player: {"moves": what["moves"]} for player, what in summary["used"].items()}
    return {**summary, "seconds": 0, "used": used}


def stored_pairs(store: str) -> int:
    import sqlite3

    if not Path(store).exists():
        return 0
    database = sqlite3.connect(store, timeout=10)
    try:
        return database.execute("SELECT count(*) FROM pairs").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def plain(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In plain Python: random movers have nothing to compile."""
    return starscout("match", *arguments, "--store", ":memory:", "--workers", "0", NUMBA_DISABLE_JIT="1")


def test_engine_that_never_moves_ends_the_match_with_its_error(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\necho no weights here >&2\nexit 3\n")
    agent.chmod(0o755)
    done = plain("ewn-3x3-3", f"lab:{agent}", "random", "--pairs", "50", "--luck", "off")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    # A batch is checked when it ends; its size depends on the time that its games take.
    games = int(lines[2].split()[-2])
    assert lines[2].split() == ["forfeits", "of", "A", "crash", f"{games}×", "of", f"{games}", "games"]
    assert 2 <= games < 100
    assert "exit code 3" in lines[3]
    assert "A (agent) never made a move: pair 0, game " in done.stderr
    assert "no weights here" in done.stderr


@pytest.mark.parametrize(("game", "protocol"), [("kari", "tcg-raw"), ("othello", "otp")])
def test_course_programs_play_matches(game: str, protocol: str, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    words = f"{sys.executable} -m starscout engine random --protocol {protocol} --game {game} --nodes 10"
    agent.write_text(f"#!/bin/sh\ncd {Path(__file__).parents[2]} && exec {words}\n")
    agent.chmod(0o755)
    done = plain(game, f"{protocol}:{agent}", "random", "--pairs", "1", "--luck", "off", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["forfeits"] == {"A": {}, "B": {}}
    # tcg-raw cannot start from an opening, which is reported; otp can.
    assert ("no random openings" in done.stderr) == (protocol == "tcg-raw")


def test_limit_of_a_player_overrides_the_match() -> None:
    done = plain("ewn-3x3-1", "negascout depth=1 eval=zero table=0", "mcts nodes=1000", "--pairs", "1",
                 "--depth", "3", "--simulations", "5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    limits = [line.split("limit: ")[1].strip() for line in done.stdout.splitlines() if "limit: " in line]
    assert limits == ["1 ply", "3 plies, 5 simulations"]
