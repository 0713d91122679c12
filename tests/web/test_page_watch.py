"""The Watch and Search tree tabs in a browser, and saved reports."""

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest

from starscout.api.games import start
from starscout.arena.batch import Batch, play_batch
from starscout.arena.broadcast import WATCHED, Broadcast
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store, live_folder
from starscout.arena.tally import Tally
from starscout.arena.workers import SameProcessRunner
from starscout.experiments.runner import run_experiment
from starscout.players.player import Decision
from starscout.referee.game_in_progress import GameInProgress
from starscout.views.store import match_report, write_report
from tests.experiments.examples import EXPERIMENT
from tests.web.client import PATIENCE, Page, expect, serving


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
    # The latest run comes first; other tests add matches to the store.
    link = tab.locator("[data-run] >> nth=0").locator("a").get_attribute("href", timeout=1000 * PATIENCE)
    row = tab.locator("table tr", has=tab.locator(f"a[href='{link}']"))
    expect(row).to_contain_text("random")
    expect(row).to_contain_text("2 / 2")
    row.locator("a").first.click()
    tab.wait_for_selector("text=score of A", timeout=1000 * PATIENCE)
    expect(tab.locator("svg.chart .line-0")).to_have_count(1)
    expect(tab.locator(".boards figure").nth(1)).to_be_visible()
    # The latest game is replayed on a board, with values and clocks.
    tab.wait_for_selector("[data-replay] svg.board")
    tab.wait_for_function("() => /ply [1-9]/.test(document.querySelector('[data-replay] .status').textContent)")
    expect(tab.locator("[data-replay] .clock >> nth=0")).to_contain_text(" s")
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
    expect(window.get_by_role("heading", name="Running score", exact=True)).to_be_visible()
    expect(window.locator("html")).to_have_attribute("data-theme", "dark")
    window.click("#language")
    expect(window.get_by_role("heading", name="得分走勢", exact=True)).to_be_visible()
    expect(window.locator(".boards svg.board").nth(1)).to_be_visible()
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
    expect(tab.locator(".verdicts li")).to_have_count(2)
    tab.locator("table a", has_text="tree – chance").click()
    tab.wait_for_selector("[data-replay] svg.board")


def test_game_in_progress_is_shown_move_by_move(tab: Any, address: str, store: Path) -> None:
    """The board, the clocks and the values follow the game; a wall screen shows only these."""
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=5)
    with Store(store) as opened:
        match = opened.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
    tab.goto(f"{address}#/watch/match/{match.id}")
    tab.wait_for_selector("text=0 / 2")
    folder = live_folder(str(store))
    while not (Path(folder) / WATCHED).exists():
        tab.wait_for_timeout(20)
    game = GameInProgress(start("ewn-3x3-3"), (None, None), seed=5)
    show = Broadcast(folder, match.id)
    game.submit(Decision(game.state.legal[0], value=0.5), 1.25)
    show(game)
    tab.wait_for_selector("[data-replay] .live-state .on", timeout=1000 * PATIENCE)
    expect(tab.locator("[data-replay] .status")).to_contain_text("ply 1")
    expect(tab.locator("[data-replay] .seats")).to_contain_text("75 %")
    expect(tab.locator("[data-replay] .latest")).to_have_text(re.compile(re.escape(game.plies[0].text) + "$"))
    tab.click("[data-do=wall]")
    tab.wait_for_selector("[data-wall] [data-replay] .live-state .on", timeout=1000 * PATIENCE)
    expect(tab.locator("header")).to_be_hidden()
    game.submit(Decision(game.state.legal[0]), 0.5)
    Broadcast(folder, match.id)(game)
    tab.wait_for_function("() => document.querySelector('[data-replay] .status')?.textContent.includes('ply 2')")


