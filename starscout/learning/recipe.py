"""The training recipe: everything that determines the weights except the seed."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from starscout.evaluation.network import WIDTHS
from starscout.game import GameError
from starscout.learning.temporal_difference import TemporalDifference


@dataclass(frozen=True)
class Generation:
    """The settings of one generation."""

    depth: int
    """Search depth of self-play in plies."""
    time: float
    """The generation's share of the time, relative to the other generations."""
    result: float
    """The weight of the game's result in the target; the rest is the value of the search. 1 in the first generation."""
    blend: float = 1.0
    """In games with a score: the weight of the next position's target; the rest is the value of the search."""
    games: int = 0
    """The number of games; 0: as many as the time allows."""
    refine: bool = False
    """Start the fit from the champion's weights, not from zero; play with the game's stronger search, if it has one.

    In a recipe with `temporal`: fit to luck-adjusted targets."""


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run."""

    generations: tuple[Generation, ...] = (
        Generation(depth=2, time=1.0, result=1.0),
        Generation(depth=2, time=2.0, result=0.4),
        Generation(depth=3, time=3.0, result=0.25),
        Generation(depth=3, time=4.0, result=0.15),
    )
    units: int = 32
    """The width of the hidden layer."""
    opening: int = 8
    """A game of self-play starts with 0 to this many random plies."""
    noise: float = 0.1
    """The share of random plies after the opening."""
    epochs: int = 10
    rate: float = 0.05
    """Epochs and initial learning rate of the fit."""
    pairs: int = 50
    """Pairs of games between a generation and the previous champion."""
    nodes: int = 2000
    """Nodes per move in these games."""

    temporal: TemporalDifference | None = None
    """Learn by temporal differences, with one network per class of positions; depth is not used then."""

    def __post_init__(self) -> None:
        if self.units not in WIDTHS:
            raise GameError(f"units: expected one of {', '.join(map(str, WIDTHS))}, got {self.units}")
        if not self.generations:
            raise GameError("a recipe needs at least one generation")

    def to_json(self) -> dict[str, Any]:
        """The recipe for the header of a weights file."""
        fields = asdict(self)
        # Omit defaults, as versions without these fields did, so that repeating their recipes gives equal files.
        if self.temporal is None:
            del fields["temporal"]
        elif not any(step.refine for step in self.generations):
            del fields["temporal"]["adjusted_trace"], fields["temporal"]["adjusted_rate"]
        for step in fields["generations"]:
            if not step["refine"]:
                del step["refine"]
        return fields

    def with_games(self, games: int) -> "Recipe":
        """The same recipe with this number of games in every generation, without a time limit."""
        return replace(self, generations=tuple(replace(step, games=games) for step in self.generations))


def recipe_from_json(value: Any) -> Recipe:
    """The inverse of `Recipe.to_json`; raises GameError."""
    try:
        generations = tuple(Generation(**step) for step in value["generations"])
        stored = value.get("temporal")
        temporal = TemporalDifference(**stored) if stored else None
        return Recipe(**{**value, "generations": generations, "temporal": temporal})
    except (TypeError, KeyError) as error:
        raise GameError(f"the weights file contains no recipe that this version can read: {error}") from error
