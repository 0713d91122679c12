"""Every view without violations of axe-core, in both colour schemes."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from tests.web.client import PATIENCE, allow_analyses

REPORT = """
async () => (await axe.run()).violations.flatMap((rule) => rule.nodes.slice(0, 3).map((node) =>
  `${rule.id}: ${node.html.slice(0, 200)}: ${[...node.any, ...node.all, ...node.none][0]?.message}`))
"""
RACE = "12.%2F3.a%2F.cb r 1"


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core: the file AXE_CORE, or the one of axe-playwright-python."""
    found = importlib.util.find_spec("axe_playwright_python")
    places = [os.environ.get("AXE_CORE", ""), *(found.submodule_search_locations or [] if found else [])]
    for place in filter(None, places):
        file = Path(place) if place.endswith(".js") else Path(place) / "axe.min.js"
        if file.exists():
            return file.read_text(encoding="utf-8")
    pytest.skip("axe-core is missing (pip install axe-playwright-python): views are not checked for accessibility")


# One colour scheme by default: the check takes a second per view.
@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_views_have_no_violations(tab: Any, address: str, store: Path, axe: str, scheme: str) -> None:
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=11, luck="eval=race depth=1")
    with Store(store) as opened:
        match = opened.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
        opened.add(match.id, play_batch(Batch(match.id, plan, (0, 1))).records)
        opened.finish(match.id, 2)
    views = {
        "#/play": "#play",
        "#/watch": "table",
        "#/watch/new": "#run-begin",
        f"#/watch/match/{match.id}": "[data-replay] svg.board",
        f"#/wall/match/{match.id}": "[data-replay] svg.board",
        "#/analyse": ".games button",
        f"#/analyse/match/{match.id}/0/0": "svg.curve",
        f"#/analyse/position/ewn-3x3-3/{RACE}": ".square.target",
        "#/analyse/position/backgammon": ".square",
        "#/analyse/position/dark-chess": ".square.target",
        "#/puzzles": "main .sheet",
        "#/archive": "tbody tr",
        f"#/search/ewn-3x3-3/{RACE}": ".tree summary",
    }
    found: dict[str, list[str]] = {}

    def check(name: str) -> None:
        tab.evaluate(axe)
        tab.evaluate("(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme)
        if violations := tab.evaluate(REPORT):
            found[name] = violations

    for view, ready in views.items():
        # One analysis is enough: those of other games compile their searches.
        allow_analyses(tab, "ewn-3x3-3" in view)
        tab.goto(f"{address}{view}")
        # A view that cannot be shown says why.
        tab.wait_for_selector(f"{ready}, main p.bad", timeout=1000 * PATIENCE)
        assert tab.locator("main p.bad").all_inner_texts() == [], view
        check(view)
    tab.goto(f"{address}#/play")
    tab.click("[data-game=othello]")
    tab.click("#play")
    tab.wait_for_selector(".table svg.board")
    check("a game")
    assert found == {}
