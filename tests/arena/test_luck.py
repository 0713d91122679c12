"""Luck and losses: against the definition, mean zero over the rolls, and the same from records and from play."""

import pytest

from starscout import games
from starscout.arena.batch import play_pair
from starscout.arena.luck import make_judge, net_luck
from starscout.arena.plan import MatchPlan, make_plan
from starscout.arena.record import game_records, unpack
from starscout.game import GameError
from starscout.search.exact import exact_moves
from starscout.search.limits import Limit
from starscout.state import from_position

pytestmark = pytest.mark.plain

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=2")


def test_luck_and_loss_follow_the_definition() -> None:
    from starscout import evaluate

    game = games.load("ewn-3x3-3")
    evaluation = evaluate.load(game, "race")
    record, _ = game_records(play_pair(PLAN, 4), PLAN.game, ("a", "b"), PLAN.seed)
    analysis = make_judge(game, PLAN.luck).analyse(record)
    for ply, state in zip(range(len(record.plies)), record.states(), strict=False):
        values = [exact_moves(game, evaluation, state.position, roll, 2) for roll in (1, 2, 3)]
        best = [max(moves.values()) for moves in values]
        chosen = values[state.roll - 1][state.parse_move(record.plies[ply].move)]
        assert analysis.luck[ply] == pytest.approx((best[state.roll - 1] - sum(best) / 3) / 2, abs=1e-9)
        assert analysis.loss[ply] == pytest.approx((best[state.roll - 1] - chosen) / 2, abs=1e-9)
        assert analysis.loss[ply] >= 0


def test_a_roll_has_no_luck_on_average() -> None:
    game = games.load("ewn-3x3-3")
    judge = make_judge(game, "eval=distance depth=2")
    state = from_position(game, game.start_position(3))
    move = {roll: game.legal(state.position, roll)[0] for roll in (1, 2, 3)}
    luck = [judge.analyse_moves(state, [roll], [move[roll]]).luck[0] for roll in (1, 2, 3)]
    assert sum(luck) == pytest.approx(0, abs=1e-12)
    assert any(abs(value) > 1e-3 for value in luck)


def test_play_stores_what_the_record_gives() -> None:
    pair = play_pair(PLAN, 6)
    judge = make_judge(games.load(PLAN.game), PLAN.luck)
    content, _ = unpack(pair)
    assert pair.luck is not None
    for half, record in enumerate(game_records(pair, PLAN.game, ("a", "b"), PLAN.seed)):
        analysis = judge.analyse(record)
        assert content[half]["luck"] == [round(value, 4) for value in analysis.luck]
        assert content[half]["loss"] == [round(value, 4) for value in analysis.loss]
        # Red moves first; A is red in game 0.
        assert pair.luck[half] == pytest.approx(net_luck(analysis.luck, 0, half), abs=1e-6)


def test_net_luck_signs() -> None:
    assert net_luck((0.5, 0.25, 0.125), 0, 0) == 0.375
    assert net_luck((0.5, 0.25, 0.125), 0, 1) == -0.375
    assert net_luck((0.5,), 1, 0) == -0.5


def test_descriptions() -> None:
    game = games.load("ewn-3x3-3")
    assert make_judge(game, "").text == "eval=race depth=3"
    assert make_judge(game, "depth=1 eval=distance").text == "eval=distance depth=1"
    for text in ("deep", "depth=9", "deepth=2", "eval=nonsense"):
        with pytest.raises(GameError):
            make_judge(game, text)


def test_plans_fill_in_the_judge() -> None:
    assert make_plan("ewn-3x3-3", "random", "random", Limit(), 0).luck == "eval=race depth=1"
    assert make_plan("ewn-3x3-3", "negascout depth=1", "negascout depth=1", Limit(), 0).luck == "eval=race depth=3"
    assert make_plan("ewn-3x3-3", "random", "random", Limit(), 0, luck="off").luck == ""
