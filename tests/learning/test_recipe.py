"""Recipes as text and back."""

import pytest

from starscout import games
from starscout.game import GameError
from starscout.learning.recipe import RECIPES, Recipe, recipe_for, recipe_from_json


def test_a_recipe_comes_back() -> None:
    for recipe in (*RECIPES.values(), Recipe().with_games(70)):
        assert recipe_from_json(recipe.to_json()) == recipe
    assert {step.games for step in Recipe().with_games(70).generations} == {70}


def test_families_have_their_own() -> None:
    assert recipe_for(games.load("kari")) is RECIPES["kari"]
    assert recipe_for(games.load("ewn-4x4-3")) is RECIPES["ewn"]


def test_bad_recipes_are_a_sentence() -> None:
    with pytest.raises(GameError, match="a network has 8, 16, 32, 64 units, not 7"):
        Recipe(units=7)
    with pytest.raises(GameError, match="at least one generation"):
        Recipe(())
    with pytest.raises(GameError, match="no recipe that this version knows"):
        recipe_from_json({"generations": [], "stars": 3})
