"""Luck and losses: definition, mean zero over the rolls, records and live games."""

import random

import pytest

from starscout import games
from starscout.arena.batch import play_pair
from starscout.arena.luck import LuckMeter, make_meter
from starscout.arena.pair import net_luck
from starscout.arena.plan import MatchPlan, make_plan
from starscout.evaluation import load_evaluation
from starscout.game import Game, GameError
from starscout.game.state import from_position, start
from starscout.games.ewn.endgame_table import find_table, random_position
from starscout.kernels.kernel import PLAIN
from starscout.players.spec import make_player
from starscout.records.packed import SeatedGame
from starscout.records.record import ADJOURNED, Annotation, GameRecord, Ply
from starscout.referee.game_in_progress import play_game
from starscout.search.exact import exact_moves, exact_value
from starscout.search.limits import Limit
from tests.search.generated_games import ALTERNATING, FREE, NOISE, POINTS

pytestmark = pytest.mark.plain

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=2")


def test_luck_and_loss_follow_the_definition() -> None:

    game = games.load("ewn-3x3-3")
    evaluation = load_evaluation(game, "race")
    record = play_pair(PLAN, 4).games(PLAN.game, ("a", "b"), PLAN.seed)[0].record
    analysis = make_meter(game, PLAN.luck).annotate(record)
    for ply, state in zip(range(len(record.plies)), record.states(), strict=False):
        values = [exact_moves(game, evaluation, state.position, roll, 2) for roll in (1, 2, 3)]
        best = [max(moves.values()) for moves in values]
        chosen = values[state.roll - 1][record.plies[ply].move]
        assert analysis.luck[ply] == pytest.approx((best[state.roll - 1] - sum(best) / 3) / 2, abs=1e-9)
        assert analysis.loss[ply] == pytest.approx((best[state.roll - 1] - chosen) / 2, abs=1e-9)
        assert analysis.loss[ply] >= 0


def test_mean_luck_of_a_roll_is_zero() -> None:
    game = games.load("ewn-3x3-3")
    meter = make_meter(game, "eval=distance depth=2")
    state = from_position(game, game.start_position(3))
    luck = []
    for roll in (1, 2, 3):
        plies = (Ply(roll, "", game.legal(state.position, roll)[0]),)
        luck += meter.annotate(GameRecord(game.name, state.text, ("a", "b"), plies, None, ADJOURNED)).luck
    assert sum(luck) == pytest.approx(0, abs=1e-12)
    assert any(abs(value) > 1e-3 for value in luck)


def test_stored_luck_equals_luck_of_the_record() -> None:
    pair = play_pair(PLAN, 6)
    meter = make_meter(games.load(PLAN.game), PLAN.luck)
    assert pair.luck is not None
    for half, game in enumerate(pair.games(PLAN.game, ("a", "b"), PLAN.seed)):
        exact = meter.annotate(game.record)
        assert game.annotation is not None
        assert game.annotation.luck == tuple(round(value, 4) for value in exact.luck)
        assert game.annotation.loss == tuple(round(value, 4) for value in exact.loss)
        # Red moves first; A is red in game 0.
        assert (game.first, game.side) == (0, half)
        assert pair.luck[half] == pytest.approx(net_luck(game._replace(annotation=exact)), abs=1e-6)


def test_net_luck_signs() -> None:
    empty = GameRecord("ewn", "", ("a", "b"), (), None, ADJOURNED)
    for luck, first, side, net in (
        ((0.5, 0.25, 0.125), 0, 0, 0.375),
        ((0.5, 0.25, 0.125), 0, 1, -0.375),
        ((0.5,), 1, 0, -0.5),
    ):
        assert net_luck(SeatedGame(empty, side, first, Annotation(luck, luck))) == net
    assert net_luck(SeatedGame(empty, 0)) is None


def test_meter_specifications() -> None:
    game = games.load("ewn-3x3-3")
    assert make_meter(game, "").text == "eval=race depth=3"
    assert make_meter(game, "depth=1 eval=distance").text == "eval=distance depth=1"
    assert make_meter(game, "filter=2 depth=2").text == "eval=race depth=2 filter=2"
    for text in ("deep", "depth=9", "deepth=2", "filter=-1", "eval=nonsense"):
        with pytest.raises(GameError):
            make_meter(game, text)


