"""Expectimax with move filters, against the full search and a reference in plain Python."""

import itertools
import random

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.evaluation import Evaluation
from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State, parse, start
from starscout.game.values import ONE
from starscout.players.spec import make_player
from starscout.search.deepening import Searcher
from starscout.search.filtered import FilteredSearcher
from starscout.search.limits import Limit
from starscout.search.negascout import Switches

SMALL = games.load("ewn-3x3-3")


def child_values(game: Game, evaluation: Evaluation, position: Position, event: int) -> dict[int, tuple[int, Position]]:
    """Move → the mover's value by the evaluation, and the next position."""
    found = {}
    for move in game.legal(position, event):
        child = game.play_position(position, move)
        result = int(game.outcome(child))
        found[move] = -(int(game.result_value(result)) if result != ONGOING else evaluation.value(child)), child
    return found


def reference(game: Game, evaluation: Evaluation, position: Position, depth: int) -> int:
    """The mover's value before its event; every move is the best one by the evaluation."""
    if game.outcome(position) != ONGOING:
        return int(game.result_value(int(game.outcome(position))))
    if depth == 0:
        return evaluation.value(position)
    total = 0
    for index in range(int(game.groups(position))):
        event, weight = (int(number) for number in game.group(position, index))
        _, chosen = max(child_values(game, evaluation, position, event).values(), key=lambda pair: pair[0])
        total += weight * -reference(game, evaluation, chosen, depth - 1)
    return total // int(game.total(position))


def states(count: int) -> list[State]:
    """Decisions of random games."""
    generator, found = random.Random(5), []
    while len(found) < count:
        state = start(SMALL)
        while not state.over and len(found) < count:
            state = state.rolled(generator.choice([*state.chance])) if state.needs_roll else state
            if len(state.legal) > 1:
                found.append(state)
            state = state.play(generator.choice(state.legal))
    return found


@pytest.mark.plain
@pytest.mark.bounds
def test_values_are_those_of_the_definition() -> None:
    evaluation = load_evaluation(SMALL)
    searcher = FilteredSearcher(SMALL, evaluation, 1024, 10.0)
    for state in states(6):
        searcher.begin()
        for iteration in searcher.deepen(state.position, state.roll, range(1, 5)):
            for root in iteration.moves:
                child = SMALL.play_position(state.position, root.move)
                assert round(root.value * ONE) == -reference(SMALL, evaluation, child, iteration.depth - 1)


def test_two_plies_without_a_filter_are_the_full_search() -> None:
    evaluation = load_evaluation(SMALL)
    searcher = FilteredSearcher(SMALL, evaluation, 1024, 10.0)
    full = Searcher(SMALL, evaluation, Switches(scout=False), 0)
    for state in states(20):
        searcher.begin()
        full.begin()
        *_, filtered = searcher.deepen(state.position, state.roll, range(1, 3))
        if filtered.depth == 1:
            assert filtered.best.value == 1.0
            continue
        (expected,) = full.deepen(state.position, state.roll, range(2, 3), every_move=True)
        values = {root.move: root.value for root in expected.moves}
        assert all(root.value == pytest.approx(values[root.move], abs=1e-9) for root in filtered.moves)
        assert filtered.best.value == pytest.approx(max(values.values()), abs=1e-9)


def test_filters_keep_the_best_moves_within_the_margin() -> None:
    game = games.load("backgammon-dmp")
    state = parse(game, "4HPwATDgc/ABMA w 31")
    evaluation = load_evaluation(game, "pips")
    for width, margin, most in ((8, 10.0, (16, 8, 4)), (5, 10.0, (16, 5, 2)), (8, 0.0, (16,))):
        searcher = FilteredSearcher(game, evaluation, width, margin)
        searcher.begin()
        found = [iteration.moves for iteration in searcher.deepen(state.position, state.roll, range(1, 4))]
        assert tuple(map(len, found[: len(most)])) == most or margin == 0.0
        for before, after in itertools.pairwise(found):
            assert [root.move for root in before[: len(after)]] == sorted(
                (root.move for root in after), key=[root.move for root in before].index
            )


def test_a_node_limit_stops_the_search() -> None:
    game = games.load("backgammon-dmp")
    state = parse(game, "4HPwATDgc/ABMA w 31")
    searcher = FilteredSearcher(game, load_evaluation(game, "pips"), 8, 10.0)
    searcher.begin(2_000)
    *_, last = searcher.deepen(state.position, state.roll, range(1, 9))
    assert not last.complete
    assert 2_000 <= searcher.nodes < 3_200


def test_a_player_with_filters_keeps_its_depth() -> None:
    player = make_player("negascout filter=4 depth=2", SMALL)
    player.new_game(SMALL, 0)
    for state in states(3):
        decision = player.choose(state, Limit())
        assert decision.depth in (1, 2)
        assert decision.move in state.legal


@pytest.mark.parametrize(
    ("game", "spec", "error"),
    [
        ("othello", "negascout filter=4", "expected a game with chance events"),
        ("ewn-3x3-3", "negascout filter=4 probcut=1.5", "cannot be combined with probcut"),
    ],
)
def test_games_and_options_are_checked(game: str, spec: str, error: str) -> None:
    with pytest.raises(GameError, match=error):
        make_player(spec, games.load(game))
