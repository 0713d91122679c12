"""Games by name and from files."""

from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError

EXAMPLE = Path(__file__).parents[2] / "examples" / "connect_four.py"


@pytest.mark.parametrize("name", [*games.NAMES, "ewn-4x4-3", "othello-6x6"])
def test_games_are_loaded_by_name(name: str) -> None:
    game = games.load(name)
    assert game.name == name
    assert games.load(name) is game


def test_variants_belong_to_families() -> None:
    names = (*games.NAMES, "ewn-4x4-3", "othello-6x6")
    families = ["backgammon", "dark-chess", "ewn", "ewn-cyclic", "kari", "othello", "ewn", "othello"]
    assert [games.load(name).family for name in names] == families
    assert games.load(str(EXAMPLE)).family == ""


def test_typical_plies_and_opening_plies() -> None:
    told = {name: (games.load(name).typical_plies, games.load(name).opening_plies) for name in games.NAMES}
    assert told == {
        "backgammon": (55, 0), "dark-chess": (80, 0), "ewn": (17, 0), "ewn-cyclic": (25, 0), "kari": (52, 4),
        "othello": (60, 8),
    }  # fmt: skip
    assert games.load(str(EXAMPLE)).opening_plies == 7


def test_either_side_may_begin_in_some_games() -> None:
    assert [name for name in games.NAMES if games.load(name).other_side_first is not None] == ["backgammon", "ewn"]
    ewn = games.load("ewn")
    start = ewn.start_position(5)
    assert ewn.other_side_first is not None
    swapped = ewn.other_side_first(start)
    assert ewn.format(swapped, 0) == ewn.format(start, 0).replace(" r ", " b ")


def test_loaded_file_has_a_full_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    game = games.load("./connect_four.py")
    monkeypatch.chdir(tmp_path)
    assert game.file == str(EXAMPLE)
    assert games.load(game.file) is game


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("ewm", "did you mean ewn"),
        ("othello-6x8", "square boards"),
        ("nothing.py", "no game file"),
        ("chess", "there is no game 'chess'"),
    ],
)
def test_unknown_games_are_rejected(name: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        games.load(name)
