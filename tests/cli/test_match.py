"""`starscout match` as a program runs it: fields, repeatability, interruption, bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FIELDS = {
    "pairs", "games", "wins", "losses", "draws", "score", "score_error", "elo", "elo_error", "los", "luck_adjusted",
    "sprt", "forfeits", "mean_plies", "seconds",
}  # fmt: skip


def starscout(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "starscout", *arguments], capture_output=True, text=True, timeout=300)


def test_json_fields_and_repeatability(tmp_path: Path) -> None:
    arguments = ("match", "ewn-3x3-3", "random", "random", "--pairs", "30", "--seed", "5", "--json", "--workers", "1")
    first = starscout(*arguments, "--store", str(tmp_path / "a.sqlite"))
    assert first.returncode == 0, first.stderr
    value = json.loads(first.stdout)
    assert set(value) >= FIELDS
    assert value["games"] == 60 == value["wins"] + value["losses"] + value["draws"]
    assert value["score"] == value["wins"] / 60
    stored = json.loads(starscout(*arguments, "--store", str(tmp_path / "a.sqlite")).stdout)
    assert stored == value


def test_bad_input_is_a_sentence_and_leaves_no_match(tmp_path: Path) -> None:
    store = str(tmp_path / "a.sqlite")
    for arguments in (
        ("ewn", "random", "rundom"),
        ("own", "random", "random"),
        ("ewn", "random", "random", "--sprt", "5", "0"),
        ("ewn", "random", "random", "--sprt-luck"),
    ):
        result = starscout("match", *arguments, "--store", store)
        assert result.returncode == 2
        assert result.stdout == ""
        assert len(result.stderr.strip().splitlines()) == 1


LONG_MATCH = ("match", "ewn-3x3-3", "random", "random", "--pairs", "1600", "--json", "--workers", "1")


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    return json.loads(starscout(*LONG_MATCH, "--store", ":memory:").stdout)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_match_goes_on(tmp_path: Path, end: signal.Signals, undisturbed: dict[str, Any]) -> None:
    store = str(tmp_path / "a.sqlite")
    process = subprocess.Popen(
        [sys.executable, "-m", "starscout", *LONG_MATCH, "--store", store],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while stored_pairs(store) < 50 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, end)
    output, _ = process.communicate(timeout=300)
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert 50 <= json.loads(output)["pairs"] < 1600
    assert 50 <= stored_pairs(store) < 1600
    resumed = json.loads(starscout(*LONG_MATCH, "--store", store).stdout)
    assert untimed(resumed) == untimed(undisturbed)


def untimed(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary without what comes from a clock."""
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
