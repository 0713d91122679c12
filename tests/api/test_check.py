"""`starscout.check` reports what is wrong with an engine."""

import json
import shlex
import stat
import sys
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

import starscout
from starscout.api import check as checking
from starscout.protocols import diagnosis
from tests.blocks import ROOT

ENGINE = """#!{python} -IS
import os, sys, time

bug = sys.argv[1] if len(sys.argv) > 1 else {bug!r}
held = ""


def say(text):
    global held
    data = text + ("\\r\\n" if bug == "crlf" else "" if bug == "newline" and "best" in text else "\\n")
    if bug == "flush" or (bug == "flush moves" and "best" in text):
        held += data
    else:
        os.write(1, data.encode())


for line in sys.stdin:
    word, *rest = line.split()
    if word == "lab":
        say("id name bugs")
        say("uciok" if bug == "handshake" else "labok")
    elif word == "isready":
        say("readyok")
    elif word == "position":  # of ewn-3x3-3: start BOARD r - moves 1 A1B1 …
        rows = rest[1].split("/")
        board = {{"ABC"[c] + "123"[r]: rows[r][c] for r in range(3) for c in range(3) if rows[r][c] != "."}}
        red = rest[2] == "r"
        for move in rest[6::2]:
            board[move[2:]] = board.pop(move[:2])
            red = not red
    elif word == "go":
        names, step, goal = ("123", 1, "C3") if red else ("abc", -1, "A1")
        cubes = [(abs(names.index(p) + 1 - int(rest[1])), s) for s, p in board.items() if p in names]
        square = min(cubes)[1]
        move = square + "".join(c if c == g else chr(ord(c) + step) for c, g in zip(square, goal))
        if bug == "crash":
            sys.exit("index 7 out of range")
        if bug == "memory":
            raise MemoryError
        if bug == "debug":
            say("thinking")
        if bug == "late":
            time.sleep(0.7)
        if bug == "busy":
            while True:
                pass
        say(("move " if bug == "keyword" else "bestmove ") + ("A1A1" if bug == "illegal" else move))
    elif word == "quit":
        break
os.write(1, held.encode())
"""

GAME = "ewn-3x3-3"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lab engine in the working directory, whose argument selects a bug; the check waits for less time than usual."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "PATIENCE", (0.8, 30.0, 180.0))
    monkeypatch.setattr(diagnosis, "LISTEN_SECONDS", 0.8)
    monkeypatch.setattr(diagnosis, "EXIT_SECONDS", 0.5)
    return write_engine(tmp_path / "mine")


def write_engine(file: Path, bug: str = "") -> Path:
    file.write_text(ENGINE.format(python=sys.executable, bug=bug))
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def slow(*values: str) -> ParameterSet:
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("bug", "kind", "message"),
    [
        ("keyword", "wrong keyword", "is not an answer to `go die 2 movetime 300`: expected `bestmove "),
        ("flush", "missing flush", "`labok`, the answer to `lab 1`, arrived only when the engine exited"),
        slow("flush moves", "missing flush", "arrived only when the engine exited"),
        ("debug", "debug output", "lines are not part of lab, first `thinking`"),
        ("crlf", "CRLF", r"lines end with \r\n"),
        ("late", "late answer", "it had 0.3 s"),
        slow("busy", "late answer", "it was still computing"),
        ("crash", "crash", "exit code 1 after `go die 2 movetime 300`; last output: `index 7 out of range`"),
        slow("memory", "memory", "last output: `MemoryError`"),
        ("illegal", "illegal move", "'A1A1' is not a legal move"),
        ("handshake", "wrong handshake", "`uciok` is not an answer to `lab 1`: expected `labok`"),
        slow("newline", "missing newline", "does not end with a newline"),
    ],
)
def test_bug_is_named(engine: Path, monkeypatch: pytest.MonkeyPatch, bug: str, kind: str, message: str) -> None:
    result = starscout.check(GAME, f"lab:./mine '{bug}'", time=0.3)
    assert (result.ok, result.protocol) == (False, "lab")
    (problem,) = result.problems
    assert problem.kind == kind
    assert message in problem.message
    assert any(line.startswith(f"{problem.line} ") for line in problem.transcript)


def test_working_engine(engine: Path) -> None:
    result = starscout.check(GAME, "lab:./mine", time=0.3)
    assert (result.ok, result.games, result.problems) == (True, 2, ())
    assert 0 < result.slowest < 0.3
    assert result.memory > 1 << 20
    assert str(result).startswith("lab:./mine works: 2 games")


def test_protocol_is_found_and_json_has_the_fields(engine: Path) -> None:
    assert starscout.check(GAME, "./mine", time=0.3).engine == "lab:./mine"
    result = starscout.check(GAME, "./mine keyword", time=0.3)
    assert result.protocol == "lab"
    fields = json.loads(json.dumps(result.json()))
    assert {"ok", "protocol", "games", "problems"} <= set(fields)
    assert set(fields["problems"][0]) == {"kind", "message", "line", "transcript"}


