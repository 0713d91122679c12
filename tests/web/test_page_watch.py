"""The Watch and Search tree tabs in a browser, and saved reports."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.workers import SameProcessRunner
from starscout.experiments.runner import run_experiment
from starscout.views.store import match_report, write_report
from tests.experiments.examples import EXPERIMENT
from tests.web.client import PATIENCE, Page, serving


def test_start_and_watch_a_match(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/watch/new")
    tab.wait_for_selector("#run-begin")
    tab.select_option("#run-game", "ewn")
    for name in ("random", "negascout"):
        tab.check(f"#run-players [value={name}]")
    tab.fill("#run-pairs", "2")
    tab.select_option("[aria-label='Limit by']", "depth")
    tab.fill("[aria-label='Amount']", "1")
    tab.click("#run-begin")
    tab.wait_for_selector("[data-run]", timeout=1000 * PATIENCE)
    tab.wait_for_selector("text=random >> nth=0", timeout=1000 * PATIENCE)
    tab.wait_for_function(
        "() => [...document.querySelectorAll('table tr')].some((row) => row.textContent.includes('2 / 2'))",
        timeout=1000 * PATIENCE,
    )
    tab.locator("table tr", has_text="2 / 2").first.locator("a").click()
    tab.wait_for_selector("text=score of A", timeout=1000 * PATIENCE)
    assert tab.locator("svg.chart .line-0").count() == 1
    assert tab.locator(".boards figure").count() >= 2
    # The latest game is replayed on a board, with values and clocks.
    tab.wait_for_selector("[data-replay] svg.board")
    tab.wait_for_function("() => /ply [1-9]/.test(document.querySelector('[data-replay] .status').textContent)")
    assert " s" in tab.inner_text("[data-replay] .clock >> nth=0")
    # A highlight links to the review of its game.
    tab.locator(".boards figure a").first.click()
    tab.wait_for_selector("svg.curve", timeout=1000 * PATIENCE)


def test_saved_report_is_self_contained_and_bilingual(chromium: Any, tmp_path: Path) -> None:
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")
    pairs = play_batch(Batch(1, plan, (0, 1, 2))).records
    tally = Tally()
    for pair in pairs:
        tally.add(pair)
    report = tmp_path / "report.html"
    write_report(match_report(plan, tally.summary(), pairs), str(report))
    context = chromium.new_context(locale="en-GB", offline=True, color_scheme="dark")
    window = context.new_page()
    asked: list[str] = []
    window.on("request", lambda request: asked.append(request.url))
    window.goto(report.as_uri())
    assert window.inner_text("h2 >> nth=0") == "Running score"
    assert window.evaluate("() => document.documentElement.dataset.theme") == "dark"
    window.click("#language")
    assert window.inner_text("h2 >> nth=0") == "得分走勢"
    assert window.locator(".boards svg.board").count() >= 2
    assert asked == [report.as_uri()]
    context.close()


class SameProcess(contextlib.nullcontext[SameProcessRunner]):
    """A runner in this process."""

    def __init__(self) -> None:
        super().__init__(SameProcessRunner())


def test_watch_an_experiment(tab: Any, address: str, store: Path) -> None:
    with Store(store) as opened:
        run_experiment(EXPERIMENT, opened, SameProcess, quick=True)
    tab.goto(f"{address}#/watch")
    tab.locator("section", has_text="Experiments").locator("a").first.click()
    tab.wait_for_selector("text=It does")
    assert tab.locator(".verdicts li").count() == 2
    tab.locator("table a", has_text="tree – chance").click()
    tab.wait_for_selector("[data-replay] svg.board")


@pytest.mark.slow
def test_reconnection(chromium: Any, tmp_path: Path) -> None:
    store = tmp_path / "arena.sqlite"
    window = chromium.new_context(locale="en-GB").new_page()
    with serving(store=store) as address:
        window.goto(f"{address}#/watch")
        window.wait_for_selector("text=No games yet.")
    window.wait_for_function("() => document.querySelector('#link-state').textContent === 'connecting …'")
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=2)
    with Store(store) as opened:
        match = opened.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
        opened.add(match.id, play_batch(Batch(match.id, plan, (0, 1))).records)
    with serving("--port", address.rstrip("/").rpartition(":")[2], store=store):
        window.wait_for_selector("table >> text=2 / 2", timeout=1000 * PATIENCE)
        assert window.inner_text("#link-state") == ""
    window.context.close()


def test_search_tree(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/search/ewn")
    tab.wait_for_selector(".tree summary", timeout=1000 * PATIENCE)
    assert "[−1.000, +1.000]" in tab.inner_text(".tree summary >> nth=0")
    tab.locator(".tree details details summary").first.click()
    tab.wait_for_selector(".tree details details[open] li", timeout=1000 * PATIENCE)
    assert tab.locator(".tree details details[open] li").count() >= 2
    tab.select_option("#tree-search", "mcts")
    tab.wait_for_function(
        "() => document.querySelector('.tree')?.textContent.includes('visits')", timeout=1000 * PATIENCE
    )


def test_search_tree_shows_cutoffs(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/search/othello")
    tab.select_option("#tree-depth", "3")
    tab.wait_for_function(
        "() => document.querySelector('.tree')?.textContent.includes('cutoff')", timeout=1000 * PATIENCE
    )


def test_archive_lists_searches_and_exports(tab: Any, address: str) -> None:
    """A finished game of the page is listed with date, names and result, and opens in the review."""
    (client,) = [cookie["value"] for cookie in tab.context.cookies() if cookie["name"] == "starscout_client"]
    with Page(address, client=client) as page:
        shown = page.begin("kari", "random")
        page.ask("move", table=shown["table"], ply=0, move=shown["moves"][0]["text"])
        page.ask("resign", table=shown["table"])
        row = f"tr[data-key='game/{shown['table']}']"
        tab.click("[data-tab=archive]")
        tab.wait_for_selector(row)
        said = tab.inner_text(row)
        assert "You – random" in said
        assert "blue wins: resigned" in said
        tab.fill("#archive-player", "nobody")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(row, state="detached")
        tab.fill("#archive-player", "")
        tab.fill("#archive-position", shown["position"])
        tab.select_option("#archive-game", "kari")
        tab.wait_for_selector(row)
        assert tab.locator("tbody tr").count() == 1
        with tab.expect_download() as download:
            tab.click("[data-do=export]")
        assert '"reason": "resigned"' in download.value.path().read_text()
        tab.click(f"{row} a")
        tab.wait_for_selector("svg.curve")
