"""The Play tab in a browser: games by clicks, drag and keyboard, on desktop and phone."""

import re
from typing import Any

import pytest

from tests.web.client import PATIENCE, Page

READY = "() => document.querySelector('.moves button') || document.querySelector('[data-do=again]')?.hidden === false"


def begin(tab: Any, game: str, opponent: str = "random", **choices: str) -> None:
    """Start a game with the form of the page."""
    tab.click(f"[data-game={game}]")
    open_expert_settings(tab)
    tab.select_option("#opponent", opponent)
    for name, value in choices.items():
        tab.select_option(f"#{name}", value)
    tab.click("#begin")
    tab.wait_for_function(READY, timeout=1000 * PATIENCE)


def open_expert_settings(tab: Any) -> None:
    if not tab.locator("#opponent").count():
        tab.click("#more > summary")
    tab.wait_for_selector("#opponent")


def is_over(tab: Any) -> bool:
    return tab.locator("[data-do=again]").is_visible()


def shown_ply(tab: Any) -> int:
    return tab.locator("ol.plies li").count()


def wait_for_turn(tab: Any, after: int) -> None:
    tab.wait_for_function(f"() => document.querySelectorAll('ol.plies li').length > {after}")
    tab.wait_for_function(READY)


def click_a_move(tab: Any) -> None:
    """Click a square that can move, then a target square."""
    before = shown_ply(tab)
    if tab.locator(".square.target").count() == 0 and tab.locator(".square.can").count():
        tab.locator(".square.can").first.click()
    if tab.locator(".square.target").count():
        tab.locator(".square.target").last.click()
    else:
        tab.locator(".moves button").first.click()
    wait_for_turn(tab, before)


GAMES = ("ewn", "ewn-cyclic", "kari", "othello", "connect-four")


@pytest.mark.parametrize(
    "game", [game if game == "ewn" else pytest.param(game, marks=pytest.mark.slow) for game in GAMES]
)
def test_game_by_clicks(tab: Any, game: str) -> None:
    begin(tab, game)
    while not is_over(tab):
        click_a_move(tab)
    assert re.search("(wins|draw):", tab.text_content(".status"))
    assert re.search("(wins|draw):", tab.text_content("#announcer"))


WALK = """
(kind) => {
  // The keys that lead from the square with the focus to the first square of a kind, and choose it.
  const columns = document.querySelectorAll("[data-name$='1']:not([data-name$='11'])").length;
  const here = Number(document.querySelector("svg.board [tabindex='0']").dataset.square);
  const to = Number(document.querySelector(`.square.${kind}`).dataset.square);
  const sign = document.querySelector("svg.board text.label").textContent.toLowerCase() === "a" ? 1 : -1;
  const down = sign * (Math.floor(to / columns) - Math.floor(here / columns));
  const right = sign * ((to % columns) - (here % columns));
  return [...Array(Math.abs(down)).fill(down > 0 ? "ArrowDown" : "ArrowUp"),
    ...Array(Math.abs(right)).fill(right > 0 ? "ArrowRight" : "ArrowLeft"), "Enter"];
}
"""


def press_a_move(tab: Any) -> None:
    """Move with arrow keys and Enter; a pass is a button."""
    before = shown_ply(tab)
    if tab.locator(".square.can").count() == 0:
        tab.locator(".moves button").first.press("Enter")
    else:
        tab.locator("svg.board [tabindex='0']").focus()
        for kind in ("target",) if tab.locator(".square.target").count() else ("can", "target"):
            for key in tab.evaluate(WALK, kind):
                tab.keyboard.press(key)
    wait_for_turn(tab, before)


@pytest.mark.parametrize(
    "game", [game if game == "connect-four" else pytest.param(game, marks=pytest.mark.slow) for game in GAMES]
)
def test_game_by_keyboard(tab: Any, game: str) -> None:
    begin(tab, game)
    while not is_over(tab):
        press_a_move(tab)
    assert re.search("(wins|draw):", tab.text_content(".status"))


def test_drag_a_piece(tab: Any) -> None:
    begin(tab, "ewn", "")
    if tab.locator(".square.chosen").count() == 0:
        tab.locator(".square.can").first.click()
    source, target = tab.locator(".square.chosen"), tab.locator(".square.target").first
    wanted = source.get_attribute("data-name") + target.get_attribute("data-name")
    source.locator(".piece").drag_to(target)
    wait_for_turn(tab, 0)
    assert tab.inner_text("ol.plies li b") == wanted


def test_two_users_take_back_and_save(tab: Any) -> None:
    begin(tab, "othello", "")
    click_a_move(tab)
    assert "white to move" in tab.text_content(".status")
    assert "(4–1)" in tab.inner_text(".status")
    with tab.expect_download() as download:
        tab.click("[data-do=save]")
    assert '"format": "starscout game 1"' in download.value.path().read_text()
    tab.click("[data-do=back]")
    tab.wait_for_function("() => document.querySelectorAll('ol.plies li').length === 0")
    assert "black to move" in tab.text_content(".status")


def test_placement_before_the_first_roll(tab: Any) -> None:
    tab.click("[data-game=ewn]")
    open_expert_settings(tab)
    tab.select_option("#opponent", "random")
    tab.check("#placement")
    tab.click("#begin")
    tab.wait_for_selector("[data-do=begin]")
    assert tab.locator(".die").count() == 0
    before = [tab.locator(f"[data-square='{n}'] text").text_content() for n in (0, 1)]
    tab.click("[data-square='0']")
    tab.click("[data-square='1']")
    tab.wait_for_function(f"() => document.querySelector(\"[data-square='0'] text\").textContent === '{before[1]}'")
    tab.click("[data-do=begin]")
    tab.wait_for_selector(".die")
    assert tab.locator("[data-square='1'] text").text_content() == before[0]


