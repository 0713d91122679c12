"""The Play tab in a browser: games by clicks, drag and keyboard, on desktop and phone."""

import re
from typing import Any

import pytest

from tests.web.client import PATIENCE, Page, allow_analyses, expect

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


STEP = """
([plies, moved]) => document.querySelectorAll("ol.plies li").length > plies
  || document.querySelectorAll(".moved").length > moved
"""


def is_complete(tab: Any, plies: int, moved: int) -> bool:
    """Wait until a step of a move is shown; true if it was the last one, after which it is the user's turn again."""
    tab.wait_for_function(STEP, arg=[plies, moved])
    if shown_ply(tab) == plies:
        return False
    wait_for_turn(tab, plies)
    return True


def click_a_move(tab: Any) -> None:
    """Click squares that can move and target squares, until the move is complete."""
    before = shown_ply(tab)
    while True:
        moved = tab.locator(".moved").count()
        if tab.locator(".square.target").count() == 0 and tab.locator(".square.can").count():
            tab.locator(".square.can").first.click()
        if tab.locator(".square.target").count():
            tab.locator(".square.target").last.click()
        else:
            tab.locator(".moves button").first.click()
        if is_complete(tab, before, moved):
            return


GAMES = ("ewn", "ewn-cyclic", "kari", "othello", "connect-four", "dark-chess", "backgammon")


@pytest.mark.parametrize(
    "game", [game if game == "ewn" else pytest.param(game, marks=pytest.mark.slow) for game in GAMES]
)
def test_game_by_clicks(tab: Any, game: str) -> None:
    begin(tab, game)
    while not is_over(tab):
        click_a_move(tab)
    expect(tab.locator(".status")).to_have_text(re.compile(r"(wins?|lose|draw)( \(\d points?\))? after \d+ moves: "))
    expect(tab.locator("#announcer")).to_have_text(re.compile(r"(wins?|lose|draw)( \(\d points?\))? after \d+ moves: "))


WALK = """
(kind) => {
  // The keys that lead from the square with the focus to the nearest square of a kind, and choose it.
  const squares = [...document.querySelectorAll("svg.board [data-square]")];
  const corner = (square) => square.getAttribute("transform").match(/[\\d.]+/g).map(Number);
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const next = (from, [right, down]) => {
    const [x, y] = corner(from);
    const along = (square) => right * (corner(square)[0] - x) + down * (corner(square)[1] - y);
    const across = (square) => (right ? corner(square)[1] - y : corner(square)[0] - x);
    return squares.filter((square) => across(square) === 0 && along(square) > 0).sort((a, b) => along(a) - along(b))[0];
  };
  const found = new Map([[document.querySelector("svg.board [tabindex='0']"), []]]);
  for (const [square, keys] of found) {
    if (square.classList.contains(kind)) return [...keys, "Enter"];
    for (const [key, step] of Object.entries(steps)) {
      const neighbour = next(square, step);
      if (neighbour && !found.has(neighbour)) found.set(neighbour, [...keys, key]);
    }
  }
  throw new Error(`no square is reached: ${kind}`);
}
"""


def press_a_move(tab: Any) -> None:
    """Move with arrow keys and Enter; a pass is a button."""
    before = shown_ply(tab)
    while True:
        moved = tab.locator(".moved").count()
        if tab.locator(".square.can").count() == 0:
            tab.locator(".moves button").first.press("Enter")
        else:
            tab.locator("svg.board [tabindex='0']").focus()
            for kind in ("target",) if tab.locator(".square.target").count() else ("can", "target"):
                for key in tab.evaluate(WALK, kind):
                    tab.keyboard.press(key)
        if is_complete(tab, before, moved):
            return


@pytest.mark.parametrize(
    "game", [game if game == "connect-four" else pytest.param(game, marks=pytest.mark.slow) for game in GAMES]
)
def test_game_by_keyboard(tab: Any, game: str) -> None:
    begin(tab, game)
    while not is_over(tab):
        press_a_move(tab)
    expect(tab.locator(".status")).to_have_text(re.compile(r"(wins?|lose|draw)( \(\d points?\))? after \d+ moves: "))


def test_checkers_move_one_by_one(tab: Any, address: str) -> None:
    """A play of backgammon is entered checker by checker, by clicks in any order; Escape starts again."""
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/backgammon/{'4HPwATDgc%2FABMA w 31'}")
    tab.wait_for_selector("[data-name='8'].can", timeout=1000 * PATIENCE)
    tab.click("[data-name='6']")
    tab.click("[data-name='5'].target")
    tab.wait_for_selector("[data-name='5'] .moved .piece")
    tab.locator("svg.board [tabindex='0']").press("Escape")
    tab.wait_for_selector("[data-name='5'] .piece", state="detached")
    for square in ("6", "5", "8", "5"):
        chosen = tab.locator(".square.chosen")
        if chosen.count() and chosen.get_attribute("data-name") == square:
            continue
        tab.click(f"[data-name='{square}']")
    tab.wait_for_selector(".tree-move[role=treeitem] >> text=8/5,6/5")
    expect(tab.locator("[data-name='5'] .piece")).to_have_count(2)
    expect(tab.locator(".status")).to_contain_text("black to move")


