"""A search on an evaluation with a table finds the table's values."""

import random
from pathlib import Path

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game.values import as_float
from starscout.games.ewn import endgame_table as ewn
from starscout.games.ewn.endgame_table import random_position
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches


@pytest.mark.slow
def test_leaves_have_exact_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ewn, "table_path", lambda game, cubes: tmp_path / "a.table")
    game = games.load("ewn-3x3-3")
    list(ewn.build_table(game, 4))
    table = ewn.open_table(game, 4)
    assert table is not None
    base = load_evaluation(game)
    evaluation = table.evaluation(base)
    assert evaluation.name == f"{base.name}+table"
    generator = random.Random(2)
    searcher = Searcher(game, evaluation, Switches(scout=False))
    for _ in range(20):
        position = random_position(table, generator)
        assert as_float(evaluation.value(position)) == pytest.approx(table.value(position), abs=5e-5)
        searcher.clear()
        searcher.begin()
        for depth in (1, 2, 3):
            assert searcher.value(position, depth) == pytest.approx(table.value(position), abs=1e-4)
    start = game.start_position(0)
    assert evaluation.value(start) == base.value(start)
