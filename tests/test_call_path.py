"""Trace plies of `strong` in a match and compare the modules they pass through with docs/architecture.md."""

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import starscout

PACKAGE = Path(starscout.__file__).parent
ROOT = PACKAGE.parent
MAX_FILES = 10
"""Files of the package that a ply may touch."""


def traced_plies(game: str, **limit: Any) -> list[list[str]]:
    """Files of the Python functions called for each ply of `strong`, in order of their first call.

    A ply lasts from the referee's call of `choose` until its `Ply` is created. Compiled kernels and generated functions
    (constructors of dataclasses and named tuples) have no file of their own and do not appear.
    """
    plies: list[list[str]] = []
    current: dict[str, None] | None = None

    def profile(frame: FrameType, event: str, _: object) -> None:
        nonlocal current
        caller = frame.f_back
        # Numba reports calls of compiled kernels as frames without a caller.
        if event != "call" or caller is None:
            return
        if current is None:
            if frame.f_code.co_name != "choose" or path(frame) != "players/negascout.py":
                return
            if not path(caller).startswith("referee/"):
                return
            current = {path(caller): None}
        if frame.f_globals.get("__name__") == "namedtuple_Ply":
            plies.append(list(current))
            current = None
        elif path(frame):
            current.setdefault(path(frame))

    # Loading kernels takes several times as long while calls are profiled.
    _play(game, nodes=1)
    sys.setprofile(profile)
    try:
        _play(game, **limit)
    finally:
        sys.setprofile(None)
    return plies


def _play(game: str, **limit: Any) -> None:
    """Play the first plies of a pair in this process, without random openings, whose evaluation would be compiled."""
    starscout.match(
        game, "strong", "strong", pairs=1, seed=1, workers=0, luck="off", opening_plies=0, progress=False,
        store=":memory:", max_plies=16, **limit,
    )  # fmt: skip


def path(frame: FrameType) -> str:
    """The path of a function's file within the package; empty outside of it."""
    file = frame.f_code.co_filename
    return Path(file).relative_to(PACKAGE).as_posix() if file.startswith(f"{PACKAGE}/") else ""


def listed_files() -> list[str]:
    """The modules that the section on one ply names, in order."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("\n## One ply\n")[2].partition("\n## ")[0]
    return list(dict.fromkeys(re.findall(r"^\d+\. `starscout/([\w/]+\.py)`", section, re.MULTILINE)))


def test_page_lists_the_modules_of_one_ply() -> None:
    plies = traced_plies("ewn", time=0.02)
    assert len(plies) > 10
    # The first ply of each player fills caches.
    assert sorted(plies[2]) == sorted(listed_files())


@pytest.mark.parametrize(
    "game",
    [
        "ewn",
        *(pytest.param(game, marks=pytest.mark.slow) for game in ("ewn-cyclic", "kari", "othello", "dark-chess")),
    ],
)
def test_one_ply_touches_few_files(game: str) -> None:
    """Of the median ply; plies that call the solver of Othello touch up to two more files."""
    plies = sorted(traced_plies(game, nodes=2000), key=len)
    median = plies[len(plies) // 2]
    assert len(median) <= MAX_FILES, median