def test_views_of_the_store_fit_a_phone(chromium: Any, address: str, store: Path) -> None:
    """Neither the page nor a table scrolls sideways, also with a game in progress."""
    plan = MatchPlan("ewn", "negascout depth=1 eval=race", "star-determinacy", seed=6)
    with Store(store) as opened:
        match = opened.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
    game = GameInProgress(start("ewn"), (None, None), seed=6)
    for _ in range(9):
        game.submit(Decision(game.state.legal[0]), 0.5)
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(1000 * PATIENCE)
    window = context.new_page()
    too_wide = (
        "() => [document.documentElement, ...document.querySelectorAll('.scroll')]"
        ".filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.outerHTML.slice(0, 200))"
    )
    window.goto(f"{address}#/watch/match/{match.id}")
    folder = live_folder(str(store))
    while not (Path(folder) / WATCHED).exists():
        window.wait_for_timeout(20)
    Broadcast(folder, match.id)(game)
    window.wait_for_selector(".latest >> text=9.")
    assert window.evaluate(too_wide) == []
    window.goto(f"{address}#/watch")
    window.wait_for_selector("td[data-label='score of A'], td[data-label='A 的得分率']", state="attached")
    assert window.evaluate(too_wide) == []
    context.close()


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
        expect(window.locator("#link-state")).to_have_text("")
    window.context.close()


def test_alpha_beta_step_by_step(tab: Any, address: str) -> None:
    """Every step has a caption; the pointer shows an arrow, and a click puts the position on the board."""
    tab.goto(f"{address}#/search/ewn-3x3-3/{'12.%2F3.a%2F.cb r 1'}")
    tab.wait_for_selector(".tree summary", timeout=1000 * PATIENCE)
    expect(tab.locator(".tree summary >> nth=0")).to_contain_text("[−1.000, +1.000]")
    steps = int(tab.inner_text(".said").split("/")[1].split(":")[0])
    tab.click("[data-do=step-first]")
    expect(tab.locator(".said")).to_have_text(re.compile(f"^1 / {steps}: root: search the moves"))
    expect(tab.locator(".tree")).to_contain_text("not reached yet")
    tab.locator(".stepper input").focus()
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".tree .current")).to_have_count(1)
    tab.click("[data-do=step-last]")
    expect(tab.locator(".tree")).not_to_contain_text("not reached yet")
    tab.locator(".tree details details summary").first.hover()
    tab.wait_for_selector("svg.board .arrow")
    tab.locator(".tree details details summary").first.click()
    tab.wait_for_selector(".tree details details[open] li", timeout=1000 * PATIENCE)
    tab.click("[data-do=root]")
    tab.wait_for_selector("[data-do=root]", state="hidden")


def test_search_tree_shows_cutoffs(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/search/othello")
    tab.select_option("#tree-depth", "3")
    tab.wait_for_function(
        "() => document.querySelector('.tree')?.textContent.includes('cutoff')", timeout=1000 * PATIENCE
    )


def test_monte_carlo_tree_grows(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/search/ewn-3x3-3/{'12.%2F3.a%2F.cb r 1'}")
    tab.wait_for_selector(".tree summary", timeout=1000 * PATIENCE)
    tab.select_option("#tree-search", "mcts")
    tab.wait_for_function(
        "() => document.querySelector('.said')?.textContent.startsWith('500 simulations')", timeout=1000 * PATIENCE
    )
    tab.click("[data-do=step-first]")
    expect(tab.locator(".said")).to_have_text(re.compile("^1 simulation:"))
    expect(tab.locator("svg.icicle .node").nth(3)).not_to_be_attached()
    tab.click("[data-do=step-last]")
    expect(tab.locator("svg.icicle .node").nth(3)).to_be_attached()
    tab.locator("svg.icicle .node >> nth=1").hover()
    tab.wait_for_selector("svg.board .arrow")
    tab.locator("svg.icicle .node >> nth=1").click()
    tab.wait_for_selector("[data-do=root]")


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
        expect(tab.locator(row)).to_contain_text("You – random")
        expect(tab.locator(row)).to_contain_text("blue wins: red resigned")
        tab.fill("#archive-player", "nobody")
        tab.keyboard.press("Enter")
        tab.wait_for_selector(row, state="detached")
        tab.fill("#archive-player", "")
        tab.fill("#archive-position", shown["position"])
        tab.select_option("#archive-game", "kari")
        tab.wait_for_selector(row)
        expect(tab.locator("tbody tr")).to_have_count(1)
        with tab.expect_download() as download:
            tab.click("[data-do=export]")
        assert '"reason": "resigned"' in download.value.path().read_text()
        tab.click(f"{row} a")
        tab.wait_for_selector("svg.curve")
