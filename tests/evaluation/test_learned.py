"""Weights files as evaluations."""

import os
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.arena.plan import make_plan
from starscout.evaluation import LEARNED, evaluation_names, knowledge_of, load_evaluation
from starscout.evaluation.learned import features_of, is_weights_file
from starscout.evaluation.network import network_weights
from starscout.evaluation.weights import LearnedWeights, read_learned, write_learned
from starscout.game import Game, GameError
from starscout.learning.recipe import recipe_from_json
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain

GAME = games.load("ewn-3x3-3")


def write(file: Path, seed: int, game: str = "ewn-3x3-3", features: str = "cubes") -> str:
    generator = numpy.random.default_rng(seed)
    known = features_of(GAME, knowledge_of(GAME))
    arrays = network_weights(
        known,
        numpy.arange(known.count)[None, :],
        generator.normal(0, 1, (known.count, 8)),
        generator.normal(0, 1, 8),
        generator.normal(0, 0.2, 8),
        0.0,
    )
    write_learned(file, LearnedWeights(game, "network", features, arrays, {}))
    return str(file)


def test_weights_file_is_an_evaluation(tmp_path: Path) -> None:
    file = tmp_path / "my.weights"
    path = write(file, 1)
    position = GAME.start_position(0)
    value = int(load_evaluation(GAME, path).value(position))
    assert load_evaluation(GAME, path) is load_evaluation(GAME, path)
    write(file, 2)
    os.utime(file, ns=(1, 1))
    assert int(load_evaluation(GAME, path).value(position)) != value
    assert load_evaluation(GAME, path).order is load_evaluation(GAME, "zero").order


def test_weights_are_part_of_the_match_identity(tmp_path: Path) -> None:
    file = tmp_path / "my.weights"
    player = f"negascout depth=1 eval={write(file, 1)}"
    first = make_plan("ewn-3x3-3", player, "random", Limit(), 0)
    assert make_plan("ewn-3x3-3", player, "random", Limit(), 0).identity == first.identity
    write(file, 2)
    assert make_plan("ewn-3x3-3", player, "random", Limit(), 0).identity != first.identity


def test_unsuitable_weights_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"there is no weights file .*none\.weights: `starscout learn ewn-3x3-3`"):
        load_evaluation(GAME, str(tmp_path / "none.weights"))
    with pytest.raises(GameError, match="contains weights for kari, not for ewn-3x3-3"):
        load_evaluation(GAME, write(tmp_path / "other.weights", 1, game="kari"))
    with pytest.raises(GameError, match="learned with the features 'stars', the game has 'cubes'"):
        load_evaluation(GAME, write(tmp_path / "stars.weights", 1, features="stars"))
    with pytest.raises(GameError, match="has no evaluation 'learned'"):
        load_evaluation(GAME, "learned")


def test_weights_files_are_recognised_by_suffix() -> None:
    assert is_weights_file("./my.weights")
    assert not is_weights_file("distance:2:1+determinacy")
    assert knowledge_of(GAME).weights_file(GAME) is None


@pytest.mark.parametrize("name", games.NAMES)
def test_shipped_weights_contain_their_recipe(name: str) -> None:
    game = games.load(name)
    file = knowledge_of(game).weights_file(game)
    if file is None:
        assert LEARNED not in evaluation_names(game)
        return
    assert load_evaluation(game, LEARNED).name == LEARNED in evaluation_names(game)
    weights = read_learned(file)
    learned = weights.learned
    recipe = recipe_from_json(learned["recipe"])
    assert weights.game == name
    assert [step.games for step in recipe.generations] == [done["games"] for done in learned["generations"]]
    # The first generation plays against a hand-written evaluation, or against the weights that it refines.
    assert learned["generations"][0]["score"] > (0.5 if "start" in learned else 0.7)
    assert not [array for array in weights.arrays if array.startswith("unrounded")]
    assert file.stat().st_size < 2_000_000


def shared_rows(game: Game) -> tuple[LearnedWeights, numpy.ndarray]:
    """The shipped weights of a game, and the row from which each feature takes its weights."""
    file, same = knowledge_of(game).weights_file(game), features_of(game, knowledge_of(game)).same
    assert file is not None
    assert same is not None
    return read_learned(file), same


@pytest.mark.slow_compiled
def test_shared_weights_are_stored_once() -> None:
    weights, same = shared_rows(games.load("othello"))
    assert not weights.arrays["rows"][same != numpy.arange(len(same))].any()


# Compressing the weights takes seconds.
@pytest.mark.slow
def test_shared_weights_equal_weights_of_every_feature(tmp_path: Path) -> None:
    game = games.load("othello")
    weights, same = shared_rows(game)
    whole = replace(weights, arrays={**weights.arrays, "rows": weights.arrays["rows"][same]})
    write_learned(tmp_path / "whole.weights", whole)
    position = game.play_position(game.start_position(0), game.legal(game.start_position(0), 1)[0])
    loaded = load_evaluation(game, str(tmp_path / "whole.weights"))
    assert int(loaded.value(position)) == int(load_evaluation(game, LEARNED).value(position)) != 0


def test_learned_evaluation_is_the_default() -> None:
    learned = {name for name in games.NAMES if load_evaluation(games.load(name)).name == LEARNED}
    assert learned >= {"ewn", "ewn-cyclic", "kari", "othello"}
    assert load_evaluation(games.load("othello-6x6")).name == "positional"