def test_no_protocol_fits(engine: Path) -> None:
    result = starscout.check(GAME, "./mine handshake", time=0.3)
    assert (result.protocol, result.problems[0].kind) == ("lab", "wrong handshake")
    (Path("silent")).write_text("#!/bin/sh\nwhile read line; do :; done\n")
    Path("silent").chmod(0o755)
    result = starscout.check(GAME, "./silent")
    assert (result.protocol, result.problems[0].kind) == ("", "wrong handshake")
    assert "no handshake of ewn-3x3-3 was answered (tried lab)" in result.problems[0].message


def test_a_crash_at_the_start_is_named_without_a_protocol(engine: Path) -> None:
    Path("broken").write_text("#!/bin/sh\necho no such model >&2\nexit 3\n")
    Path("broken").chmod(0o755)
    (problem,) = starscout.check(GAME, "./broken").problems
    assert problem.kind == "crash"
    assert "exit code 3; last output: `no such model`" in problem.message.replace(" after `lab 1`", "")


AGENT = """
import time
class Agent:
    def choose(self, state, limit):
        {}
"""


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("return state.legal[0]", "", ""),
        ("return 'A9A9'", "illegal move", "'A9A9' is not a legal move"),
        slow("return {}[3]", "crash", "KeyError: 3"),
        slow("time.sleep(3)", "late answer", "did not answer within"),
    ],
)
def test_python_classes(engine: Path, body: str, kind: str, message: str) -> None:
    Path("agent.py").write_text(AGENT.format(body))
    # A file with one such class needs no prefix.
    result = starscout.check(GAME, "agent.py", time=0.3)
    assert (result.protocol, result.engine) == ("python", "python:agent.py:Agent")
    assert [problem.kind for problem in result.problems] == ([kind] if kind else [])
    assert all(message in problem.message for problem in result.problems)


WAITING = """#!{python} -IS
import sys
for line in sys.stdin:
    if line.startswith("get"):
        {answer}
    else:
        print("C1 B2 A3 A1 B1 A2" if line.startswith("ini") else "1", flush=True)
"""


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ("print('A2 B3')", "missing flush", "`A2 B3`, the answer to `get R "),
        slow("print('A2 B3', end='', flush=True)", "missing newline", "`A2 B3` does not end with a newline"),
        slow("while True: pass", "late answer", "it was still computing; `check` waits at most 1 s for the first move"),
    ],
)
def test_engine_that_will_not_answer_is_given_up_before_the_clock_ends(
    engine: Path, monkeypatch: pytest.MonkeyPatch, answer: str, kind: str, message: str
) -> None:
    monkeypatch.setattr(diagnosis, "IDLE_SECONDS", 0.5)
    monkeypatch.setattr(checking, "FIRST_MOVE_SECONDS", 30.0 if kind.startswith("missing") else 1.0)
    engine.write_text(WAITING.format(python=sys.executable, answer=answer))
    result = starscout.check("ewn", "tcg-ewn:./mine")  # 60 s per game
    (problem,) = result.problems
    assert (problem.kind, result.seconds < 30.0) == (kind, True)
    assert message in problem.message


def test_missing_program_is_an_error(engine: Path) -> None:
    with pytest.raises(starscout.GameError, match=r"the program '\./none' does not exist"):
        starscout.check(GAME, "./none")
    with pytest.raises(starscout.GameError, match="there is no player 'strongg'"):
        starscout.check(GAME, "strongg")


def test_match_suggests_classes_of_python_files(engine: Path) -> None:
    Path("agent.py").write_text(AGENT.format("return 0"))
    for spec, written in (("agent.py", "python:agent.py:CLASS"), ("agent.py:Agent", "python:agent.py:Agent")):
        with pytest.raises(starscout.GameError, match=f"{spec}' is a file with a Python class: write {written}"):
            starscout.match("ewn", spec, "random", pairs=1)


def test_match_suggests_protocols_and_check(engine: Path) -> None:
    with pytest.raises(starscout.GameError) as caught:
        starscout.match("ewn", "./mine", "random", pairs=1)
    assert "write lab:./mine or tcg-ewn:./mine (`starscout check ewn ./mine` finds out)" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "mode", "command"),
    [("mine", 0o755, "./mine"), ("mine.py", 0o755, "./mine.py"), ("mine.py", 0o644, "python3 mine.py")],
)
def test_match_suggests_how_to_start_a_file_of_this_folder(engine: Path, spec: str, mode: int, command: str) -> None:
    Path(spec).write_text("#!/usr/bin/env python3\n")
    Path(spec).chmod(mode)
    with pytest.raises(starscout.GameError) as caught:
        starscout.match("ewn", spec, "random", pairs=1)
    assert f"write {shlex.quote(f'lab:{command}')} or " in str(caught.value)
    assert f"`starscout check ewn {shlex.quote(command)}`" in str(caught.value)


def test_page_shows_a_real_diagnosis(engine: Path) -> None:
    page = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    shown = page.partition("```text\nwrong keyword: ")[2].partition("```")[0]
    write_engine(engine, "keyword")
    source = (
        engine.read_text().replace('"ABC"', '"ABCDE"').replace('"123"[r]', '"12345"[r]').replace("range(3)", "range(5)")
    )
    engine.write_text(source.replace('("123", 1, "C3")', '("123456", 1, "E5")').replace('"abc"', '"abcdef"'))
    assert f"wrong keyword: {shown}".strip() == str(starscout.check("ewn", "lab:./mine"))
