"""`tcg-dark`: boards become positions with their pool, and both sides of the protocol play."""

import os
import random
import re
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game.state import start
from starscout.protocols.sandbox import MEMORY_VARIABLE
from starscout.protocols.tcg_dark import BoardTracker, board_line
from tests.protocols.conftest import converse_here

DARK = games.load("dark-chess")
REFERENCE = Path(__file__).parents[3] / "shared" / "dark_chess.md"

STUDENT = '''
"""A student's engine: the first flip, else the first step of an own piece to an empty neighbour."""
import sys

def squares(board):
    return "".join("." * int(c) if c.isdigit() else c for c in board.replace("/", ""))

for line in sys.stdin:
    board, side, *times = line.split()
    if times and float(times[0]) < -1:
        continue
    cells = squares(board)
    name = lambda s: "ABCDEFGH"[s % 8] + str(s // 8 + 1)
    answer = next((f"FLIP {name(s)}" for s in range(32) if cells[s] == "?"), None)
    for s in range(32):
        own = cells[s].isalpha() and cells[s].islower() == (side == "r")
        for d in (1, -1, 8, -8):
            t = s + d
            if answer is None and own and 0 <= t < 32 and (abs(d) == 8 or t // 8 == s // 8) and cells[t] == ".":
                answer = f"MOVE {name(s)} {name(t)}"
    print(answer or "MOVE A1 H4", flush=True)
'''


@pytest.mark.parametrize("seed", range(3))
def test_the_tracker_derives_pool_and_quiet_plies(seed: int) -> None:
    generator, tracker, state = random.Random(seed), BoardTracker(DARK), start(DARK)
    while not state.over:
        state = state.rolled(generator)
        if state.over:
            break
        seen = tracker.see(*board_line(state).split())
        assert seen.position[:5] == state.position[:5], state.text
        state = state.play(generator.choice(state.legal))


def test_the_engine_answers_only_boards_with_times() -> None:
    boards = (
        "????????/????????/????????/???????? r -9999 -9999",
        "????????/???N????/????????/???????? r 600000 599652.3",
        "??????P?/???N????/????????/???????? b -9999 -9999",
        "??????P?/???N????/????????/????n??? r 600000 599000",
    )
    answers = converse_here("tcg-dark", "\n".join(boards) + "\n", "dark-chess").splitlines()
    assert len(answers) == 2
    assert all(re.fullmatch(r"FLIP [A-H][1-4]|MOVE [A-H][1-4] [A-H][1-4]", answer) for answer in answers)


def test_the_short_form_is_answered_every_time() -> None:
    answers = converse_here("tcg-dark", "k6K/8/8/8 r\n1k5K/8/8/8 b\n", "dark-chess-open").splitlines()
    assert [answer.split()[0] for answer in answers] == ["MOVE", "MOVE"]


def test_a_student_engine_plays_unchanged(tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(STUDENT, encoding="utf-8")
    result = starscout.match(
        "dark-chess", f"tcg-dark:python3 {program}", "random", pairs=1, workers=0, store=":memory:", game_time=60
    )
    assert result.games == 2
    reasons = {record.reason for record in result.records}
    assert not reasons & {"crash", "timeout", "disconnected", "stalled"}
    assert all(len(record.plies) > 20 for record in result.records)


def test_a_command_with_a_file_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text(STUDENT, encoding="utf-8")
    result = starscout.course_match(
        "dark-chess-open", "python3 agent.py", "random", store=":memory:", time=60, progress=False
    )
    assert "crash" not in result.forfeits["A"]
    with pytest.raises(starscout.GameError, match=r" or 'tcg-dark:python3 agent\.py' "):
        starscout.match("dark-chess", "python3 agent.py", "random", pairs=1, store=":memory:")


@pytest.mark.parametrize(("name", "megabytes"), [("dark-chess", 1024), ("dark-chess-open", 400)])
def test_the_course_limits_the_memory_of_engines(
    name: str, megabytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine crashes unless its address space has this limit."""
    monkeypatch.delenv(MEMORY_VARIABLE, raising=False)
    program = tmp_path / "agent.py"
    check = f"import resource\nassert resource.getrlimit(resource.RLIMIT_AS)[0] == {megabytes} << 20\n"
    program.write_text(f"#!/usr/bin/env python3\n{check}{STUDENT}", encoding="utf-8")
    program.chmod(0o755)
    result = starscout.course_match(name, str(program), "random", store=":memory:", game_time=60, progress=False)
    assert "crash" not in result.forfeits["A"]
    assert MEMORY_VARIABLE not in os.environ
    monkeypatch.setenv(MEMORY_VARIABLE, "2048")
    result = starscout.course_match(name, str(program), "random", store=":memory:", game_time=60, progress=False)
    assert result.forfeits["A"] == {"crash": 1}


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference material is not here")
def test_the_recorded_dark_game_replays() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    lines = re.findall(r"^ +\d+ (?:first|second) +(\S+) ([rb]) [\d. ]+ ->  (\S+ .*)$", text, re.M)
    assert len(lines) == 64
    tracker, state, last = BoardTracker(DARK), start(DARK), ""
    for board, side, move in lines:
        if state.needs_roll:
            square = "ABCDEFGH".index(last[5]) + 8 * (int(last[6]) - 1)
            squares = re.sub(r"\d", lambda run: "." * int(run[0]), board.replace("/", ""))
            state = state.rolled(squares[square])
        wide = re.sub(r"\d", lambda run: "." * int(run[0]), board)
        shown = re.sub(r"\d", lambda run: "." * int(run[0]), board_line(state).split()[0])
        assert (shown, board_line(state).split()[1]) == (wide, side)
        assert tracker.see(board, side).position[:5] == state.position[:5]
        state, last = state.play(move), move
    state = state.rolled("P")
    assert state.outcome is not None
    assert state.outcome.reason == "stalemate"
    # The first flip was red, so Black is the second player.
    assert state.outcome.winner == 1
