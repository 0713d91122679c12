"""Boards as SVG: well-formed, with every square."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import starscout
from starscout import games
from starscout.drawing.svg import Arrow, board_svg
from starscout.game import state

pytestmark = pytest.mark.plain

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLES = Path(__file__).parents[2] / "examples"


def squares(picture: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(picture)
    return [element for element in root.iter(f"{SVG}g") if "data-square" in element.attrib]


@pytest.mark.parametrize("name", [*games.NAMES, "connect_four.py", "dice_race.py"])
def test_every_game_is_drawn(name: str) -> None:
    game = games.load(str(EXAMPLES / name) if name.endswith(".py") else name)
    start = state.start(game, 3)
    found = squares(board_svg(start))
    assert [int(element.attrib["data-square"]) for element in found] == list(range(game.rows * game.columns))
    pieces = [sum("piece" in part.get("class", "") for part in element.iter()) for element in found]
    cells = game.cells(start.position)
    pictured = [bool(cell.text) and (cell.side is not None or game.picture is not None) for cell in cells]
    assert [count > 0 for count in pieces] == pictured


def test_square_names_and_labels() -> None:
    labels = [
        element.attrib for element in squares(board_svg(starscout.parse("ewn", "1..../...../...../...../....a r 1")))
    ]
    assert (labels[0]["data-name"], labels[0]["data-spoken"]) == ("A1", "A1, red 1")
    assert labels[1]["data-spoken"] == "B1, empty"
    assert labels[24]["data-spoken"] == "E5, blue 1"
    othello = [element.attrib["data-spoken"] for element in squares(board_svg(starscout.start("othello")))]
    assert othello[27:29] == ["d4, white", "e4, black"]


def places(picture: str) -> list[tuple[int, int]]:
    found = [re.fullmatch(r"translate\((\d+) (\d+)\)", element.attrib["transform"]) for element in squares(picture)]
    return [(int(match[1]), int(match[2])) for match in found if match is not None]


def test_turned_board_is_rotated() -> None:
    start = starscout.start("ewn-cyclic")
    assert places(board_svg(start, turned=True)) == places(board_svg(start))[::-1]


def test_last_move_marks_notes_and_arrows() -> None:
    after = starscout.parse("ewn", "1..../...../...../...../....a r 1").play("A1B2")
    picture = board_svg(after, marks=[7], notes={8: "+0.5"}, arrows=[Arrow(6, 12, "1"), Arrow(3, 3)])
    root = ElementTree.fromstring(picture)
    found = squares(picture)
    assert [n for n, element in enumerate(found) if "last" in element.attrib["class"].split()] == [0, 6]
    by_class = {
        name: [n for n, e in enumerate(found) if any(p.get("class") == name for p in e)] for name in ("mark", "note")
    }
    assert by_class == {"mark": [7], "note": [8]}
    line, ring = (element for element in root.iter(f"{SVG}g") if element.get("class") == "arrow")
    shaft = line.find(f"{SVG}line")
    assert shaft is not None
    assert float(shaft.attrib["x1"]) < float(shaft.attrib["x2"])
    assert float(shaft.attrib["y1"]) < float(shaft.attrib["y2"])
    assert ring.find(f"{SVG}circle") is not None
    assert ring.find(f"{SVG}line") is None


def test_game_texts_are_escaped() -> None:
    picture = board_svg(starscout.start("ewn"), notes={0: "<script>&\"'"}, arrows=[Arrow(0, 1, "</svg>")])
    texts = [element.text for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    assert "<script>&\"'" in texts
    assert "</svg>" in texts


def test_board_svg_is_self_contained() -> None:
    picture = board_svg(starscout.start("othello"), width=320)
    assert 'width="320"' in picture
    assert not re.search(r"<style|<script|href|url\(|<image", picture)
