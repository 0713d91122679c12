"""Spellings of plays: order, grouping and unmarked hits."""

import random

import pytest

from starscout import games
from starscout.game import ONGOING, GameError
from starscout.game.state import parse
from starscout.games.backgammon.notation import half_moves

MONEY = games.load("backgammon")


@pytest.mark.plain
def test_every_play_is_found_by_its_half_moves_in_any_order() -> None:
    generator = random.Random(4)
    position = MONEY.start_position()
    for _ in range(60):
        weights = MONEY.event_weights(position)
        roll = generator.choices(list(weights), list(weights.values()))[0]
        legal = MONEY.legal(position, roll)
        state = parse(MONEY, MONEY.format(position, roll))
        for move in generator.sample(legal, min(len(legal), 5)):
            marked = MONEY.format_move(position, move).count("*")
            steps = [f"{index + 1}/{max(index + 1 - die, 0)}" for index, die in half_moves(move)]
            generator.shuffle(steps)
            found = state.parse_move(" ".join(steps) or "pass")
            following = [MONEY.play_position(position, candidate) for candidate in (found, move)]
            # Without marks, plays that hit on the way cannot be distinguished from those that do not.
            assert following[0] == following[1] or marked
        position = MONEY.play_position(position, generator.choice(legal))
        if MONEY.outcome(position) != ONGOING:
            position = MONEY.start_position()


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("6/5 8/5", "8/5,6/5"),
        ("8/5,6/5", "8/5,6/5"),
        ("24/21 21/20", "24/20"),
        ("24/23 23/20", "24/20"),
    ],
)
def test_spellings_of_an_opening_play(text: str, play: str) -> None:
    state = parse(MONEY, "4HPwATDgc/ABMA w 31")
    assert MONEY.format_move(state.position, state.parse_move(text)) == play


@pytest.mark.parametrize("text", ["8/5 8/5", "26/20", "8/5(2)", "8", "8/5 6/5*", "x"])
def test_plays_that_are_not_legal_are_rejected(text: str) -> None:
    with pytest.raises(GameError, match="is not a legal move"):
        parse(MONEY, "4HPwATDgc/ABMA w 31").parse_move(text)
