"""`starscout.tournament`: the table, the rounds, the names."""

from pathlib import Path

import pytest

import starscout
from starscout.api.running import opened_store
from starscout.api.tournament import stored_tournament
from starscout.game import GameError

GAME, DEEP = "ewn-3x3-3", "negascout depth=2 eval=zero"


def test_a_round_robin_is_ranked_stored_and_drawn(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"
    players = ["random", DEEP, "negascout depth=1 eval=zero"]
    result = starscout.tournament(GAME, players, pairs=6, seed=2, store=store, workers=0)
    assert [row.rank for row in result.table] == [1, 2, 3]
    assert sum(row.score for row in result.table) == 3 * 12
    assert sum(row.games for row in result.table) == 2 * 3 * 12
    assert len(result.rounds) == 3
    with opened_store(store, existing=True) as opened:
        stored = stored_tournament(opened, result.tournament)
    assert stored.json() == result.json()
    assert str(stored) == str(result)
    assert result._repr_html_().count("<svg") == 1
    assert result.frame()["player"].tolist() == [row.player for row in result.table]
    result.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").is_file()


def test_a_swiss_has_rounds_and_names() -> None:
    result = starscout.tournament(
        GAME, ["random", "random", DEEP], swiss=2, pairs=1, names=["a", "b", "c"], store=":memory:", workers=0
    )
    assert {row.player for row in result.table} == {"a", "b", "c"}
    assert sum("rests" in row for row in result.rounds) == 2
    assert "rests" in str(result)


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"players": ["random"]}, "at least two players"),
        ({"players": ["random", DEEP], "gauntlet": True, "swiss": 2}, "say how the players meet"),
        ({"players": ["random", DEEP], "names": ["a"]}, "as many different names"),
    ],
)
def test_bad_input_is_a_sentence(keywords: dict, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        starscout.tournament(GAME, store=":memory:", **keywords)
