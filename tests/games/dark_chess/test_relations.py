"""Features of dark chess: weights shared by symmetry, features of known positions, the shipped file."""

import random
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.learned import LEARNED
from starscout.game.state import State, parse, start
from starscout.games.dark_chess.board import Position, mover_colour, pieces_of
from starscout.games.dark_chess.knowledge import KNOWLEDGE
from starscout.games.dark_chess.relations import (
    FEATURES,
    OUT_OF_REACH,
    balances,
    counts,
    dominance,
    hunts,
    left_of,
    reach,
)
from starscout.kernels.bits import Word

DARK = games.load("dark-chess")
LEARNED_VALUE = load_evaluation(DARK, LEARNED)


def positions(count: int, seed: int) -> list[State]:
    """Positions of random games, also with a pending flip."""
    generator, found = random.Random(seed), []
    while len(found) < count:
        state = start(DARK)
        while not state.over:
            if state.position.colours:
                found.append(state)
            state = state.rolled(generator) if state.needs_roll else state.play(generator.choice(state.legal))
    return generator.sample(found, count)


def exchanged(position: Position) -> Position:
    """The position with red and black pieces exchanged, on the board and in the pool."""
    revealed, pool = int(position.revealed), int(position.pool)
    return position._replace(
        revealed=Word(revealed >> 32 | (revealed & 0xFFFF_FFFF) << 32),
        pool=Word(pool >> 21 | (pool & (1 << 21) - 1) << 21),
        colours=3 - position.colours,
    )


def test_reflections_and_colours_share_their_weights() -> None:
    values = set()
    for state in positions(100, seed=1):
        value = LEARNED_VALUE.value(state.position)
        values.add(value)
        for symmetry in DARK.symmetries:
            assert LEARNED_VALUE.value(symmetry.position(state.position)) == value
        assert LEARNED_VALUE.value(exchanged(state.position)) == value
    assert len(values) > 50


def test_features_are_in_their_range() -> None:
    for state in positions(50, seed=2):
        view = FEATURES.view(state.position)
        found = [FEATURES.feature(view, slot, LEARNED_VALUE.weights) for slot in range(FEATURES.slots)]
        assert len(set(found)) == FEATURES.slots
        assert 0 <= min(found) <= max(found) < FEATURES.count


def test_codes_of_a_known_position() -> None:
    """Red: general, cannon. Black: two soldiers, an advisor; hidden: a red soldier."""
    position = parse(DARK, "k6c/8/8/PP4A? r 0 p r").position
    red = counts(position, 0, pieces_of(position, 0))
    black = counts(position, 1, pieces_of(position, 1))
    assert [left_of(red, kind) for kind in range(7)] == [1, 0, 0, 0, 0, 1, 1]
    codes, pairs, safe = balances(red, black)
    code = int(codes) & 511
    # One general; two soldiers capture it; it captures the advisor.
    assert (code & 7, code >> 3 & 7, code >> 6) == (1, 2, 1)
    cannon = int(codes) >> 45 & 511
    assert (cannon & 7, cannon >> 3 & 7, cannon >> 6) == (1, 1, 3)
    # Two soldiers capture the general, the advisor the cannon, three pieces the soldier: no red kind is safe.
    assert (pairs, safe) == (6, 0)
    # The general captures the advisor, the soldier the two soldiers; the general does not capture soldiers.
    assert tuple(balances(black, red)[1:]) == (3, 0)
    assert mover_colour(position) == 0


def test_codes_of_known_hunts() -> None:
    """The red general is two steps from the advisor, which can flee to two squares."""
    position = parse(DARK, "k1A5/8/8/7n r 0 - r").position
    own, enemy = (Word(pieces_of(position, colour)) for colour in (0, 1))
    empty = Word(0xFFFF_FFFF) & ~(own | enemy)
    code = int(hunts(position, own, enemy, empty)) >> 8 & 127
    assert (code & 15, code >> 4 & 3, code >> 6) == (2, 2, 0)


def test_dominance_is_symmetric() -> None:
    assert [dominance(*pairs) for pairs in ((9, 2), (4, 3), (5, 5), (3, 4), (2, 9))] == [4, 3, 2, 1, 0]


def test_reach_goes_around_pieces() -> None:
    """A hunter in the corner, prey beside it or in the opposite corner, and two pieces that enclose the hunter."""
    free, corner, beside, wall = Word(0xFFFF_FFFF), Word(1), Word(1 << 1), Word(1 << 1 | 1 << 8)
    near = Word(1 << 1 | 1 << 8)
    assert reach(corner, near, beside, free) == 1
    assert reach(corner, near, Word(1 << 31), free) == 10
    assert reach(corner, near, Word(1 << 31), free & ~wall) == OUT_OF_REACH


def test_a_general_ahead_is_better() -> None:
    ahead, behind = (parse(DARK, text).position for text in ("kp4AP/8/8/8 r 0 - r", "p5AP/8/8/8 r 0 - r"))
    assert LEARNED_VALUE.value(ahead) > LEARNED_VALUE.value(behind)


def test_value_decreases_with_quiet_plies() -> None:
    values = [LEARNED_VALUE.value(parse(DARK, f"ka4NP/8/8/8 r {quiet} - r").position) for quiet in (0, 10, 20, 29)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0


@pytest.mark.slow
def test_the_shipped_weights_are_learned_again_bit_for_bit(tmp_path: Path) -> None:
    shipped = KNOWLEDGE.weights_file(DARK)
    assert shipped is not None
    out = tmp_path / "again.weights"
    starscout.learn("dark-chess", recipe=shipped, out=out, progress=False)
    assert out.read_bytes() == shipped.read_bytes()
