"""There is one referee: dice, clocks and players' seeds have one caller in the package."""

import ast
from pathlib import Path

import pytest

import starscout
from tests.sources import nodes

PACKAGE = Path(starscout.__file__).parent
REFEREE = "referee/game_in_progress.py"


def callers(name: str, module: str) -> set[str]:
    """The files that call a function of `module`, or any method of this name."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        imported = {
            alias.asname or alias.name
            for node in nodes(file)
            if isinstance(node, ast.ImportFrom) and node.module == module
            for alias in node.names
            if alias.name == name
        }
        if module == f"starscout.{file.relative_to(PACKAGE).with_suffix('').as_posix().replace('/', '.')}":
            imported.add(name)
        for node in nodes(file):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            by_name = isinstance(called, ast.Name) and called.id in imported
            by_attribute = isinstance(called, ast.Attribute) and called.attr == name and not imported and not module
            if by_name or by_attribute:
                found.add(file.relative_to(PACKAGE).as_posix())
    return found


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("die", "starscout.referee.game_in_progress"),
        ("player_seed", "starscout.referee.game_in_progress"),
        ("time_withheld", "starscout.referee.clock"),
        ("charge", ""),
    ],
)
def test_dice_clocks_and_seeds_have_one_caller(name: str, module: str) -> None:
    assert callers(name, module) == {REFEREE}
