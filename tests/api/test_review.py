"""Game reviews: win probability, luck and losses on small boards, checked by hand; leads and exact scores."""

import dataclasses
import random

import pytest

from starscout import games
from starscout.api.review import ReviewedPly, SideReview, exact_scores, leads, move_evaluator, review, review_by
from starscout.arena.luck import make_meter
from starscout.game import GameError, Outcome
from starscout.games.backgammon.rules import roll_of
from starscout.players.spec import make_player
from starscout.records.record import GameRecord, Replay
from starscout.referee.game_in_progress import GameInProgress, play_game
from starscout.referee.openings import series_start
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain


def ply(luck: float = 0.0, loss: float = 0.0) -> ReviewedPly:
    return ReviewedPly(0, 1, "A1B1", "A1B1", 0.5, luck, loss, None, 0.0)


@pytest.mark.parametrize(
    ("loss", "name"), [(0.0, ""), (0.019, ""), (0.02, "doubtful"), (0.04, "bad"), (0.079, "bad"), (0.08, "very bad")]
)
def test_mistakes_are_classified_by_size(loss: float, name: str) -> None:
    assert ply(loss=loss).mistake == name


@pytest.mark.parametrize(
    ("luck", "name"), [(0.1, ""), (0.15, "lucky"), (0.3, "very lucky"), (-0.15, "unlucky"), (-0.31, "very unlucky")]
)
def test_rolls_are_classified_by_luck(luck: float, name: str) -> None:
    assert ply(luck=luck).luck_name == name


def test_marks_of_mistakes() -> None:
    assert [ply(loss=loss).marked_move for loss in (0.0, 0.02, 0.04, 0.08)] == ["A1B1", "A1B1?!", "A1B1?", "A1B1??"]


def test_error_rate_ignores_forced_moves() -> None:
    assert SideReview(0.0, 0.5, 4, {}, decisions=2).error_rate == 0.25


def test_loss_of_a_missed_win() -> None:
    # Red can win at once by moving its only cube into the corner, but steps aside.
    replay = Replay("ewn-3x3-3", ".../.1./a.. r -", line=1)
    replay.add(1, "B2C2", line=2)
    reviewed = review_by(replay.finished(None), make_meter(games.load("ewn-3x3-3"), "eval=zero depth=4"))
    (first,) = reviewed.plies
    # Blue on A3 needs two steps to A1, red one to C3: red still wins after blue's move, so the loss is 0.
    assert (first.best, first.chance, first.loss, first.luck) == ("B2C2", 1.0, 0.0, 0.0)
    replay = Replay("ewn-3x3-3", ".a./.1./... r -", line=1)
    replay.add(1, "B2B3", line=2)
    (lost,) = review_by(replay.finished(None), make_meter(games.load("ewn-3x3-3"), "eval=zero depth=4")).plies
    # Blue on B1 moves to A1 next and wins; the corner would have won first.
    assert (lost.best, lost.chance, lost.loss, lost.mistake) == ("B2C3", 1.0, 1.0, "very bad")


def test_review_totals_by_side() -> None:
    game = games.load("ewn")
    players = make_player("random", game), make_player("random", game)
    record = play_game(series_start(game, 3, 0), players, (Limit(), Limit()), seed=3)
    meter = make_meter(game, "depth=1")
    reviewed, annotation = review_by(record, meter), meter.annotate(record)
    assert tuple(ply.luck for ply in reviewed.plies) == annotation.luck
    assert [ply.loss for ply in reviewed.plies] == pytest.approx(annotation.loss)
    assert all((ply.best == ply.move) == (ply.loss == 0.0) for ply in reviewed.plies)
    sides = reviewed.side(0), reviewed.side(1)
    assert sum(side.luck for side in sides) == pytest.approx(sum(annotation.luck))
    assert sides[0].moves + sides[1].moves == len(record.plies)
    assert sum(sides[0].mistakes.values()) == sum(bool(ply.mistake) for ply in reviewed.plies if ply.side == 0)
    assert sides[1].loss_per_move == pytest.approx(sides[1].loss / sides[1].moves)
    assert reviewed.end == record.score(0)


