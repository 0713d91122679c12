"""`starscout.results`: contents of a store."""

from pathlib import Path

import pytest

import starscout
from starscout.api.results import match_names
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.cli import matches
from starscout.game import GameError


def test_matches_are_found_by_number_game_and_player(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"
    quick = {"store": store, "workers": 0, "pairs": 2}
    first = starscout.match("ewn-3x3-3", "random", "random", **quick)
    starscout.match("othello", "random", "negascout depth=1", **quick)
    found = starscout.results(store=store)
    assert [match.json() for match in found.matches][:1] == [first.json()]
    assert [match.match for match in starscout.results(2, store=store).matches] == [2]
    assert [match.match for match in starscout.results(game="ewn-3x3-3", store=store).matches] == [1]
    assert [match.match for match in starscout.results(player="depth=1", store=store).matches] == [2]
    assert found.frame()["pairs"].tolist() == [2, 2]
    assert found.export(tmp_path / "games.csv") == 8
    assert str(found).splitlines()[1].split()[:4] == ["1", "ewn-3x3-3", "random", "random"]
    assert found.plot().svg.startswith("<svg")
    assert "othello" in found._repr_html_()
    assert repr(found) == "<2 stored matches, 0 tournaments>"


def test_a_match_shown_again_stays_finished_and_one_without_games_is_left_out(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"
    for _ in range(2):
        starscout.match("ewn-3x3-3", "random", "random", store=store, workers=0, pairs=1)
        assert starscout.results(1, store=store).matches[0].finished
    with Store(store) as opened:
        empty = opened.open_match(MatchPlan("ewn-3x3-3", "random", "random", seed=9), {"pairs": 1})
    assert [found.match for found in starscout.results(store=store).matches] == [1]
    assert starscout.results(empty.id, store=store).matches[0].pairs == 0
    with pytest.raises(GameError, match=f"match {empty.id} has no games"):
        matches.results([empty.id], game="1", store=store)


def test_missing_store_is_reported(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="nothing has been played there yet"):
        starscout.results(store=tmp_path / "none.sqlite")


def test_matches_are_named_by_what_differs(tmp_path: Path) -> None:
    store, quick = tmp_path / "a.sqlite", {"store": tmp_path / "a.sqlite", "workers": 0, "pairs": 1}
    for many in (4, 2):
        players = [f"mcts simulations={number} nodes=1000" for number in (many, many // 2)]
        starscout.match("ewn-3x3-3", *players, **quick)
    assert match_names(starscout.results(store=store).matches) == ["1: simulations 4 – 2", "2: simulations 2 – 1"]
    starscout.match("ewn-3x3-3", "random", "mcts simulations=2 nodes=1000", **quick)
    names = match_names(starscout.results(store=store).matches)
    assert names[2] == "3: random – mcts simulations=2 nodes=1000"
    assert match_names(()) == []
