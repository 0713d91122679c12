"""Exit codes of `starscout match` for scripts, and the fields that describe a match."""

import json
import subprocess
from pathlib import Path

import pytest

import starscout
from tests.command_line import run as run_command

QUICK = ("--workers", "0", "--store", ":memory:", "--luck", "off")
GOOD, BAD = "mcts simulations=20", "random"


def match(*words: str) -> "subprocess.CompletedProcess[str]":
    return run_command(("match", "ewn-3x3-3", *words, *QUICK))


def agent(folder: Path, text: str) -> str:
    (folder / "agent.py").write_text(f"class A:\n    def choose(self, state, limit):\n        {text}\n")
    return f"python:{folder / 'agent.py'}:A"


@pytest.mark.parametrize(
    ("players", "bounds", "wanted", "code"),
    [
        ((GOOD, BAD), ("0", "30"), "elo1", 0),
        ((GOOD, BAD), ("0", "30"), "elo0", 3),
        ((BAD, GOOD), ("0", "30"), "elo0", 0),
        ((BAD, BAD), ("0", "1"), "elo1", 125),
        (("lab:./missing", BAD), ("0", "1"), "elo1", 125),
    ],
)
def test_fail_unless(players: tuple[str, str], bounds: tuple[str, str], wanted: str, code: int) -> None:
    pairs = () if code != 125 else ("--pairs", "2")
    done = match(*players, "--sprt", *bounds, "--fail-unless", wanted, *pairs)
    assert done.returncode == code, done.stderr
    assert ("--fail-unless" in done.stderr) == (code != 0 and "lab:./missing" not in players)


@pytest.mark.parametrize("words", [("--fail-unless", "elo1"), ("--sprt", "0", "1", "--fail-unless", "elo2")])
def test_invalid_condition_is_invalid_input(words: tuple[str, ...]) -> None:
    done = match(BAD, BAD, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("starscout: --fail-unless")


def test_player_that_crashes_in_every_game_fails(tmp_path: Path) -> None:
    """Also if it makes its first moves, and if the match is short."""
    crashing = agent(tmp_path, "return state.moves[0] if state.ply < 2 else 1 / 0")
    done = match(crashing, BAD, "--pairs", "1")
    assert done.returncode == 1
    assert "A (A) forfeited every game: pair 0, game 0: crash: ZeroDivisionError" in done.stderr
    assert match(crashing, BAD, "--pairs", "1", "--sprt", "0", "1", "--fail-unless", "elo1").returncode == 125
    assert match(crashing, BAD, "--pairs", "1", "--fail-on-forfeit").returncode == 3


def test_fail_on_forfeit_accepts_games_without_forfeits(tmp_path: Path) -> None:
    playing = agent(tmp_path, "return state.moves[0]")
    assert match(playing, BAD, "--pairs", "1", "--fail-on-forfeit").returncode == 0


def test_json_describes_the_match() -> None:
    done = match(GOOD, BAD, "--sprt", "0", "30", "--seed", "7", "--nodes", "50", "--json")
    value = json.loads(done.stdout)
    assert value["game"] == "ewn-3x3-3"
    assert value["players"] == {"A": GOOD, "B": BAD}
    assert value["limits"]["B"] == {"nodes": 50}
    assert (value["seed"], value["version"]) == (7, starscout.__version__)
    played = value["pairs"]
    assert value["stopped_early"] == f"after {played} of 20,000 pairs: the sequential test accepted H1"