def test_pieces_of_dark_chess_are_flipped_and_listed(tab: Any, address: str) -> None:
    allow_analyses(tab, False)
    tab.goto(f"{address}#/analyse/position/dark-chess")
    tab.wait_for_selector(".square.target", timeout=1000 * PATIENCE)
    expect(tab.locator(".piece.hidden")).to_have_count(32)
    tab.click("[data-name=C2]")
    tab.locator("[data-event='K']").click()
    tab.wait_for_selector("[data-name=C2] .piece.side-0")
    expect(tab.locator("[data-name=C2] .hanzi")).to_have_text("將")
    expect(tab.locator("[data-name=C2] .latin")).to_be_hidden()
    tab.click("[data-do=pieces]")
    expect(tab.locator("[data-name=C2] .latin")).to_be_visible()
    tab.click("[data-do=pieces]")
    tab.click(".facts summary")
    expect(tab.locator(".facts")).to_contain_text("1/31")
    red_general = tab.locator(".facts .red-piece").first
    expect(red_general.locator(".hanzi")).to_have_text("帥")
    expect(red_general.locator(".latin")).to_be_hidden()
    tab.click("[data-do=pieces]")
    expect(red_general.locator(".hanzi")).to_be_hidden()
    expect(red_general.locator(".latin")).to_have_text("K")
    expect(red_general.locator(".latin")).to_be_visible()


def test_turned_pieces_show_their_old_side_first(tab: Any, address: str) -> None:
    allow_analyses(tab, False)
    tab.emulate_media(reduced_motion="no-preference")
    tools = tab.context.new_cdp_session(tab)
    try:
        tools.send("Animation.enable")
        tools.send("Animation.setPlaybackRate", {"playbackRate": 0.0001})
        tab.goto(f"{address}#/analyse/position/dark-chess")
        tab.click("[data-name=C2].target")
        tab.locator("[data-event='K']").click()
        expect(tab.locator("[data-name=C2] .piece.side-0")).to_have_count(1)
        expect(tab.locator("[data-name=C2] .piece.hidden")).to_be_visible()
        tools.send("Animation.setPlaybackRate", {"playbackRate": 1})
        expect(tab.locator("[data-name=C2] .piece.hidden")).to_have_count(0)
    finally:
        tools.detach()
        tab.emulate_media(reduced_motion="reduce")


def test_list_of_moves_shows_what_a_flip_revealed(tab: Any) -> None:
    begin(tab, "dark-chess", "")
    tab.click("[data-name=C2]")
    wait_for_turn(tab, 0)
    shown = tab.locator("[data-name=C2] .hanzi").text_content()
    expect(tab.locator("ol.plies li").first).to_contain_text(f"C2 {shown}")


def test_drag_a_piece(tab: Any) -> None:
    begin(tab, "ewn", "")
    if tab.locator(".square.chosen").count() == 0:
        tab.locator(".square.can").first.click()
    source, target = tab.locator(".square.chosen"), tab.locator(".square.target").first
    wanted = source.get_attribute("data-name") + target.get_attribute("data-name")
    source.locator(".piece").drag_to(target)
    wait_for_turn(tab, 0)
    expect(tab.locator("ol.plies li b")).to_have_text(wanted)


def test_two_users_take_back_and_save(tab: Any) -> None:
    begin(tab, "othello", "")
    click_a_move(tab)
    expect(tab.locator(".status")).to_contain_text("white to move")
    expect(tab.locator(".status")).to_contain_text("(4–1)")
    with tab.expect_download() as download:
        tab.click("[data-do=save]")
    assert '"format": "starscout game 1"' in download.value.path().read_text()
    tab.click("[data-do=back]")
    tab.wait_for_function("() => document.querySelectorAll('ol.plies li').length === 0")
    expect(tab.locator(".status")).to_contain_text("black to move")


def test_placement_before_the_first_roll(tab: Any) -> None:
    tab.click("[data-game=ewn]")
    open_expert_settings(tab)
    tab.select_option("#opponent", "random")
    tab.check("#placement")
    tab.click("#begin")
    tab.wait_for_selector("[data-do=begin]")
    expect(tab.locator(".die")).to_have_count(0)
    before = [tab.locator(f"[data-square='{n}'] text").text_content() for n in (0, 1)]
    tab.click("[data-square='0']")
    tab.click("[data-square='1']")
    tab.wait_for_function(f"() => document.querySelector(\"[data-square='0'] text\").textContent === '{before[1]}'")
    tab.click("[data-do=begin]")
    tab.wait_for_selector(".die")
    expect(tab.locator("[data-square='1'] text")).to_have_text(before[0])


