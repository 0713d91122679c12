"""The recipe of a learning: everything that decides the weights except the seed."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from starscout.evaluation.network import WIDTHS
from starscout.game import Game, GameError


@dataclass(frozen=True)
class Generation:
    """How one generation learns."""

    depth: int
    """Plies that the search of self-play looks ahead."""
    time: float
    """Its share of the time, relative to the other generations."""
    result: float
    """The share of the game's result in the target; the rest is the value that the search gives. 1 where nothing is
    known yet."""
    blend: float = 1.0
    """Othello: how much the target of a position takes over from the next one; the rest is what the search says."""
    games: int = 0
    """How many games it plays; 0: as many as the time allows."""


@dataclass(frozen=True)
class Recipe:
    """How an evaluation is learned."""

    generations: tuple[Generation, ...] = (
        Generation(depth=2, time=1.0, result=1.0),
        Generation(depth=2, time=2.0, result=0.4),
        Generation(depth=3, time=3.0, result=0.25),
        Generation(depth=3, time=4.0, result=0.15),
    )
    units: int = 32
    """The width of the hidden layer."""
    opening: int = 8
    """A game of self-play opens with 0 to this many random plies."""
    noise: float = 0.1
    """The share of random plies after the opening."""
    epochs: int = 10
    rate: float = 0.05
    """Epochs and first step of the fit."""
    pairs: int = 50
    """Pairs of games between a generation and the one before."""
    nodes: int = 2000
    """Nodes per move in these games."""

    def __post_init__(self) -> None:
        if self.units not in WIDTHS:
            raise GameError(f"a network has {', '.join(map(str, WIDTHS))} units, not {self.units}")
        if not self.generations:
            raise GameError("a recipe needs at least one generation")

    def to_json(self) -> dict[str, Any]:
        """The recipe for the header of a weights file."""
        return asdict(self)

    def with_games(self, games: int) -> "Recipe":
        """The same recipe with this many games in every generation, whatever time they take."""
        return replace(self, generations=tuple(replace(step, games=games) for step in self.generations))


def recipe_from_json(value: Any) -> Recipe:
    """The inverse of `Recipe.to_json`; raises GameError."""
    try:
        return Recipe(**{**value, "generations": tuple(Generation(**step) for step in value["generations"])})
    except (TypeError, KeyError) as error:
        raise GameError(f"the weights file holds no recipe that this version knows: {error}") from error


def recipe_for(game: Game) -> Recipe:
    """The recipe for a game: its family's own, else the general one."""
    return RECIPES.get(game.family if game.knowledge is None else "", Recipe())


RECIPES = {
    "ewn": Recipe(
        (
            Generation(depth=2, time=0.5, result=1.0),
            Generation(depth=2, time=1.0, result=0.1),
            Generation(depth=3, time=4.0, result=0.0),
            Generation(depth=3, time=6.0, result=0.0),
        ),
        units=64,
        noise=0.15,
        epochs=8,
        rate=0.1,
        pairs=100,
    ),
    "ewn-cyclic": Recipe(
        (
            Generation(depth=3, time=0.4, result=1.0),
            Generation(depth=4, time=1.0, result=0.3),
            Generation(depth=6, time=3.0, result=0.1),
            Generation(depth=7, time=6.0, result=0.1),
            Generation(depth=8, time=10.0, result=0.05),
        ),
        units=64,
        epochs=5,
    ),
    "kari": Recipe(
        (
            Generation(depth=3, time=0.2, result=1.0),
            Generation(depth=4, time=1.5, result=0.3),
            Generation(depth=4, time=3.0, result=0.2),
            Generation(depth=5, time=5.0, result=0.15),
            Generation(depth=5, time=6.0, result=0.1),
        ),
        epochs=6,
    ),
    "othello": Recipe(
        (
            Generation(depth=2, time=1.0, result=1.0),
            Generation(depth=2, time=1.0, result=1.0, blend=0.9),
            Generation(depth=2, time=1.5, result=1.0, blend=0.85),
            Generation(depth=3, time=3.0, result=1.0, blend=0.8),
            Generation(depth=3, time=5.0, result=1.0, blend=0.75),
            Generation(depth=3, time=10.0, result=1.0, blend=0.7),
            Generation(depth=4, time=25.0, result=1.0, blend=0.7),
        ),
        opening=32,
        noise=0.0,
        pairs=20,
    ),
}
