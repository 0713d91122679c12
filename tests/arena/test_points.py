"""Matches of a game with points, reveals and repeated turns: result, store, export, identity."""

import json
from pathlib import Path

import pytest

import starscout
from starscout.api.match import summary_rows
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.search.limits import Limit

REVEAL = Path(__file__).parents[1] / "reveal_game.py"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> starscout.MatchResult:
    store = tmp_path_factory.mktemp("points") / "store.sqlite"
    return starscout.match(str(REVEAL), "random", "random", pairs=20, seed=3, luck="off", workers=0, store=str(store))


def test_points_per_game_beside_the_score(result: starscout.MatchResult) -> None:
    points = [record.points_of(record.half) for record in result.records]
    assert len(set(map(abs, points))) > 2
    assert result.points_per_game == pytest.approx(sum(points) / 40)
    value = result.json()
    low, high = value["points_interval"]
    assert low < value["points_per_game"] < high
    assert value["points_error"] == pytest.approx((high - low) / 2)
    assert json.loads(json.dumps(value)) == json.loads(json.dumps(value, sort_keys=True))
    assert result.score == pytest.approx(sum(0.5 + (p > 0) / 2 - (p < 0) / 2 for p in points) / 40)
    assert [row["a_points"] for row in result.rows()] == points
    assert all(set(row["rolls"].replace(" ", "")) <= set("opq") for row in result.rows())


def test_games_without_points_have_no_such_field() -> None:
    value = starscout.match("ewn-3x3-3", "random", "random", pairs=4, workers=0, store=":memory:").json()
    assert not {"points_per_game", "points_error", "points_interval"} & {*value, *value["luck_adjusted"]}


def test_a_store_keeps_points_and_movers(result: starscout.MatchResult, tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        stored = store.open_match(result.plan, {})
        store.add(stored.id, result.pair_records)
    with Store(path) as store:
        again = tuple(store.pairs(stored.id))
    assert again == result.pair_records
    for pair in again:
        for half, game in enumerate(pair.games(result.game, ("A", "B"), result.seed)):
            game.record.check()
            assert (game.points, game.score) == (pair.points[half], pair.scores[half])
            assert list(game.movers) == game.record.movers()
        assert sum(used.moves for used in pair.used) == sum(pair.plies)


def test_the_table_and_the_report_show_points(result: starscout.MatchResult, tmp_path: Path) -> None:
    assert any(name == "points per game" for name, _ in summary_rows(result))
    result.report(tmp_path / "report.html")
    assert "points per game" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_other_chance_rules_are_another_match(tmp_path: Path) -> None:
    """The identity covers the game file, so games with other weights are never counted together."""
    file = tmp_path / "reveal_game.py"
    # Another name: the game of this name is used by other tests of the process.
    file.write_text(REVEAL.read_text(encoding="utf-8").replace('name="reveal"', 'name="reveal-copy"'), encoding="utf-8")
    plan = make_plan(str(file), "random", "random", Limit(), 1, luck="off")
    (tmp_path / "changed").mkdir()
    other = tmp_path / "changed" / "reveal_game.py"
    other.write_text(file.read_text().replace("return kind, left(position, kind)", "return kind, 1"))
    changed = make_plan(str(other), "random", "random", Limit(), 1, luck="off")
    assert plan.contents != changed.contents
    assert plan.identity != changed.identity


def test_luck_adjustment_of_points_reduces_their_error() -> None:
    """Luck is summed by the side that moves after each event, with the final event, in points."""
    result = starscout.match(
        str(REVEAL), "random", "random", pairs=40, seed=1, luck="depth=4", workers=0, store=":memory:"
    )
    adjusted = result.luck_adjusted
    assert adjusted is not None
    assert adjusted.points_error is not None
    assert result.points_error is not None
    assert adjusted.points_error < 0.95 * result.points_error
    review = starscout.review(result.records[0], luck="depth=4")
    (pair, *_) = result.pair_records
    assert pair.luck is not None
    points = 2 * 6 * (review.side(0).luck - review.side(1).luck)
    assert points == pytest.approx(pair.luck[0], abs=1e-4)
