"""Compiled steps of states: the same states as without them."""

import copy
import pickle
import random
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.game.stepping import STEPS_BEFORE_COMPILING, stepper_of
from starscout.kernels.kernel import PLAIN

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ["ewn", "ewn-cyclic", "kari", "othello", *sorted(str(file) for file in EXAMPLES.glob("*.py"))]

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python has no compiled steps")


def observed(state: State) -> dict[str, Any]:
    """Everything that a state says."""
    seen: dict[str, Any] = {part.name: getattr(state, part.name) for part in fields(state) if part.name != "previous"}
    names = ("mover", "outcome", "over", "needs_roll", "chance", "text", "cells")
    seen |= {name: getattr(state, name) for name in names}
    seen["types"] = [type(number) for number in state.position]
    return seen | ({} if state.needs_roll else {"legal": state.legal, "moves": state.moves})


def with_and_without(name: str) -> tuple[Game, Game]:
    """A game with compiled steps, and a copy without them."""
    game = games.load(name)
    slow = replace(game)
    stepper_of(game).compile()
    assert stepper_of(game).ready
    assert not stepper_of(slow).ready
    return game, slow


@pytest.mark.parametrize("name", NAMES, ids=lambda name: Path(name).stem)
def test_compiled_steps_change_nothing(name: str) -> None:
    game, slow = with_and_without(name)
    generator = random.Random(5)
    fast, other = start(game, 3), State(slow, slow.start_position(3), stepper_of(slow).no_event)
    for _ in range(60):
        assert {**observed(fast), "game": slow} == {**observed(other), "game": slow}
        assert (fast.previous is None) == (other.previous is None)
        if fast.over:
            break
        if fast.needs_roll:
            event = generator.choice(list(fast.chance))
            fast, other = fast.rolled(event), other.rolled(event)
        else:
            move = generator.choice(fast.legal)
            fast, other = fast.play(move), other.play(move)
    assert fast.previous is not None


def test_states_of_both_kinds_are_equal_and_can_be_copied() -> None:
    game, _ = with_and_without("othello")
    fast = start(game).play("d3")
    plain = State(game, fast.position, fast.roll, 1, fast.last_squares)
    assert fast == plain
    assert hash(fast) == hash(plain)
    assert pickle.loads(pickle.dumps(fast)) == copy.copy(fast) == replace(fast) == plain
    assert fast.undo() == start(game)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        fast.colour  # type: ignore[attr-defined]  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


def test_a_list_of_moves_belongs_to_the_caller() -> None:
    game, _ = with_and_without("othello")
    state = start(game)
    state.legal.clear()
    state.moves.clear()
    assert len(state.legal) == len(state.moves) == 4
    with pytest.raises(GameError, match="0 is not one of the legal moves"):
        state.play(0)


def test_steps_are_compiled_after_many_of_them_from_a_start() -> None:
    """States of a game in progress do not count: nothing is compiled while a clock runs."""
    game = replace(games.load("ewn-3x3-3"))
    for state in (State(game, game.start_position()), start(game)):
        assert not stepper_of(game).ready
        rolled = state.rolled(1)
        for _ in range(STEPS_BEFORE_COMPILING):
            rolled.play(rolled.legal[0])
    assert stepper_of(game).ready
