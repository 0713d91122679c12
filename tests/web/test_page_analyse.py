"""The Analyse tab in a browser: uploaded records, engines, editing a position."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from starscout.records.files import write_record
from starscout.records.game_tree import GameTree
from tests.api.test_review import random_game
from tests.web.client import PATIENCE
from tests.web.test_analysis import GAME


def test_step_through_an_uploaded_record(tab: Any, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(GAME)
    tab.click("[data-tab=analyse]")
    tab.set_input_files("#record-file", record)
    tab.wait_for_selector(".plies li", timeout=1000 * PATIENCE)
    assert tab.locator(".plies li").count() == 15
    assert "red wins: corner" in tab.text_content("[data-part=summary]")
    assert "luckier" in tab.inner_text("[data-part=summary]")
    assert tab.locator("svg.curve polyline").count() == 1
    assert tab.locator("svg.curve .lucky, svg.curve .unlucky").count() > 5
    tab.click("[data-do=last]")
    tab.wait_for_function("() => document.querySelector('.status').textContent.includes('wins')")
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_function("() => document.querySelector('.status').textContent === 'red to move'")
    assert "D5E5" in tab.inner_text(".said")
    # A click on the chart goes to that ply; the address can be shared.
    tab.click("[data-do=first]")
    tab.wait_for_selector(".plies li[aria-current=true] >> text=A1B1")
    box = tab.locator("svg.curve").bounding_box()
    tab.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 40)
    tab.wait_for_function("() => document.querySelector('.plies li:nth-child(1)').ariaCurrent === 'false'")
    tab.goto(tab.url)
    tab.reload()
    tab.wait_for_selector(".plies li", timeout=1000 * PATIENCE)


def test_othello_review_shows_discs(tab: Any, tmp_path: Path) -> None:
    whole = random_game("othello", 7)
    start = next(state.text for state in whole.states() if state.ply == 48)
    record = tmp_path / "game.json"
    record.write_text(write_record(replace(whole, start=start, plies=whole.plies[48:]), "json"))
    tab.click("[data-tab=analyse]")
    tab.set_input_files("#record-file", record)
    tab.wait_for_selector("svg.curve .discs", state="attached")
    # The endgame is solved in the background.
    tab.wait_for_selector("svg.curve .exact", state="attached", timeout=1000 * PATIENCE)
    assert "Solved from ply" in tab.inner_text("[data-part=summary]")
    tab.click("[data-do=last]")
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_function("() => document.querySelector('.said').textContent.includes('exact value')")
    assert "@" in tab.url


def test_compare_two_engines(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/ewn/{'1..../...../...../...../....a r 1'.replace('/', '%2F')}")
    tab.wait_for_selector(".engine tbody tr", timeout=1000 * PATIENCE)
    assert tab.locator(".engine tbody tr").count() == 3
    assert tab.inner_text(".engine tbody tr >> nth=0").split()[0] == "A1B2"
    tab.wait_for_selector("svg.board .arrow")
    tab.click("[data-do=compare]")
    tab.wait_for_function(
        "() => document.querySelectorAll('.engine')[1]?.querySelector('tbody tr')", timeout=1000 * PATIENCE
    )
    # A click on a move of the table plays it, and the address follows.
    tab.locator(".engine tbody tr button").first.click()
    tab.wait_for_function("() => document.querySelector('.status').textContent === 'blue to move'")
    assert "b%20-" in tab.url


def test_edit_a_position(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/othello")
    tab.wait_for_selector(".square", timeout=1000 * PATIENCE)
    tab.click("text=Edit the position")
    tab.click("[aria-label=Pieces] >> text=X")
    tab.click("[data-square='0']")
    tab.wait_for_function("() => document.querySelector('#position-text').value.startsWith('X-')")
    assert tab.locator("[data-square='0'] .piece").count() == 1
    tab.fill("#position-text", "nonsense")
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => document.querySelector('#notice').textContent.includes('position: expected')")


def test_analyse_tab_in_chinese(tab: Any) -> None:
    tab.click("[data-tab=analyse]")
    tab.click("#language")
    tab.wait_for_selector("text=解析棋局或局面")


def test_variations_of_a_position(tab: Any, address: str) -> None:
    """Moves, undo, branches, comments, deletion; the saved tree is a game with variations."""
    tab.goto(f"{address}#/analyse/position/othello")
    tab.wait_for_selector(".square.target")
    tab.click("[data-name=f5]")
    tab.wait_for_selector(".tree-move[role=treeitem] >> text=f5")
    tab.click("[data-name=d6]")
    tab.wait_for_selector(".tree-move >> text=d6")
    tab.fill("input.comment", "diagonal")
    tab.keyboard.press("Tab")
    tab.click("[data-do=undo]")
    tab.wait_for_function("() => document.querySelector('[aria-selected=true]').textContent.includes('f5')")
    tab.click("[data-name=f6]")
    tab.wait_for_selector(".variation .tree-move >> text=f6")
    with tab.expect_download() as download:
        tab.click("[data-do=save-tree]")
    saved = GameTree.load(download.value.path())
    after = saved.root.children[0]
    assert [(node.ply.text, node.comment) for node in after.children if node.ply] == [("d6", "diagonal"), ("f6", "")]
    # With the keyboard: to the other branch, and delete it.
    tab.locator("[role=tree] [aria-selected=true]").focus()
    tab.keyboard.press("ArrowUp")
    tab.wait_for_function("() => document.querySelector('[aria-selected=true]').textContent.includes('d6')")
    tab.keyboard.press("Delete")
    tab.wait_for_function("() => !document.querySelector('.move-tree').textContent.includes('d6')")
    assert "f6" in tab.inner_text(".move-tree")


def test_engine_line_is_playable_and_named(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/ewn/{'1..../...../...../...../....a r 1'.replace('/', '%2F')}")
    tab.wait_for_selector(".engine .line .tree-move", timeout=1000 * PATIENCE)
    assert "red" in tab.inner_text(".evalbar") or "blue" in tab.inner_text(".evalbar")
    assert "of red:" in tab.inner_text(".verdict")
    tab.locator(".engine .line .tree-move").first.hover()
    tab.wait_for_selector("[data-name=B2] .piece")
    tab.locator(".engine .line .tree-move").first.click()
    tab.wait_for_selector("[role=treeitem] >> text=A1B2")
    assert "blue to move" in tab.text_content(".status")


def test_mistakes_are_explained(tab: Any, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(GAME)
    tab.click("[data-tab=analyse]")
    tab.set_input_files("#record-file", record)
    tab.wait_for_selector(".plies li", timeout=1000 * PATIENCE)
    # The list of moves is operated by the keyboard.
    tab.locator(".plies li[tabindex='0']").focus()
    tab.keyboard.press("Home")
    row = tab.locator(".plies li", has_text="?").first
    row.focus()
    tab.keyboard.press("Enter")
    tab.click("[data-do=explain]")
    tab.wait_for_selector(".why .line .tree-move", timeout=1000 * PATIENCE)
    assert tab.locator(".why table tr").count() == 6
    tab.locator(".why .line .tree-move").first.click()
    tab.wait_for_selector("[role=treeitem][aria-selected=true]")
    tab.click("[data-do=return]")
    tab.wait_for_selector("[data-do=try]")
    tab.click("[data-do=try]")
    assert "Find a better move" in tab.inner_text(".said")
    # The chart is a slider.
    tab.locator("svg.curve").focus()
    tab.keyboard.press("End")
    tab.wait_for_function("() => document.querySelector('.status').textContent.includes('wins')")


def test_set_up_a_game_that_starts_empty(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/connect-four")
    tab.wait_for_selector(".square")
    tab.click("text=Edit the position")
    tab.wait_for_function("() => document.querySelectorAll('[aria-label=Pieces] button').length >= 3")
    tab.locator("[aria-label=Pieces] button", has_text="X").click()
    tab.click("[data-name=A6]")
    tab.wait_for_selector("[data-name=A6] .piece")
