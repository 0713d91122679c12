"""Positions, analyses and reviews over a WebSocket."""

from pathlib import Path

import pytest

from tests.web.client import Page

RACE = "1..../...../...../...../....a r 1"
GAME = "RB ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1 | 1A1B1 5E3D3 5A3B3 6D5D4 3A2B3 1E5D4 4C1C2 4C5B4 1B1B2 5D3C2 4B3C4 1D4D3 6C4D5 2E4D3 5D5E5"  # noqa: E501


def test_position_and_advance(page: Page) -> None:
    assert page.ask("position", game="othello", position=None)["shown"]["pieces"] == [2, 2]
    after = page.ask("advance", game="ewn", position=RACE, move="A1B2")["shown"]
    assert after["position"] == "...../.1.../...../...../....a b -"
    rolled = page.ask("advance", game="ewn", position=after["position"], roll=3)["shown"]
    assert rolled["die"] == "3"
    assert "is not a legal move" in page.ask("advance", game="ewn", position=RACE, move="E5D4")["error"]
    assert "rows" in page.ask("position", game="ewn", position="123 r -")["error"]
    assert "allow it with --game" in page.ask("position", game="./evil.py", position=None)["error"]


def test_analysis_pushes_intermediate_results(page: Page) -> None:
    page.send("analyse", name="first", game="ewn", position=RACE, player="negascout", seconds=600)
    found = page.next_push(push="analysis", name="first")
    assert 'class="arrow"' in found["svg"]
    while found["win_probability"] != pytest.approx(1.0):
        found = page.next_push(push="analysis", name="first")
    assert found["pv"][0] == "A1B2"
    page.ask("stop", name="first")


START = "123../45.../6...f/...ed/..cba r 1"


def test_sampled_analysis_has_visits_and_intervals(page: Page) -> None:
    page.ask("analyse", name="first", game="ewn", position=START, player="mcts", seconds=0.5)
    assert len(page.pushed) >= 2
    shallow, deep = page.pushed[0], page.pushed[-1]
    visits = [sum(move["visits"] for move in pushed["moves"]) for pushed in (shallow, deep)]
    assert visits[1] > visits[0]
    low, high = deep["moves"][0]["interval"]
    assert -1 <= low <= deep["moves"][0]["value"] <= high <= 1
    assert deep["done"]


def test_analysis_before_the_roll_covers_every_roll(page: Page) -> None:
    page.ask("analyse", name="first", game="ewn", position=RACE.replace(" 1", " -"), player="negascout", seconds=0.2)
    assert [roll["die"] for roll in page.pushed[-1]["rolls"]] == ["1", "2", "3", "4", "5", "6"]


def test_stop_ends_an_analysis(page: Page) -> None:
    page.send("analyse", name="a", game="ewn", position=START, player="negascout", seconds=600)
    page.next_push(push="analysis", name="a")
    # The answer comes when the search has ended, long before its 600 seconds are over.
    assert "error" not in page.ask("stop", name="a")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"player": "lab:/bin/sh"}, "no player"),
        ({"seconds": 1e9}, "seconds: expected"),
        ({"position": "...../...../...../...../a...1 b -"}, "the game is over"),
        ({"game": "chess"}, "no game"),
    ],
)
def test_invalid_analysis_is_rejected(page: Page, fields: dict[str, object], why: str) -> None:
    wanted = {"name": "first", "game": "ewn", "position": RACE, "player": "negascout", "seconds": 0.1, **fields}
    assert why in page.ask("analyse", **wanted)["error"]


def test_uploaded_game_is_reviewed(page: Page) -> None:
    (listed,) = page.ask("upload", text=GAME)["games"]
    review = page.ask("review", key=listed["key"])
    assert (review["winner"], review["reason"], len(review["moves"])) == (0, "corner", 15)
    assert review["end"] == 1.0
    assert len(review["positions"]) == 16
    assert review["totals"][0]["moves"] == 8
    judged = page.next_push(push="review", key=listed["key"])
    assert judged["judge"] == "strong"
    assert [ply["luck"] for ply in judged["moves"]] == [ply["luck"] for ply in review["moves"]]
    worst = max(range(15), key=lambda number: judged["moves"][number]["loss"])
    shown = page.ask("step", key=listed["key"], ply=worst, best=judged["moves"][worst]["best"])["shown"]
    assert shown["position"] == review["positions"][worst]
    assert shown["svg"].count('class="arrow"') == 2
    assert page.ask("step", key=listed["key"], ply=15, best=None)["shown"]["over"] == {"winner": 0, "reason": "corner"}
    assert "at most 15" in page.ask("step", key=listed["key"], ply=16, best=None)["error"]


def test_solve_small_position(page: Page) -> None:
    answer = page.ask("solve", game="ewn", position=RACE)
    assert (answer["exact"], answer["win_probability"], answer["best"]) == (True, 1.0, "A1B2")


def test_solve_othello_endgame_in_discs(page: Page) -> None:
    # Black turns the last white disc of a row: 64 squares, one of them empty.
    answer = page.ask("solve", game="othello", position="-OX" + 61 * "X" + " X")
    assert (answer["exact"], answer["win_probability"], answer["discs"], answer["best"]) == (True, 1.0, 64, "a1")


def test_upload_accepts_the_formats_of_replay(page: Page) -> None:
    board = 27 * "-" + "O*------*O" + 27 * "-"
    ggf = f"(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5]TY[8]BO[8 {board} *]B[f5]W[d6];)"
    othello = page.ask("upload", text=ggf)["games"][0]
    assert (othello["game"], othello["plies"]) == ("othello", 2)
    assert "unknown record format" in page.ask("upload", text="hello")["error"]
    assert "expected 1 to 900000 characters" in page.ask("upload", text="x" * 950_000)["error"]


def test_upload_accepts_course_server_games(page: Page) -> None:
    shared = Path(__file__).parents[3] / "shared" / "data" / "ewn_server_games.txt"
    if not shared.exists():
        pytest.skip("the recorded games are not here")
    assert len(page.ask("upload", text=shared.read_text())["games"]) == 200
