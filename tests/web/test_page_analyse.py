"""The Analyse tab in a browser: uploaded records, engines, editing a position."""

import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from starscout.records.files import write_record
from starscout.records.game_tree import GameTree
from tests.api.test_review import random_game
from tests.web.client import PATIENCE, allow_analyses, expect
from tests.web.test_analysis import GAME


def test_step_through_an_uploaded_record(tab: Any, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(GAME)
    tab.click("[data-tab=analyse]")
    tab.set_input_files("#record-file", record)
    tab.wait_for_selector(".plies li", timeout=1000 * PATIENCE)
    expect(tab.locator(".plies li")).to_have_count(15)
    expect(tab.locator("[data-part=summary]")).to_contain_text("red wins after 15 moves: red reached the far corner")
    expect(tab.locator("[data-part=summary]")).to_contain_text("luckier")
    expect(tab.locator("svg.curve polyline")).to_have_count(1)
    expect(tab.locator("svg.curve .lucky, svg.curve .unlucky").nth(5)).to_be_attached()
    tab.click("[data-do=last]")
    tab.wait_for_function("() => document.querySelector('.status').textContent.includes('wins')")
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_function("() => document.querySelector('.status').textContent === 'red to move'")
    expect(tab.locator(".said")).to_contain_text("D5E5")
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
    expect(tab.locator("[data-part=summary]")).to_contain_text("Solved from ply")
    tab.click("[data-do=last]")
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_function("() => document.querySelector('.said').textContent.includes('exact value')")
    expect(tab).to_have_url(re.compile("@"))


def test_compare_two_engines(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/ewn/{'1..../...../...../...../....a r 1'.replace('/', '%2F')}")
    tab.wait_for_selector(".engine tbody tr", timeout=1000 * PATIENCE)
    expect(tab.locator(".engine tbody tr")).to_have_count(3)
    expect(tab.locator(".engine tbody tr button").first).to_have_text("A1B2")
    tab.wait_for_selector("svg.board .arrow")
    tab.click("[data-do=compare]")
    tab.wait_for_function(
        "() => document.querySelectorAll('.engine')[1]?.querySelector('tbody tr')", timeout=1000 * PATIENCE
    )
    # A click on a move of the table plays it, and the address follows.
    tab.locator(".engine tbody tr button").first.click()
    tab.wait_for_function("() => document.querySelector('.status').textContent === 'blue to move'")
    expect(tab).to_have_url(re.compile("b%20-"))


def test_exact_values_on_target_squares(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/ewn/{'1..../...../...../...../....a r 1'.replace('/', '%2F')}")
    tab.wait_for_selector(".square.target", timeout=1000 * PATIENCE)
    tab.click("[data-do=solve]")
    tab.wait_for_selector("[data-name=B2] .exact-value.best", timeout=1000 * PATIENCE)
    expect(tab.locator("[data-name=B2] .exact-value")).to_have_text("100 %")
    expect(tab.locator("[data-name=B1] .exact-value")).to_have_text("0 %")
    tab.wait_for_function("() => document.querySelector('.exact-values').textContent.includes('Exact value: win')")
    # The values follow the board.
    tab.click("[data-name=A2]")
    tab.wait_for_function("() => document.querySelector('.status').textContent === 'blue to move'")
    tab.wait_for_function("() => document.querySelector('.exact-values').textContent.includes('100.0000\u00a0%')")


@pytest.mark.slow
def test_exact_values_mark_the_best_score(tab: Any, address: str) -> None:
    """Of several winning moves, those with the largest difference of discs; arrows of the engine do not cover them."""
    position = "XXXXXX--XXXXXO-OXXOXXOO-XXOOXOOOXXXXOXOOXXXXXOOOXXXXXXO-XXXXXXX- X"
    tab.goto(f"{address}#/analyse/position/othello/{position.replace(' ', '%20')}")
    tab.wait_for_selector("svg.board .arrow", state="attached", timeout=1000 * PATIENCE)
    tab.click("[data-do=solve]")
    tab.wait_for_selector(".exact-value.best", timeout=1000 * PATIENCE)
    expect(tab.locator(".exact-value:not(.best)")).to_have_text(["+22", "+40"])
    assert set(tab.locator(".exact-value.best").all_text_contents()) == {"+60"}
    expect(tab.locator("svg.board .arrow").first).to_be_hidden()


def test_invalid_position_of_a_link(tab: Any, address: str) -> None:
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/othello/nonsense")
    tab.wait_for_function("() => document.querySelector('#notice').textContent.includes('position: expected')")
    tab.wait_for_selector(".square.target")


def test_edit_a_position(tab: Any, address: str) -> None:
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/othello")
    tab.wait_for_selector(".square", timeout=1000 * PATIENCE)
    tab.click("text=Edit the position")
    tab.click("[aria-label=Pieces] >> text=X")
    tab.click("[data-square='0']")
    tab.wait_for_function("() => document.querySelector('#position-text').value.startsWith('X-')")
    expect(tab.locator("[data-square='0'] .piece")).to_have_count(1)
    tab.fill("#position-text", "nonsense")
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => document.querySelector('#notice').textContent.includes('position: expected')")


def test_analyse_tab_in_chinese(tab: Any) -> None:
    tab.click("[data-tab=analyse]")
    tab.click("#language")
    tab.wait_for_selector("text=分析棋局或局面")


def test_variations_of_a_position(tab: Any, address: str) -> None:
    """Moves, undo, branches, comments, deletion; the saved tree is a game with variations."""
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/othello")
    tab.wait_for_selector(".square.target")
    tab.click("[data-name=f5]")
    tab.wait_for_selector(".tree-move[role=treeitem] >> text=f5")
    tab.click("[data-name=d6]")
    tab.wait_for_selector(".tree-move >> text=d6")
    # Lines of the best moves, as many as chosen.
    allow_analyses(tab, True)
    tab.select_option(".engine select >> nth=2", "4")
    tab.wait_for_function("() => document.querySelectorAll('.lines p').length === 4", timeout=1000 * PATIENCE)
    tab.locator(".lines p >> nth=3").locator(".tree-move >> nth=1").hover()
    tab.wait_for_function("() => document.querySelectorAll('.board-holder .piece').length === 8")
    allow_analyses(tab, False)
    tab.click("[data-do=think]")
    tab.mouse.move(0, 0)
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
    expect(tab.locator(".move-tree")).to_contain_text("f6")


def test_engine_line_is_playable_and_named(tab: Any, address: str) -> None:
    tab.goto(f"{address}#/analyse/position/ewn/{'1..../...../...../...../....a r 1'.replace('/', '%2F')}")
    tab.wait_for_selector(".engine .line .tree-move", timeout=1000 * PATIENCE)
    expect(tab.locator(".evalbar")).to_have_text(re.compile("red|blue"))
    expect(tab.locator(".verdict")).to_contain_text("of red:")
    tab.locator(".engine .line .tree-move").first.hover()
    tab.wait_for_selector("[data-name=B2] .piece")
    tab.locator(".engine .line .tree-move").first.click()
    tab.wait_for_selector("[role=treeitem] >> text=A1B2")
    expect(tab.locator(".status")).to_contain_text("blue to move")


@pytest.mark.slow
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
    expect(tab.locator(".why table tr")).to_have_count(6)
    # The reply to each roll is playable: a variation after the mistake, which is a move of the game.
    reply = tab.locator(".why table .tree-move").last
    variation = re.compile(rf"^\d+\. ⚅ {reply.inner_text()}$")
    reply.click()
    expect(tab.locator(".move-tree [role=treeitem]")).to_have_text([variation])
    tab.click("[data-do=return]")
    tab.click("[data-do=previous]")
    tab.click("[data-do=explain]")
    tab.locator(".why .line .tree-move").first.click()
    tab.wait_for_selector("[role=treeitem][aria-selected=true]")
    tab.click("[data-do=return]")
    tab.wait_for_selector("[data-do=try]")
    tab.click("[data-do=try]")
    expect(tab.locator(".said")).to_contain_text("Find a better move")
    # The chart is a slider.
    tab.locator("svg.curve").focus()
    tab.keyboard.press("End")
    tab.wait_for_function("() => document.querySelector('.status').textContent.includes('wins')")


def test_review_by_keyboard_alone(tab: Any, tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(GAME)

    def press(key: str, selector: str) -> None:
        """Move the focus with the Tab key to an element, then press a key."""
        for _ in range(120):
            if tab.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
                tab.keyboard.press(key)
                return
            tab.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not reach {selector}")

    press("Enter", "[data-tab=analyse]")
    tab.wait_for_selector("#record-file", state="attached")
    with tab.expect_file_chooser() as chosen:
        press("Enter", "#record-file")
    chosen.value.set_files(record)
    tab.wait_for_selector(".plies li", timeout=1000 * PATIENCE)
    press("Home", ".plies li")
    tab.wait_for_selector(".plies li:first-child[aria-current=true]")
    # The whole game, move by move.
    for ply in range(1, 16):
        tab.keyboard.press("ArrowRight")
        tab.wait_for_function("(ply) => location.hash.endsWith(`@${ply}`)", arg=ply)
    tab.wait_for_function("() => document.querySelector('.status').textContent.includes('wins after 15 moves')")
    tab.keyboard.press("Home")
    mistake = tab.locator(".plies li", has_text="?").first.evaluate(
        "(row) => [...row.parentElement.children].indexOf(row)"
    )
    for ply in range(1, mistake + 1):
        tab.keyboard.press("ArrowRight")
        tab.wait_for_function("(ply) => location.hash.endsWith(`@${ply}`)", arg=ply)
    tab.wait_for_selector("[data-do=explain]")
    press("Enter", "[data-do=explain]")
    tab.wait_for_selector(".why .line .tree-move", timeout=1000 * PATIENCE)
    press("Enter", ".why .line .tree-move")
    tab.wait_for_selector("[role=treeitem][aria-selected=true]")
    press("Enter", "[data-do=return]")
    tab.wait_for_selector("[data-do=try]:visible")
    press("Enter", "[data-do=try]")
    tab.wait_for_function("() => document.querySelector('.said').textContent.includes('Find a better move')")
    with tab.expect_download() as saved:
        press("Enter", "[data-do=card-svg]")
    picture = saved.value.path().read_text(encoding="utf-8")
    assert "Red wins after 15 moves: red reached the far corner" in picture
    assert "lost to" in picture
    with tab.expect_download() as saved:
        press("Enter", "[data-do=card-png]")
    width, height = struct.unpack(">II", saved.value.path().read_bytes()[16:24])
    assert (width, height) == (1200, 630)


@pytest.mark.slow
def test_set_up_a_game_that_starts_empty(tab: Any, address: str) -> None:
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/connect-four")
    tab.wait_for_selector(".square")
    tab.click("text=Edit the position")
    tab.wait_for_function("() => document.querySelectorAll('[aria-label=Pieces] button').length >= 3")
    tab.locator("[aria-label=Pieces] button", has_text="X").click()
    tab.click("[data-name=A6]")
    tab.wait_for_selector("[data-name=A6] .piece")
