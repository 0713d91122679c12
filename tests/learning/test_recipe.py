"""Training recipes: JSON round trip, defaults per game, validation."""

import pytest

from starscout import games
from starscout.evaluation import knowledge_of
from starscout.game import GameError
from starscout.learning.recipe import Recipe, recipe_from_json
from starscout.learning.training import recipe_for


def test_recipe_survives_json() -> None:
    for recipe in (*(recipe_for(games.load(name)) for name in games.NAMES), Recipe().with_games(70)):
        assert recipe_from_json(recipe.to_json()) == recipe
    assert {step.games for step in Recipe().with_games(70).generations} == {70}


def test_families_have_their_own_recipe() -> None:
    for name, family in (("kari", "kari"), ("ewn-4x4-3", "ewn")):
        assert recipe_for(games.load(name)) is knowledge_of(games.load(family)).recipe is not None


def test_invalid_recipes_are_rejected() -> None:
    with pytest.raises(GameError, match="units: expected one of 8, 16, 32, 64, got 7"):
        Recipe(units=7)
    with pytest.raises(GameError, match="at least one generation"):
        Recipe(())
    with pytest.raises(GameError, match="no recipe that this version can read"):
        recipe_from_json({"generations": [], "stars": 3})


def test_optional_fields_are_stored_only_if_set() -> None:
    """Files that were learned before a field existed can be learned again bit for bit."""
    recipe = Recipe()
    assert "temporal" not in recipe.to_json()
    assert all("refine" not in step for step in recipe.to_json()["generations"])
    assert recipe_from_json(recipe.to_json()) == recipe
