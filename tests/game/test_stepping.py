"""Compiled steps of states: the same states as without them."""

import contextlib
import copy
import gc
import pickle
import random
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import numpy
import pytest

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, compile_steps, start
from starscout.game.stepping import STEPS_BEFORE_COMPILING, Stepper, stepper_of
from starscout.kernels.kernel import PLAIN

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ["ewn", "ewn-cyclic", "kari", "othello", *sorted(str(file) for file in EXAMPLES.glob("*.py"))]

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python has no compiled steps")


def observed(state: State) -> dict[str, Any]:
    """All public attributes of a state."""
    seen: dict[str, Any] = {part.name: getattr(state, part.name) for part in fields(state) if part.name != "previous"}
    names = ("mover", "outcome", "over", "needs_roll", "chance", "text", "cells")
    seen |= {name: getattr(state, name) for name in names}
    seen["types"] = [type(number) for number in state.position]
    return seen | ({} if state.needs_roll else {"legal": state.legal, "moves": state.moves})


def with_and_without(name: str) -> tuple[Game, Game]:
    """Copies of a game with compiled steps and without them; other tests share the game itself."""
    game = replace(games.load(name))
    slow = replace(game)
    compile_steps(game)
    assert stepper_of(game).ready
    assert not stepper_of(slow).ready
    return game, slow


SAMPLE = ("ewn", "dots_and_boxes")
"""Games with and without chance, with turns of several moves."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if Path(name).stem in SAMPLE else [pytest.mark.slow], id=Path(name).stem)
        for name in NAMES
    ],
)
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


def test_states_of_both_kinds_are_equal_and_can_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("othello")
    monkeypatch.setitem(vars(game), "_stepper", Stepper(game))
    compile_steps(game)
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


def test_what_is_not_legal_is_rejected() -> None:
    game, _ = with_and_without("ewn")
    unrolled = start(game)
    with pytest.raises(GameError, match="the die is not rolled yet"):
        unrolled.legal  # noqa: B018
    for wrong in (0, 7, -1, 1 << 70):
        with pytest.raises(GameError, match="roll: expected 1 to 6"):
            unrolled.rolled(wrong)
    state = unrolled.rolled(2)
    assert state.rolled(3) is state
    for wrong in (-1, 1 << 70, 1 << 20):
        with pytest.raises(GameError, match="is not one of the legal moves"):
            state.play(wrong)
    for wrong in (1.5, None, b"a"):
        with pytest.raises(GameError, match="move: expected a text or a whole number"):
            state.play(wrong)  # pyright: ignore[reportArgumentType]
    with pytest.raises(GameError, match="'z9' is not a legal move"):
        state.play("z9")
    move = state.legal[0]
    int_of_numpy: Any = numpy.int64(move)
    assert state.play(int_of_numpy) == state.play(state.moves[0]) == state.play(move)


def test_states_cannot_be_changed() -> None:
    game, slow = with_and_without("othello")
    for state in (start(game), start(game).play("d3"), start(slow), start(slow).play("d3")):
        for name in ("ply", "over", "_record", "colour"):
            with pytest.raises(FrozenInstanceError, match=f"cannot assign to '{name}'"):
                setattr(state, name, 1)
        with pytest.raises(FrozenInstanceError):
            del state.ply  # pyright: ignore[reportAttributeAccessIssue]


def test_steps_keep_no_references() -> None:
    game, _ = with_and_without("ewn")
    objects = [None, True, False, game, State, 0, 1]

    def play() -> None:
        state = start(game, 1)
        while not state.over:
            state = state.play(state.legal[0]) if not state.needs_roll else state.rolled(1 + state.ply % 6)
            for wrong in (-1, 1 << 70):
                with contextlib.suppress(GameError):
                    _ = state.rolled(wrong) if state.needs_roll else state.play(wrong)

    play()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in objects]
    for _ in range(50):
        play()
    gc.collect()
    # 1,000 steps; other code changes the counts of constants a little.
    changes = [sys.getrefcount(thing) - count for thing, count in zip(objects, before, strict=True)]
    assert all(change < 500 for change in changes), changes


def test_errors_of_rules_reach_the_caller(tmp_path: Path) -> None:
    rules = (EXAMPLES / "tic_tac_toe.py").read_text("utf-8")
    wrong = rules.replace(
        "def play(position, move):\n",
        "def play(position, move):\n    if move == 4:\n        raise ValueError('centre')\n",
    )
    (tmp_path / "wrong.py").write_text(wrong, "utf-8")
    game, _ = with_and_without(str(tmp_path / "wrong.py"))
    assert start(game).play(3).play(5).ply == 2
    with pytest.raises(ValueError, match="centre"):
        start(game).play(3).play(4)
