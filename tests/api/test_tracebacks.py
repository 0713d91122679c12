"""Tracebacks of the API: documented errors end at the caller's line, without internal frames."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout.errors import TRACEBACKS, is_internal_file, public

START = starscout.start("ewn")
CALLS: dict[str, Callable[[], Any]] = {
    "load": lambda: starscout.load("otello"),
    "parse": lambda: starscout.parse("ewn", "nonsense"),
    "unknown argument": lambda: starscout.match("ewn", "random", "random", piars=3),  # pyright: ignore
    "missing argument": lambda: starscout.match("ewn"),  # pyright: ignore
    "wrong argument": lambda: starscout.perft(START, "three"),  # pyright: ignore
    "unknown player": lambda: starscout.match("ewn", "rndom", "random"),
    "unknown program": lambda: starscout.analyse(START, "lab:./missing"),
    "option": lambda: starscout.analysis(START, "negascout evl=race"),
    "configure": lambda: starscout.player("random", "ewn").configure({"own": 7}),
    "no roll": lambda: START.moves,
    "legal": lambda: START.legal,
    "roll": lambda: START.rolled(9),
    "move": lambda: START.rolled(3).play("Z9"),
    "move number": lambda: START.rolled(3).play(-1),
    "undo": lambda: START.undo(),
    "file": lambda: starscout.replay("missing.json"),
    "store": lambda: starscout.results(store="missing.sqlite"),
    "picture": lambda: starscout.show(START).plot().save("board.jpg"),
    "tree": lambda: starscout.GameTree("otello"),
    "tree move": lambda: starscout.GameTree("othello").root.play("a1"),
    "tree file": lambda: starscout.GameTree.load("missing.json"),
    "environment": lambda: starscout.batch("otello", 2),
}


def internal_frames(error: BaseException) -> list[traceback.FrameSummary]:
    return [frame for frame in traceback.extract_tb(error.__traceback__) if is_internal_file(frame.filename)]


@pytest.mark.parametrize("name", CALLS)
def test_documented_errors_have_one_internal_frame(name: str) -> None:
    with pytest.raises((starscout.GameError, TypeError, OSError)) as caught:
        CALLS[name]()
    assert len(internal_frames(caught.value)) == 1
    assert caught.value.__suppress_context__
    assert caught.value.__cause__ is None


def test_full_tracebacks_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACEBACKS, "full")
    with pytest.raises(starscout.GameError) as caught:
        starscout.load("otello")
    assert len(internal_frames(caught.value)) > 2


def test_internal_errors_keep_their_frames() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        # A function of the package that fails without a user frame inside.
        public(_failing_inside)()
    assert len(internal_frames(caught.value)) == 2


def _failing_inside() -> None:
    code = compile("1 / 0", str(Path(starscout.__file__).with_name("inner.py")), "exec")
    exec(code)


def test_errors_in_a_users_code_keep_its_frames() -> None:
    def outer() -> None:
        public(inner)()

    def inner() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError) as caught:
        public(outer)()
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-3:] == ["call", "outer", "inner"]
