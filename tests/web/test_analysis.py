"""Positions, analyses and reviews over a WebSocket."""

import itertools
from pathlib import Path

import pytest

from tests.web.client import Page

RACE = "1..../...../...../...../....a r 1"
SMALL = "12./3.a/.cb r 1"
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
    found = [pushed for pushed in page.pushed if pushed["push"] == "analysis"]
    assert len(found) >= 2
    shallow, deep = found[0], found[-1]
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
    # Another test of this server may have reviewed the game before: then the answer is judged, and nothing is pushed.
    judged = review if review["judge"] else page.next_push(push="review", key=listed["key"])
    assert judged["judge"] == "strong"
    assert [ply["luck"] for ply in judged["moves"]] == [ply["luck"] for ply in review["moves"]]
    worst = max(range(15), key=lambda number: judged["moves"][number]["loss"])
    shown = page.ask("step", key=listed["key"], ply=worst, best=judged["moves"][worst]["best"])["shown"]
    assert shown["position"] == review["positions"][worst]
    assert shown["svg"].count('class="arrow"') == 2
    assert page.ask("step", key=listed["key"], ply=15, best=None)["shown"]["over"] == {"winner": 0, "reason": "corner"}
    assert "at most 15" in page.ask("step", key=listed["key"], ply=16, best=None)["error"]


def test_exact_values_of_all_moves(page: Page) -> None:
    answer = page.ask("solve", game="ewn", position=RACE)
    assert (answer["value"], answer["error"], answer["best"]) == (1.0, 0.0, "A1B2")
    values = {pushed["move"]: pushed["value"] for pushed in page.pushed if pushed["push"] == "exact"}
    assert values == {"A1B1": -1.0, "A1A2": -1.0, "A1B2": 1.0}


def test_exact_values_of_an_othello_endgame_in_discs(page: Page) -> None:
    # Black turns the last white disc of a row: 64 squares, one of them empty.
    answer = page.ask("solve", game="othello", position="-OX" + 61 * "X" + " X")
    assert (answer["value"], answer["score"], answer["best"]) == (1.0, 64, "a1")
    assert page.next_push(push="exact", move="a1")["score"] == 64


def test_path_of_moves_and_events(page: Page) -> None:
    answer = page.ask("path", game="ewn-3x3-3", position=SMALL, path=["A1B2", "2", "C3B2"])
    assert answer["svg"].count('class="arrow"') == 2
    assert answer["shown"]["ply"] == 2
    assert answer["shown"]["mover"] == 0
    assert "not a legal move" in page.ask("path", game="ewn-3x3-3", position=SMALL, path=["C3A1"])["error"]


def test_monte_carlo_tree_grows(page: Page) -> None:
    position, wanted = SMALL, {"search": "mcts", "player": "mcts", "depth": 2, "simulations": 40}
    last = page.ask("tree", game="ewn-3x3-3", position=position, **wanted)["tree"]
    stages = [pushed for pushed in page.pushed if pushed["push"] == "growth"]
    assert [stage["simulations"] for stage in stages][:3] == [1, 2, 3]
    assert [stage["tree"]["visits"] for stage in stages] == [stage["simulations"] for stage in stages]
    assert stages[-1]["tree"] == last
    # Every stage continues the previous one.
    for before, after in itertools.pairwise(stages):
        for child in before["tree"]["children"]:
            later = next(other for other in after["tree"]["children"] if other["move"] == child["move"])
            assert later["visits"] >= child["visits"]


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