def test_reload_rejoins_the_game(tab: Any) -> None:
    begin(tab, "ewn", "")
    click_a_move(tab)
    board = tab.locator("svg.board").get_attribute("aria-label")
    tab.reload()
    tab.wait_for_selector("ol.plies li")
    assert tab.locator("svg.board").get_attribute("aria-label") == board


def test_rules_in_both_languages(tab: Any) -> None:
    tab.click("[data-game=othello]")
    tab.click("text=Rules")
    assert "Black moves first" in tab.inner_text("dialog")
    tab.click("dialog button")
    tab.click("#language")
    tab.wait_for_selector("text=下一盤棋")
    assert tab.evaluate("() => document.documentElement.lang") == "zh-Hant"
    assert tab.inner_text("[data-tab=watch]") == "觀賽"
    tab.click("text=規則")
    assert "黑方先下" in tab.inner_text("dialog")


def test_language_and_theme_of_the_browser(chromium: Any, address: str) -> None:
    context = chromium.new_context(locale="zh-TW", color_scheme="dark")
    window = context.new_page()
    window.goto(address)
    window.wait_for_selector("text=下一盤棋")
    assert window.evaluate("() => document.documentElement.dataset.theme") == "dark"
    # Errors are translated.
    window.goto(f"{address}#/play/gone")
    window.get_by_text("這一桌已經不在了：請開新局").wait_for()
    context.close()


def test_board_fits_a_phone(chromium: Any, address: str) -> None:
    context = chromium.new_context(
        viewport={"width": 375, "height": 720}, has_touch=True, is_mobile=True, locale="en-GB"
    )
    window = context.new_page()
    window.goto(address)
    window.wait_for_selector("#play")
    begin(window, "othello")
    box = window.locator("svg.board").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    assert window.evaluate("() => document.documentElement.scrollWidth") <= 375
    window.locator(".square.target").first.tap()
    wait_for_turn(window, 0)
    context.close()


def test_controls_have_accessible_names(tab: Any) -> None:
    begin(tab, "ewn")
    unnamed = tab.evaluate(
        "() => [...document.querySelectorAll('button, a, input, select, [role=button]')].filter((element) => "
        "!(element.ariaLabel || element.textContent.trim() || element.labels?.length)).map((e) => e.outerHTML)"
    )
    assert unnamed == []


def test_two_windows_share_a_game(tab: Any, address: str) -> None:
    begin(tab, "ewn", "")
    table = tab.evaluate("() => location.hash").split("/")[-1]
    (client,) = [cookie["value"] for cookie in tab.context.cookies() if cookie["name"] == "starscout_client"]
    with Page(address, client=client) as other:
        shown = other.ask("join", table=table)["shown"]
        other.ask("move", table=table, ply=0, move=shown["moves"][0]["text"])
    wait_for_turn(tab, 0)
    assert tab.inner_text("ol.plies li b") == shown["moves"][0]["text"]


def test_play_button_starts_a_game_with_the_own_pieces_at_the_bottom(tab: Any) -> None:
    tab.click("[data-game=ewn]")
    tab.locator("#level").fill("2")
    assert "looks one move ahead" in tab.inner_text("output.level")
    tab.click("#play")
    tab.wait_for_function(READY)
    assert tab.locator("svg.board .goal").count() == 2
    side = tab.evaluate(
        "() => [...document.querySelectorAll('.seat .who')].findIndex((who) => who.textContent.startsWith('You'))"
    )
    rows = tab.evaluate(
        "(side) => [...document.querySelectorAll(`.board .piece.side-${side}`)].map((piece) => "
        "piece.getBoundingClientRect().y)",
        side,
    )
    board = tab.locator("svg.board").bounding_box()
    assert sum(rows) / len(rows) > board["y"] + board["height"] / 2
    # The orientation survives a reload.
    labels = tab.locator("svg.board text.label").all_text_contents()
    tab.click("[data-do=turn]")
    tab.wait_for_function(f"() => document.querySelector('svg.board text.label').textContent !== '{labels[0]}'")
    tab.reload()
    tab.wait_for_selector("svg.board")
    assert tab.locator("svg.board text.label").first.text_content() != labels[0]


def test_invitation_gives_one_seat_and_spectators_watch(chromium: Any, address: str, tab: Any) -> None:
    begin(tab, "othello", "invite", side="0")
    contexts = [chromium.new_context(locale="en-GB") for _ in range(2)]
    friend, visitor = (context.new_page() for context in contexts)
    friend.goto(address)
    friend.goto(tab.url)
    friend.wait_for_selector("text=black to move")
    visitor.goto(address)
    visitor.goto(tab.url)
    visitor.wait_for_selector("text=you are watching")
    click_square = "svg.board .square.target"
    tab.locator(click_square).first.click()
    friend.wait_for_selector(click_square)
    assert visitor.locator(".moves button").count() == 0
    tab.click("[data-do=back]")
    friend.click("[data-do=accept]")
    tab.wait_for_selector(click_square)
    assert shown_ply(tab) == 0
    for context in contexts:
        context.close()
