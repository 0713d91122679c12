"""States: rolls, moves, pickling and errors."""

import dataclasses
import pickle
import random
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

import starscout
from starscout import games
from starscout.game import GameError, Position, state
from starscout.kernels.kernel import kernel

pytestmark = pytest.mark.plain

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_no_moves_before_the_roll() -> None:
    start = starscout.start("ewn")
    assert start.needs_roll
    with pytest.raises(GameError, match="not rolled"):
        start.moves  # noqa: B018
    assert start.rolled(2).moves == ["B1C1", "B1B2", "B1C2"]


def test_games_without_dice_need_no_roll() -> None:
    for name in ("othello", "kari", "ewn-cyclic"):
        start = starscout.start(name)
        assert not start.needs_roll
        assert start.rolled(random.Random(1)) == start
        assert start.moves
    # One cube each: the die has one face, and whether it is written as rolled makes no difference.
    assert starscout.parse("ewn-3x3-1", "1../.../..a r -").moves == starscout.start("ewn-3x3-1").moves


def test_moves_are_accepted_as_text_or_number() -> None:
    rolled = starscout.start("ewn").rolled(1)
    assert rolled.play("a1-b2") == rolled.play("A1 B2") == rolled.play(rolled.legal[2])
    assert rolled.play("A1B2").ply == 1
    with pytest.raises(GameError, match="not one of the legal moves"):
        rolled.play(999)
    with pytest.raises(GameError, match=r"'A1C3' is not a legal move in .*; legal moves: A1B1 A1A2 A1B2"):
        rolled.play("A1C3")


def test_invalid_roll_is_rejected() -> None:
    with pytest.raises(GameError, match="roll: expected 1 to 6, got 7"):
        starscout.start("ewn").rolled(7)


def test_moves_after_the_end_are_rejected() -> None:
    over = starscout.parse("ewn", "...../...../...../...../a...1 b 3")
    assert over.over
    assert over.legal == []
    with pytest.raises(GameError, match="the game is over"):
        over.play("A5A4")


def test_unfinished_game_without_moves_is_a_rule_error() -> None:
    @kernel
    def none(position: Position, roll: int, out: numpy.ndarray) -> int:
        return 0

    rules = replace(games.load("othello"), moves=none)
    stuck = state.start(rules)
    sentence = "othello: moves returned none in .* although outcome returned ONGOING; `starscout laws othello`"
    for refused in (stuck.check_moves, lambda: stuck.play("d3")):
        with pytest.raises(GameError, match=sentence):
            refused()
    starscout.parse("ewn", "...../...../...../...../a...1 b 3").check_moves()


def test_states_are_values() -> None:
    first, second = (state.start(games.load("ewn"), 5) for _ in range(2))
    assert first == second
    assert hash(first.position) == hash(second.position)
    first.rolled(3).play(first.rolled(3).legal[0])
    assert first == second


def test_start_and_parse_by_name() -> None:
    assert starscout.parse("kari", starscout.start("kari", 9).text) == starscout.start("kari", 9)
    with pytest.raises(GameError, match="no game 'checkers'"):
        starscout.start("checkers")


@pytest.mark.parametrize("name", [*games.NAMES, "ewn-3x3-3", str(EXAMPLES / "dice_race.py")])
def test_states_and_games_are_pickled(name: str) -> None:
    game = games.load(name)
    here = state.start(game, 1)
    here = here.rolled(random.Random(1)) if here.needs_roll else here
    here = here.play(here.moves[0])
    there = pickle.loads(pickle.dumps(here))
    assert there == here
    assert there.game is game
    assert (there.ply, there.last_squares) == (1, here.last_squares)


def test_game_without_a_file_cannot_be_pickled() -> None:
    with pytest.raises(pickle.PicklingError, match="'mine' is not defined in a file"):
        pickle.dumps(dataclasses.replace(games.load("othello-4x4"), name="mine"))
