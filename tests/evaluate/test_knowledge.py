"""Knowledge: what it fills in, and whose it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from starscout import evaluate, games
from starscout.evaluate.evaluation import Evaluation, zero
from starscout.evaluate.knowledge import Knowledge, Preset
from starscout.game import GameError

CONNECT_FOUR = str(Path(__file__).parents[2] / "examples" / "connect_four.py")
FIRST, SECOND = (Evaluation(name, zero().evaluate) for name in ("first", "second"))


def test_zero_is_added_at_the_end():
    assert list(Knowledge().evaluations) == ["zero"]
    assert list(Knowledge({"first": lambda game: FIRST}).evaluations) == ["first", "zero"]


def test_a_zero_of_ones_own_stays_where_it_is():
    own = Knowledge({"zero": lambda game: FIRST, "second": lambda game: SECOND})
    assert list(own.evaluations) == ["zero", "second"]
    assert own.evaluations["zero"](games.load("kari")) is FIRST


def test_a_game_without_knowledge_has_zero_alone():
    game = games.load(CONNECT_FOUR)
    assert evaluate.names(game) == ("zero",)
    assert evaluate.load(game).name == evaluate.luck_evaluation(game) == "zero"
    assert evaluate.move_classes(game) is None
    assert evaluate.presets(game) == ()
    with pytest.raises(GameError, match="connect-four has no evaluation 'race': it has zero"):
        evaluate.load(game, "race")


def test_own_knowledge_goes_before_the_familys():
    preset = Preset("strong", "random", "gives up", "a test")
    own = Knowledge(
        {"first": lambda game: FIRST, "second": lambda game: SECOND},
        parse=lambda game, text: Evaluation(f"parsed {text}", zero().evaluate),
        default=lambda game: "second",
        luck=lambda game: "first",
        players=(preset,),
    )
    game = replace(games.load("ewn"), knowledge=own)
    assert evaluate.load(game) is SECOND
    assert evaluate.load(game, "first") is FIRST
    assert evaluate.load(game, "third").name == "parsed third"
    assert evaluate.luck_evaluation(game) == "first"
    assert evaluate.move_classes(game) is None
    assert evaluate.presets(game) == (preset,)


@pytest.mark.parametrize("family", evaluate.FAMILIES)
def test_every_family_has_a_strong_player_and_move_classes(family: str):
    game = games.load(family)
    assert game.family == family
    assert evaluate.knowledge_of(game) is evaluate.family_knowledge(family)
    names = [preset.name for preset in evaluate.presets(game)]
    assert names[0] == "strong"
    assert len(set(names)) == len(names)
    assert "zero" in evaluate.names(game)
    assert evaluate.move_classes(game) is evaluate.move_classes(game) is not None
