"""The search trace: values match the definition, and every cut is valid."""

from collections.abc import Iterator

import pytest

import starscout
from starscout import games
from starscout.evaluation import Evaluation, load_evaluation
from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State
from starscout.search.exact import exact_moves, exact_value
from starscout.search.trace import CUT, LEAF, SKIPPED, Node, trace_search
from tests.search.generated_games import ALTERNATING, FREE, NOISE, REPEATING

POSITIONS = {
    "ewn": ("123../45.../6...f/...ed/..cba r -", 2),
    "ewn-3x3-2": ("12./.../.ba r -", 4),
    "kari": (None, 2),
    "othello": (None, 3),
}


def positions() -> Iterator[tuple[State, int]]:
    for name, (text, depth) in POSITIONS.items():
        yield (starscout.start(name) if text is None else starscout.parse(name, text)), depth


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def evaluation(game: Game) -> Evaluation:
    return load_evaluation(game)


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize(("state", "depth"), list(positions()), ids=POSITIONS)
def test_values_match_the_definition(state: State, depth: int) -> None:
    tree = trace_search(state.game, evaluation(state.game), state.position, state.roll, depth)
    assert tree.bound == "="
    assert tree.value == pytest.approx(exact_value(state.game, evaluation(state.game), state.position, depth))


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize(("state", "depth"), list(positions()), ids=POSITIONS)
def test_cut_nodes_have_valid_bounds(state: State, depth: int) -> None:
    game = state.game
    rules = evaluation(game)
    tree = trace_search(game, rules, state.position, state.roll, depth)
    assert any(node.fate == CUT for node in walk(tree))
    assert any(node.fate == SKIPPED for node in walk(tree))

    def check(node: Node, position: Position, roll: int, left: int) -> None:
        if node.fate == SKIPPED or node.value is None:
            return
        if node.kind == "chance" or not game.has_chance:
            exact = exact_value(game, rules, position, left)
        else:
            exact = max(exact_moves(game, rules, position, roll, left).values())
        if node.bound == "=" and node.fate != LEAF:
            # Inside its window a value is exact; below it, a bound suffices.
            assert node.value == pytest.approx(exact) or not node.alpha < node.value < node.beta
        elif node.bound == "≥":
            assert exact >= node.value - 1e-9
        elif node.bound == "≤":
            assert exact <= node.value + 1e-9
        for child in node.children:
            if node.kind == "chance":
                check(child, position, int(child.label.split()[0]), left)
            else:
                move = next(m for m in game.legal(position, roll) if game.format_move(position, m) == child.label)
                check(child, game.play_position(position, move), 0 if game.has_chance else 1, left - 1)

    check(tree, state.position, state.roll if not game.has_chance else 0, depth)


def test_after_the_roll_the_first_level_is_moves() -> None:
    state = starscout.parse("ewn", "123../45.../6...f/...ed/..cba r 4")
    tree = trace_search(state.game, evaluation(state.game), state.position, state.roll, 1)
    assert [child.label for child in tree.children] == state.moves
    values = exact_moves(state.game, evaluation(state.game), state.position, state.roll, 1)
    assert tree.value == pytest.approx(max(values.values()))


def test_large_trees_and_finished_games_are_rejected() -> None:
    game = games.load("othello")
    start = game.start_position(0)
    with pytest.raises(GameError, match="more than 20,000 nodes"):
        trace_search(games.load("kari"), evaluation(games.load("kari")), games.load("kari").start_position(0), 1, 6)
    with pytest.raises(GameError, match="1 to 6 plies"):
        trace_search(game, evaluation(game), start, 1, 7)
    over = starscout.parse("ewn", "...../...../...../...../a...1 b -")
    with pytest.raises(GameError, match="the game is over"):
        trace_search(over.game, evaluation(over.game), over.position, 0, 2)


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE, REPEATING], ids=lambda game: game.name)
def test_values_of_generated_games_match_the_definition(game: Game) -> None:
    cuts = 0
    for seed in range(40):
        start, depth = game.start_position(seed), 1 + seed % 3
        tree = trace_search(game, NOISE, start, 0, depth)
        assert tree.value == pytest.approx(exact_value(game, NOISE, start, depth), abs=1e-9), seed
        cuts += sum(node.fate == CUT for node in walk(tree))
        event = next(iter(game.event_weights(start)))
        decision = game.resolve_position(start, event)
        if game.outcome(decision) == ONGOING and not game.repetition:
            tree = trace_search(game, NOISE, decision, 0, depth)
            best = max(exact_moves(game, NOISE, decision, 0, depth).values())
            assert tree.value == pytest.approx(best, abs=1e-9), seed
    assert cuts > 10
