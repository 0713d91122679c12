"""Puzzles from the largest losses in stored games."""

import datetime
from pathlib import Path
from typing import Any

import pytest

from starscout.api.games import parse
from starscout.arena.batch import play_pair
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.records.record import GameRecord, Ply
from starscout.search.limits import Limit
from starscout.web.archive import Archive
from starscout.web.puzzle_search import MIN_LOSS, Mistake, find_puzzles, make_puzzle
from starscout.web.puzzles import wanted_grade
from starscout.web.worker import Context
from tests.web.client import PATIENCE, Page

CORNER = "1../.../a.. r 1"
"""Red to move wins with A1B2 and loses with the other moves."""


@pytest.fixture(autouse=True)
def quick_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for a board of 3 × 3."""
    monkeypatch.setattr("starscout.web.puzzle_search.ANALYSIS_SECONDS", 0.05)


def mistake(text: str, move: str, loss: float = 0.5) -> Mistake:
    state = parse("ewn-3x3-3", text)
    ply = Ply(1, move, state.parse_move(move), 0.0, None, None, None, None)
    record = GameRecord("ewn-3x3-3", text.replace(" 1", " -"), ("a", "b"), (ply,), 1, "corner")
    return Mistake(loss, "game/x", 0, record)


def test_puzzle_has_one_solution_and_a_grade() -> None:
    state = parse("ewn-3x3-3", CORNER)
    puzzle = make_puzzle(state, mistake(CORNER, "A1B1"))
    assert puzzle is not None
    assert puzzle["best"] == "A1B2"
    assert puzzle["values"] == {"A1B2": 1.0, "A1B1": 0.0, "A1A2": 0.0}
    assert 1 <= puzzle["grade"] <= 5
    assert make_puzzle(state, mistake(CORNER, "A1B2")) is None


def test_search_finds_mistakes_of_annotated_games_once(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    plan = make_plan("ewn-3x3-3", "random", "random", Limit(), 4, luck="eval=race depth=1")
    with Store(path) as store:
        match_run = MatchRun(store, plan, StoppingRule(4))
        for pair in range(4):
            store.add(match_run.id, [play_pair(plan, pair)])
        store.finish(match_run.id, 4)
    sent: list[dict[str, Any]] = []
    context = Context(1, lambda message: sent.append(message[2]))
    archive = Archive(str(tmp_path / "page.sqlite"))
    count = find_puzzles(context, str(path), frozenset(), [])
    assert count == sum(found["puzzle"] is not None for found in sent) > 0
    for found in sent:
        archive.save_puzzle(found["key"], found["puzzle"])
        if found["puzzle"]:
            assert found["puzzle"]["loss"] >= MIN_LOSS
    assert find_puzzles(context, str(path), archive.tried_puzzles(), []) == 0
    assert len(archive.puzzles()) == count
    archive.close()


def test_puzzle_of_the_day_does_not_change(tmp_path: Path) -> None:
    archive = Archive(str(tmp_path / "page.sqlite"))
    assert archive.daily_puzzle("2026-01-05", 1) is None
    for key, grade in (("a", 1), ("b", 3), ("c", 5)):
        archive.save_puzzle(key, {"grade": grade})
    archive.save_puzzle("none", None)
    assert archive.daily_puzzle("2026-01-05", 3) == "b"
    assert archive.daily_puzzle("2026-01-06", 3) in ("a", "c")
    assert archive.daily_puzzle("2026-01-05", 1) == "b"
    archive.close()


def test_first_answer_says_that_a_search_has_begun(page: Page) -> None:
    assert page.ask("puzzles")["searching"]


@pytest.mark.parametrize(("day", "grade"), [(5, 1), (7, 2), (9, 3), (11, 5)])
def test_grade_grows_during_the_week(day: int, grade: int) -> None:
    assert wanted_grade(datetime.date(2026, 1, day)) == grade


@pytest.mark.slow
def test_puzzle_in_the_browser(tab: Any, address: str, store: Path) -> None:
    puzzle = make_puzzle(parse("ewn-3x3-3", CORNER), mistake(CORNER, "A1B1"))
    archive = Archive(str(store.with_suffix(".page.sqlite")))
    archive.save_puzzle("game/x@0", puzzle)
    archive.close()
    tab.click("[data-tab=puzzles]")
    tab.locator("[data-puzzle='game/x@0']").click(timeout=1000 * PATIENCE)
    tab.wait_for_selector(".square.target")
    assert "find the best move" in tab.inner_text(".status")
    tab.click("[data-name=B1]")
    tab.wait_for_selector("text=A1B1 loses 100.0 % of win probability: try again.")
    tab.click("[data-name=B2]")
    tab.wait_for_selector("text=Yes, A1B2 is the best move.")
    tab.wait_for_selector("[data-name=B2] .piece")
    tab.click("text=More puzzles")
    tab.wait_for_selector("[data-puzzle='game/x@0'] >> text=seen")
