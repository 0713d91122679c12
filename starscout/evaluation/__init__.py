"""Evaluations, and the lookup of what is known about a game: its evaluations, presets and hooks."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starscout import games
from starscout.evaluation.evaluation import Evaluation, no_order, zero
from starscout.evaluation.knowledge import FIRST_CLASS, LAST_CLASS, ORDINARY, Classify, Knowledge, Preset, Score
from starscout.evaluation.learned import LEARNED, file_evaluation, is_weights_file
from starscout.evaluation.weights import Weights, pack
from starscout.game import Game, GameError

if TYPE_CHECKING:
    from starscout.search.endgame import EndgameTable

__all__ = [
    "FIRST_CLASS",
    "LAST_CLASS",
    "LEARNED",
    "ORDINARY",
    "Classify",
    "Evaluation",
    "Knowledge",
    "Preset",
    "Score",
    "Weights",
    "evaluation_names",
    "exact_table",
    "knowledge_of",
    "load_evaluation",
    "luck_evaluation",
    "move_classes",
    "move_order_of",
    "no_order",
    "opening_evaluation",
    "pack",
    "zero",
]

NOTHING = Knowledge()


def knowledge_of(game: Game) -> Knowledge:
    """The game's own knowledge, else that of its family, else empty knowledge, with `zero` as the only evaluation."""
    if game.knowledge is not None:
        return game.knowledge
    return games.family_module(game.family, "knowledge").KNOWLEDGE if game.family in games.NAMES else NOTHING


def exact_table(game: Game) -> "EndgameTable | None":
    """The endgame table of a game's late positions; None if it has none."""
    table = knowledge_of(game).table
    return table(game) if table else None


def evaluation_names(game: Game) -> tuple[str, ...]:
    """The named evaluations of a game."""
    knowledge = knowledge_of(game)
    shipped = (LEARNED,) if knowledge.weights_file(game) else ()
    return (*knowledge.evaluations, *shipped)


def load_evaluation(game: Game, text: str | None = None) -> Evaluation:
    """The evaluation with a name, a description or a weights file; None: the default of the game.

    Raises GameError.
    """
    knowledge = knowledge_of(game)
    shipped = knowledge.weights_file(game)
    name = text or _default(game, knowledge)
    if name == LEARNED and shipped is not None:
        return file_evaluation(game, knowledge, shipped, name, move_order_of(game))
    if is_weights_file(name):
        return file_evaluation(game, knowledge, Path(name), name, move_order_of(game))
    return _load(game, name)


def _default(game: Game, knowledge: Knowledge) -> str:
    if knowledge.default is not None:
        return knowledge.default(game)
    return LEARNED if knowledge.weights_file(game) else next(iter(knowledge.evaluations))


@functools.lru_cache(maxsize=64)
def _load(game: Game, name: str) -> Evaluation:
    knowledge = knowledge_of(game)
    if name in knowledge.evaluations:
        return knowledge.evaluations[name](game)
    if knowledge.parse is None or name == LEARNED:
        raise GameError(f"{game.name} has no evaluation {name!r}: it has {', '.join(evaluation_names(game))}")
    return knowledge.parse(game, name)


def move_order_of(game: Game) -> Callable[..., int]:
    """The move ordering kernel of learned evaluations: that of `zero`, else that of the first evaluation."""
    order = _load(game, "zero").order
    return _load(game, next(iter(knowledge_of(game).evaluations))).order if order is no_order else order


def opening_evaluation(game: Game) -> str:
    """The evaluation that balances openings: the default, or the first one if the default is learned.

    With a hand-written evaluation, the openings of a seed do not change when weights are retrained.
    """
    default = load_evaluation(game).name
    return next(iter(knowledge_of(game).evaluations)) if default == LEARNED else default


def luck_evaluation(game: Game) -> str:
    """The name of the evaluation that measures luck."""
    luck = knowledge_of(game).luck
    return luck(game) if luck else load_evaluation(game).name


@functools.cache
def move_classes(game: Game, name: str | None = None) -> Classify | None:
    """The kernel that sorts moves into classes, or an alternative one by name; None if the game has none.

    Raises GameError for an unknown name.
    """
    knowledge = knowledge_of(game)
    if name is not None:
        if name not in knowledge.other_classes:
            has = ", ".join(knowledge.other_classes) or "none with a name"
            raise GameError(f"{game.name} has no move classes {name!r}: it has {has}")
        return knowledge.other_classes[name](game)
    return knowledge.move_classes(game) if knowledge.move_classes else None
