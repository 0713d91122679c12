"""`starscout.analyse`: fields, table, plot and HTML."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import starscout
from starscout.game import GameError

SPEC = "negascout depth=2 eval=zero"
BEFORE, AFTER = "12./3.a/.cb r -", "12./3.a/.cb r 2"


def test_after_a_roll() -> None:
    state = starscout.parse("ewn-3x3-3", AFTER)
    analysis = starscout.analyse(state, SPEC, depth=4)
    assert sorted(part.move for part in analysis.moves) == sorted(state.moves)
    assert analysis.best in state.moves
    assert analysis.value == max(part.value for part in analysis.moves if part.value is not None)
    assert analysis.win_probability == pytest.approx(((analysis.value or 0.0) + 1) / 2)
    assert analysis.rolls == ()
    fields = json.loads(json.dumps(analysis.json()))
    assert set(fields) == {"value", "win_probability", "best", "moves", "pv", "depth", "nodes", "seconds"}
    assert fields["pv"][0] == analysis.best
    assert analysis.frame()["move"].tolist() == [part.move for part in analysis.moves]


def test_before_a_roll() -> None:
    analysis = starscout.analyse(starscout.parse("ewn-3x3-3", BEFORE), SPEC, depth=2)
    assert analysis.best is None
    assert [part.roll for part in analysis.rolls] == [1, 2, 3]
    assert "rolls" in analysis.json()
    assert "best" not in analysis.json()
    assert analysis.plot().svg.startswith("<svg")


def test_games_with_points_show_points() -> None:
    game = starscout.load(REVEAL)
    state = starscout.start(game)
    analysis = starscout.analyse(state, "random", nodes=1)
    analysis = replace(analysis, value=0.25, moves=(starscout.MoveAnalysis(state.moves[0], -1e-9, None),))
    assert analysis.points == 0.25 * game.points
    assert analysis.json()["points"] == analysis.points
    assert analysis.table() == (["move", "value", "points"], [[state.moves[0], "+0.0000", "+0.000"]])
    assert analysis.summary()[0].startswith(f"one expects {analysis.points:+.3f} points (value +0.2500)")


def test_a_page_has_a_bar_for_each_move() -> None:
    analysis = starscout.analyse(starscout.parse("ewn-3x3-3", AFTER), SPEC, depth=2)
    page = analysis._repr_html_()
    assert page.count("background:#4878a8") == len(analysis.moves)
    assert f"with {analysis.best}" in page
    assert str(analysis).splitlines()[-3].startswith("red wins ")


def test_given_player_stays_open() -> None:
    state = starscout.parse("ewn-3x3-3", AFTER)
    thinker = starscout.player(SPEC, "ewn-3x3-3")
    first = starscout.analyse(state, thinker, depth=2)
    assert starscout.analyse(state, thinker, depth=2).value == first.value
    assert first.player == SPEC


def test_invalid_input_is_rejected() -> None:
    over = starscout.parse("ewn-3x3-3", AFTER)
    with pytest.raises(GameError, match="no player 'strnog'"):
        starscout.analyse(over, "strnog")
    with pytest.raises(GameError, match=r"\.dot, \.gv, \.json"):
        starscout.analyse(over, SPEC, depth=1, tree="tree.png")


def test_player_that_reports_only_a_move() -> None:
    shown = str(starscout.analyse(starscout.parse("ewn-3x3-3", AFTER), "random", depth=1)).splitlines()
    assert shown[-2].startswith("red plays ")
    assert not any("value" in line for line in shown)


REVEAL = str(Path(__file__).parents[1] / "reveal_game.py")


def test_events_are_listed_in_the_notation_of_the_game_with_weights() -> None:
    game = starscout.load(REVEAL)
    state = starscout.parse(game, "o????? 0 0 a -").play("s2")
    analysis = starscout.analyse(state, "random", nodes=1)
    assert [(part.roll, part.weight) for part in analysis.rolls] == [("o", 1), ("p", 2), ("q", 2)]
    assert set(analysis.json()["rolls"][0]) == {"roll", "best", "value", "weight"}
    assert analysis.table()[0][:3] == ["event", "weight", "best"]
    last = starscout.parse(game, "oopq?q 5 0 a -").play("s5")
    analysis = starscout.analyse(last, "random", nodes=1)
    assert [(part.roll, part.best, part.value) for part in analysis.rolls] == [("p", None, 1.0)]
    assert analysis.value == 1.0


def test_positions_are_shown_with_their_event() -> None:
    game = starscout.load(REVEAL)
    state = starscout.parse(game, "o????? 0 0 a -").play("s2")
    assert starscout.show(state).move_lines() == [
        "event o (1 of 5): s3 s4 s5 s6", "event p (2 of 5): s3 s4 s5 s6", "event q (2 of 5): s3 s4 s5 s6",
    ]  # fmt: skip
    shown = starscout.show(state.rolled("o"))
    assert (shown.die, shown.mover) == ("o", "two")
    assert str(state.rolled("o")).endswith("two to move, event o")
    last = starscout.parse(game, "oopq?q 5 0 a -").play("s5")
    assert starscout.show(last).move_lines() == ["event p: one wins 6 points: all revealed"]