def test_plan_fills_in_the_default_meter() -> None:
    assert make_plan("ewn-3x3-3", "random", "random", Limit(), 0).luck == "eval=race depth=1"
    assert make_plan("ewn-3x3-3", "negascout depth=1", "negascout depth=1", Limit(), 0).luck == "eval=race depth=3"
    assert make_plan("ewn-3x3-3", "random", "random", Limit(), 0, luck="off").luck == ""


def test_meter_with_table_uses_exact_values() -> None:
    game = games.load("ewn-3x3-3")
    meter = make_meter(game, "endgame=on depth=1")
    assert meter.text == "eval=race depth=1 endgame=on"
    table = find_table(game)
    assert table is not None
    generator = random.Random(6)
    for _ in range(20):
        position = random_position(table, generator)
        assert meter.value(from_position(game, position)) == pytest.approx(table.value(position), abs=1e-4)
    with pytest.raises(GameError, match="luck: kari has no endgame table"):
        make_meter(games.load("kari"), "eval=zero endgame=on")


def test_filter_searches_the_best_moves_by_the_evaluation() -> None:
    game = games.load("ewn-3x3-3")
    record = play_pair(PLAN, 4).games(PLAN.game, ("a", "b"), PLAN.seed)[0].record
    full, shallow, wide, narrow = (
        LuckMeter(game, f"eval=race depth={options}") for options in ("2", "1", "2 filter=9", "2 filter=1")
    )
    assert narrow.text == "eval=race depth=2 filter=1"
    assert wide.annotate(record) == full.annotate(record) != narrow.annotate(record)
    found, differing = narrow.annotate(record), 0
    for ply, state in zip(range(len(record.plies)), record.states(), strict=False):
        first = from_position(game, state.position)
        best = []
        for roll in (1, 2, 3):
            rolled = first.rolled(roll)
            by_evaluation, by_search = shallow.move_values(rolled), narrow.move_values(rolled)
            best.append(by_search[max(by_evaluation, key=by_evaluation.__getitem__)])
            differing += best[-1] < max(by_search.values())
        assert found.luck[ply] == pytest.approx((best[state.roll - 1] - sum(best) / 3) / 2, abs=1e-9)
        chosen = narrow.move_values(state)[record.plies[ply].move]
        assert found.loss[ply] == pytest.approx(max(best[state.roll - 1] - chosen, 0) / 2, abs=1e-9)
    assert differing


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_luck_of_generated_games_has_mean_zero_and_losses_are_not_negative(game: Game, monkeypatch) -> None:
    monkeypatch.setitem(games._loaded, game.name, game)
    monkeypatch.setattr("starscout.arena.luck.load_evaluation", lambda game, name: NOISE)
    meter = LuckMeter(game, "eval=noise depth=2")
    players = make_player("random", game), make_player("random", game)
    for seed in range(5 if PLAIN else 60):
        first = start(game, seed)
        side, mean = first.mover, 0.0
        weights = game.event_weights(first.position)
        for event, weight in weights.items():
            after = first.rolled(event)
            plies = () if after.over else (Ply(event, "", after.legal[0]),)
            final = event if after.over else 0
            record = GameRecord(game.name, first.text, ("a", "b"), plies, None, ADJOURNED, final_event=final)
            luck = meter.annotate(record).luck[0]
            best = max(exact_moves(game, NOISE, after.position, 0, 2).values(), default=None)
            if best is None:
                best = game.outcome(after.position) / game.points
            view = 1 if after.mover == side else -1
            expected = view * best - exact_value(game, NOISE, first.position, 2)
            assert view * luck == pytest.approx(POINTS * expected, abs=1e-9)
            mean += weight * view * luck
        assert mean == pytest.approx(0, abs=1e-9)
        record = play_game(first, players, (Limit(), Limit()), seed=seed)
        annotation = meter.annotate(record)
        assert len(annotation.luck) == len(record.plies) + (record.final_event != 0)
        assert len(annotation.loss) == len(record.plies)
        assert all(loss >= 0 for loss in annotation.loss)
