"""Knowledge: defaults and lookup."""

from dataclasses import replace
from pathlib import Path

import pytest

from starscout import games
from starscout.evaluation import (
    evaluation_names,
    knowledge_of,
    load_evaluation,
    luck_evaluation,
    move_classes,
)
from starscout.evaluation.evaluation import Evaluation, zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.game import GameError

CONNECT_FOUR = str(Path(__file__).parents[2] / "examples" / "connect_four.py")
FIRST, SECOND = (Evaluation(name, zero().evaluate) for name in ("first", "second"))


def test_zero_is_added_at_the_end():
    assert list(Knowledge().evaluations) == ["zero"]
    assert list(Knowledge({"first": lambda game: FIRST}).evaluations) == ["first", "zero"]


def test_own_zero_keeps_its_place():
    own = Knowledge({"zero": lambda game: FIRST, "second": lambda game: SECOND})
    assert list(own.evaluations) == ["zero", "second"]
    assert own.evaluations["zero"](games.load("kari")) is FIRST


def test_game_without_knowledge_has_only_zero():
    game = games.load(CONNECT_FOUR)
    assert evaluation_names(game) == ("zero",)
    assert load_evaluation(game).name == luck_evaluation(game) == "zero"
    assert move_classes(game) is None
    assert knowledge_of(game).players == ()
    with pytest.raises(GameError, match="connect-four has no evaluation 'race': it has zero"):
        load_evaluation(game, "race")


def test_own_knowledge_overrides_the_family():
    preset = Preset("strong", "random", "gives up", "a test")
    own = Knowledge(
        {"first": lambda game: FIRST, "second": lambda game: SECOND},
        parse=lambda game, text: Evaluation(f"parsed {text}", zero().evaluate),
        default=lambda game: "second",
        luck=lambda game: "first",
        players=(preset,),
    )
    game = replace(games.load("ewn"), knowledge=own)
    assert load_evaluation(game) is SECOND
    assert load_evaluation(game, "first") is FIRST
    assert load_evaluation(game, "third").name == "parsed third"
    assert luck_evaluation(game) == "first"
    assert move_classes(game) is None
    assert knowledge_of(game).players == (preset,)


@pytest.mark.parametrize("family", games.NAMES)
def test_every_family_has_a_strong_player_and_move_classes(family: str):
    game = games.load(family)
    assert game.family == family
    assert knowledge_of(game) is games.family_module(family, "knowledge").KNOWLEDGE
    names = [preset.name for preset in knowledge_of(game).players]
    assert names[0] == "strong"
    assert len(set(names)) == len(names)
    assert "zero" in evaluation_names(game)
    assert move_classes(game) is move_classes(game) is not None