def test_games_without_dice_have_no_luck() -> None:
    replay = Replay("othello", games.load("othello").format(games.load("othello").start_position(0), 1), line=1)
    for number, move in enumerate(("f5", "d6", "c3", "d3"), 2):
        replay.add(0, move, line=number)
    reviewed = review_by(replay.finished(None), make_meter(games.load("othello"), "depth=1"))
    assert all(ply.luck == 0.0 for ply in reviewed.plies)
    assert 0.0 < reviewed.end < 1.0


def test_resigned_game_ends_with_its_result() -> None:
    replay = Replay("ewn", "123../45.../6...f/...ed/..cba r -", line=1)
    replay.add(4, "A2B3", line=2)
    record: GameRecord = replay.finished(Outcome(1, "resigned"))
    assert review_by(record, make_meter(games.load("ewn"), "depth=1")).end == 0.0


def test_evaluator_replaces_losses_but_not_luck() -> None:
    game = games.load("ewn-3x3-3")
    players = make_player("random", game), make_player("random", game)
    record = play_game(series_start(game, 1, 0), players, (Limit(), Limit()), seed=1)
    meter, exact = make_meter(game, "eval=zero depth=1"), make_meter(game, "eval=zero depth=4")
    shallow, deep = review_by(record, meter), review_by(record, meter, exact.move_values)
    assert [ply.luck for ply in deep.plies] == [ply.luck for ply in shallow.plies]
    assert [ply.loss for ply in deep.plies] == pytest.approx(exact.annotate(record).loss)
    player = make_player("negascout eval=zero", game)
    searched = review_by(record, meter, move_evaluator(player, Limit(depth=4)))
    assert [ply.loss for ply in searched.plies] == pytest.approx(exact.annotate(record).loss)


def test_meter_is_used_if_the_evaluator_lacks_the_move() -> None:
    game = games.load("ewn-3x3-3")
    players = make_player("random", game), make_player("random", game)
    record = play_game(series_start(game, 1, 0), players, (Limit(), Limit()), seed=1)
    meter = make_meter(game, "eval=zero depth=2")
    assert review_by(record, meter, lambda state: {}) == review_by(record, meter)


def random_game(name: str, seed: int) -> GameRecord:
    game = GameInProgress(series_start(games.load(name), seed, 0), (None, None), seed=seed)
    generator = random.Random(seed)
    while not game.over:
        game.submit_text(generator.choice(game.state.moves))
    return game.record()


@pytest.mark.slow_compiled
def test_exact_scores_never_improve_for_the_mover() -> None:
    record = random_game("othello-4x4", 5)
    discs, ends = leads(record), exact_scores(record)
    assert discs is not None
    assert ends is not None
    assert (discs[0], len(discs)) == (0, len(record.plies) + 1)
    movers = [state.mover for state in record.states()]
    solved = [ply for ply, end in enumerate(ends) if end is not None]
    assert solved == list(range(len(record.plies) + 1))
    for ply in solved[:-1]:
        before, after = ends[ply], ends[ply + 1]
        assert before is not None
        assert after is not None
        assert before >= after if movers[ply] == 0 else before <= after
    assert (ends[-1] > 0) == (record.winner == 0) or record.winner is None  # type: ignore[operator]


def test_exact_scores_when_stopped_and_in_games_without_score() -> None:
    record = random_game("othello-4x4", 5)
    assert exact_scores(record, lambda: True) == [None] * (len(record.plies) + 1)
    ewn = random_game("ewn-3x3-3", 1)
    assert (leads(ewn), exact_scores(ewn)) == (None, None)