def test_reload_rejoins_the_game(tab: Any) -> None:
    begin(tab, "ewn", "")
    click_a_move(tab)
    board = tab.locator("svg.board").get_attribute("aria-label")
    tab.reload()
    tab.wait_for_selector("ol.plies li")
    expect(tab.locator("svg.board")).to_have_attribute("aria-label", board)


def test_rules_in_both_languages(tab: Any) -> None:
    tab.click("[data-game=othello]")
    tab.click("text=Rules")
    expect(tab.locator("dialog")).to_contain_text("Black moves first")
    tab.click("dialog button")
    tab.click("#language")
    tab.wait_for_selector("text=下一盤棋")
    expect(tab.locator("html")).to_have_attribute("lang", "zh-Hant")
    expect(tab.locator("[data-tab=watch]")).to_have_text("觀賽")
    tab.click("text=規則")
    expect(tab.locator("dialog")).to_contain_text("黑方先下")


def test_language_and_theme_of_the_browser(chromium: Any, address: str) -> None:
    context = chromium.new_context(locale="zh-TW", color_scheme="dark")
    window = context.new_page()
    window.goto(address)
    window.wait_for_selector("text=下一盤棋")
    expect(window.locator("html")).to_have_attribute("data-theme", "dark")
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


def test_earlier_positions_of_a_game(tab: Any) -> None:
    begin(tab, "ewn")
    click_a_move(tab)
    rows = tab.locator("ol.plies li")
    played = rows.count()
    tab.locator("ol.plies li").first.click()
    tab.wait_for_selector("[data-do=present]:visible")
    tab.wait_for_function("() => document.querySelectorAll('.board-holder .square.can').length === 0")
    assert rows.first.get_attribute("aria-current") == "true"
    tab.keyboard.press("ArrowLeft")
    tab.wait_for_function("() => !document.querySelector('.board-holder .square.last')")
    for _ in range(played):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_selector("[data-do=present]", state="hidden")
    click_a_move(tab)
    if not is_over(tab):
        # The end of the game is shown at once.
        rows.first.click()
        tab.wait_for_selector("[data-do=present]:visible")
        tab.click("[data-do=resign]")
        tab.click("[data-do=resign]")
        tab.wait_for_selector(".status[data-result=lost]")
        assert tab.locator("[data-do=present]").is_hidden()


def test_sounds_are_optional(tab: Any) -> None:
    tab.evaluate(
        "() => { window.tones = 0; const make = AudioContext.prototype.createOscillator; "
        "AudioContext.prototype.createOscillator = function () { window.tones += 1; return make.call(this); }; }"
    )
    begin(tab, "connect-four")
    click_a_move(tab)
    assert tab.evaluate("() => window.tones") == 0
    tab.click("#sound")
    assert tab.get_attribute("#sound", "aria-pressed") == "true"
    before = tab.evaluate("() => window.tones")
    click_a_move(tab)
    assert tab.evaluate("() => window.tones") > before > 0


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
    expect(tab.locator("ol.plies li b")).to_have_text(shown["moves"][0]["text"])


def test_play_button_starts_a_game_with_the_own_pieces_at_the_bottom(tab: Any) -> None:
    tab.click("[data-game=ewn]")
    tab.locator("#level").fill("2")
    expect(tab.locator("output.level")).to_have_text("Level 2 – looks one move ahead (+480 Elo; random moves = 0)")
    tab.click("#play")
    tab.wait_for_function(READY)
    expect(tab.locator("svg.board .goal")).to_have_count(2)
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
    expect(tab.locator("svg.board text.label").first).not_to_have_text(labels[0])


def test_ratings_from_few_games_are_marked(tab: Any) -> None:
    tab.click("[data-game=dark-chess]")
    tab.locator("#level").fill("7")
    expect(tab.locator("output.level")).to_contain_text("(about +1040 Elo, from few games; random moves = 0)")
    tab.locator("#level").fill("8")
    expect(tab.locator("output.level")).to_contain_text("(not rated yet)")
    # A game of a user has no ratings at all.
    tab.click("[data-game=connect-four]")
    expect(tab.locator("output.level")).to_have_text("Level 8 – thinks for two seconds per move")


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
    expect(visitor.locator(".moves button")).to_have_count(0)
    tab.click("[data-do=back]")
    friend.click("[data-do=accept]")
    tab.wait_for_selector(click_square)
    expect(tab.locator("ol.plies li")).to_have_count(0)
    for context in contexts:
        context.close()
