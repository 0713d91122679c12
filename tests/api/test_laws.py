"""`starscout.laws`: satisfied and violated laws."""

from pathlib import Path

import starscout
from starscout.api.games import laws
from tests.api.results import fields
from tests.blocks import ROOT


def test_satisfied_and_violated_laws(tmp_path: Path) -> None:
    assert fields(laws(starscout.load("ewn-3x3-3"), games=1)) == {"game", "holds", "games", "positions"}
    example = (ROOT / "examples" / "connect_four.py").read_text(encoding="utf-8")
    (tmp_path / "short.py").write_text(example.replace("max_plies=ROWS * COLUMNS", "max_plies=5"), encoding="utf-8")
    broken = laws(str(tmp_path / "short.py"), games=2)
    assert fields(broken) == {"game", "holds", "why"}
    assert str(broken).startswith("violated: connect-four: a game is longer than max_plies = 5")
