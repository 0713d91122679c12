"""Checks of a game's knowledge."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.evaluation import Evaluation, Knowledge
from starscout.evaluation.laws import check_knowledge
from starscout.game import Game
from starscout.game.laws import LawBrokenError
from starscout.game.values import ONE
from starscout.kernels.kernel import kernel

pytestmark = pytest.mark.plain

DICE_RACE = str(Path(__file__).parents[2] / "examples" / "dice_race.py")


@kernel
def certain(position):
    return ONE


@kernel
def even(position):
    return 0


@kernel
def half(position) -> Any:
    return 0.5


@kernel
def eager(position, move):
    return 1001


def knowing(**knowledge: object) -> Game:
    return dataclasses.replace(games.load(DICE_RACE), knowledge=Knowledge(**knowledge))  # pyright: ignore


def test_knowledge_of_the_example_is_valid() -> None:
    check_knowledge(games.load(DICE_RACE), games=3)


@pytest.mark.parametrize(
    ("knowledge", "sentence"),
    [
        ({"evaluations": {"e": lambda game: Evaluation("e", certain)}}, f"returns {ONE}: expected an integer"),
        ({"evaluations": {"e": lambda game: Evaluation("e", half)}}, "returns 0.5: expected an integer"),  # pyright: ignore[reportArgumentType]
        ({"evaluations": {"e": lambda game: Evaluation("e", even, eager)}}, "order of 'e' returns 1001"),
        ({"evaluations": {"e": lambda game: even}}, "is not an Evaluation"),
        ({"move_classes": lambda game: eager}, "is 1001: expected FIRST_CLASS"),
    ],
)
def test_invalid_knowledge_is_detected(knowledge: dict[str, object], sentence: str) -> None:
    with pytest.raises(LawBrokenError, match=sentence):
        check_knowledge(knowing(**knowledge), games=1)