def test_review_by_the_luck_meter_and_by_a_judge() -> None:
    record = random_game("ewn-3x3-3", 1)
    game = games.load("ewn-3x3-3")
    meter = make_meter(game, "eval=zero depth=2")
    plain = review(record, luck="eval=zero depth=2")
    assert plain == review_by(record, meter)
    assert (plain.judge, plain.meter) == ("", "eval=zero depth=2")
    judged = review(record, "negascout eval=zero", luck="eval=zero depth=2", depth=4)
    evaluator = move_evaluator(make_player("negascout eval=zero", game), Limit(depth=4))
    assert judged.plies == review_by(record, meter, evaluator).plies
    assert judged.judge == "negascout eval=zero"


def test_review_prints_plies_and_totals() -> None:
    reviewed = review(random_game("ewn-3x3-3", 1), luck="eval=zero depth=2")
    lines = str(reviewed).splitlines()
    assert lines[0].startswith("ewn-3x3-3: red – blue, ")
    assert lines[2].split() == ["ply", "side", "roll", "move", "wins", "luck", "loss", "best"]
    shown = [line.split()[3] for line in lines[3 : len(reviewed.plies) + 3]]
    assert shown == [ply.marked_move for ply in reviewed.plies]
    assert lines[-1] == "luck by eval=zero depth=2, losses by eval=zero depth=2"
    found = reviewed.json()
    assert [move["move"] for move in found["moves"]] == [ply.move for ply in reviewed.plies]
    assert [total["moves"] for total in found["totals"]] == [reviewed.side(0).moves, reviewed.side(1).moves]
    assert "<svg" in reviewed.plot().svg
    assert reviewed.plies[0].move in reviewed._repr_html_()


def test_review_needs_a_luck_meter() -> None:
    with pytest.raises(GameError, match="luck: expected a value function such as `eval=race depth=3`, got off"):
        review(random_game("ewn-3x3-3", 1), luck="off")


def test_reviews_show_the_names_of_players() -> None:
    specs = "python:/home/anna/agent.py:Agent", "lab:./build/engine"
    record = dataclasses.replace(random_game("ewn-3x3-3", 1), players=specs)
    reviewed = review(record, luck="eval=zero depth=2")
    assert ": Agent – engine, " in reviewed.title()
    assert "(Agent)" in reviewed.summary()[0]
    assert reviewed.json()["players"] == list(record.players)


@pytest.mark.slow_compiled
@pytest.mark.parametrize(("game", "points"), [("backgammon-dmp", 1), ("backgammon", 3)])
def test_backgammon_states_equity(game: str, points: int) -> None:
    # White has checkers on its six and five point, black two on its ace point: black leaves with any roll.
    replay = Replay(game, "AwAAgAIAAAAAAA w -", line=1)
    replay.add(roll_of(2, 1), "6/3", line=2)
    replay.add(roll_of(3, 1), "1/off(2)", line=3)
    reviewed = review_by(replay.finished(None), make_meter(games.load(game), "eval=pips depth=1"))
    white, black = reviewed.equity(0), reviewed.equity(1)
    assert white is not None
    assert black is not None
    first, second = reviewed.plies
    assert white.luck == pytest.approx(2 * points * first.luck)
    assert white.error == pytest.approx(2 * points * first.loss)
    assert white.error_rate == pytest.approx(1000 * white.error)
    assert white.shared_error_rate == pytest.approx(500 * white.error)
    assert (black.error, second.forced) == (0.0, True)
    assert black.luck == pytest.approx(0.0, abs=1e-12)
    assert white.adjusted_result == pytest.approx(-1 - white.luck)
    assert "mEMG per unforced move" in reviewed.summary()[0]
    assert reviewed.json()["summary"][0]["equity"]["unit"] == "mEMG"


def test_other_games_state_win_probabilities() -> None:
    replay = Replay("ewn-3x3-3", ".../.1./a.. r -", line=1)
    replay.add(1, "B2C3", line=2)
    reviewed = review_by(replay.finished(None), make_meter(games.load("ewn-3x3-3"), "eval=zero depth=1"))
    assert reviewed.equity(0) is None
    assert "equity" not in reviewed.json()["summary"][0]
