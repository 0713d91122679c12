"""Evaluations: a number for the mover, nothing else; and what else is known about a game beyond its rules.

One file per game with a `KNOWLEDGE`. A game of a user brings its own.
"""

import functools
from collections.abc import Callable
from pathlib import Path

from starscout.evaluation.evaluation import Evaluation, no_order, zero
from starscout.evaluation.knowledge import FIRST_CLASS, LAST_CLASS, ORDINARY, Classify, Knowledge, Preset
from starscout.evaluation.learned import LEARNED, file_evaluation, is_weights_file, shipped_file
from starscout.evaluation.weights import Weights, pack
from starscout.game import Game, GameError

__all__ = [
    "FAMILIES",
    "FIRST_CLASS",
    "LAST_CLASS",
    "LEARNED",
    "ORDINARY",
    "Classify",
    "Evaluation",
    "Knowledge",
    "Preset",
    "Weights",
    "evaluation_names",
    "family_knowledge",
    "game_presets",
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

FAMILIES = ("ewn", "ewn-cyclic", "kari", "othello")
"""The built-in families; each has a module of its name here."""

NOTHING = Knowledge()


def family_knowledge(family: str) -> Knowledge:
    """What is known about a built-in family."""
    # The modules are imported when somebody asks: they bring the rules of all the games.
    from starscout.games.ewn import evaluation as ewn
    from starscout.games.ewn_cyclic import evaluation as ewn_cyclic
    from starscout.games.kari import evaluation as kari
    from starscout.games.othello import evaluation as othello

    modules = {"ewn": ewn, "ewn-cyclic": ewn_cyclic, "kari": kari, "othello": othello}
    return modules[family].KNOWLEDGE


def knowledge_of(game: Game) -> Knowledge:
    """The game's own knowledge, else that of its family, else nothing: `zero` is then its only evaluation."""
    if game.knowledge is not None:
        return game.knowledge
    return family_knowledge(game.family) if game.family in FAMILIES else NOTHING


def evaluation_names(game: Game) -> tuple[str, ...]:
    """The evaluations of a game that have a name."""
    shipped = (LEARNED,) if shipped_file(game).is_file() and game.knowledge is None else ()
    return (*knowledge_of(game).evaluations, *shipped)


def load_evaluation(game: Game, text: str | None = None) -> Evaluation:
    """The evaluation of a game that a text names or describes, or whose weights file it names; its default for None.

    Raises GameError.
    """
    knowledge = knowledge_of(game)
    name = text or (knowledge.default(game) if knowledge.default else evaluation_names(game)[0])
    if name == LEARNED and LEARNED in evaluation_names(game):
        return file_evaluation(game, knowledge, shipped_file(game), name, move_order_of(game))
    if is_weights_file(name):
        return file_evaluation(game, knowledge, Path(name), name, move_order_of(game))
    return _load(game, name)


@functools.lru_cache(maxsize=64)
def _load(game: Game, name: str) -> Evaluation:
    knowledge = knowledge_of(game)
    if name in knowledge.evaluations:
        return knowledge.evaluations[name](game)
    if knowledge.parse is None or name == LEARNED:
        raise GameError(f"{game.name} has no evaluation {name!r}: it has {', '.join(evaluation_names(game))}")
    return knowledge.parse(game, name)


def move_order_of(game: Game) -> Callable[..., int]:
    """The kernel of the order of moves that a learned evaluation uses: that of `zero`, else of the first evaluation."""
    order = _load(game, "zero").order
    return _load(game, next(iter(knowledge_of(game).evaluations))).order if order is no_order else order


def opening_evaluation(game: Game) -> str:
    """The evaluation that says which openings are balanced: the default, or the first where the default is learned.

    It is written by hand, so games of a seed have the same openings when weights are learned anew.
    """
    default = load_evaluation(game).name
    return next(iter(knowledge_of(game).evaluations)) if default == LEARNED else default


def luck_evaluation(game: Game) -> str:
    """The name of the evaluation that sees most of the luck in the dice."""
    luck = knowledge_of(game).luck
    return luck(game) if luck else load_evaluation(game).name


@functools.cache
def move_classes(game: Game, name: str | None = None) -> Classify | None:
    """The kernel that sorts a game's moves into classes, or another one by its name; None if the game has none.

    Raises GameError for a name that the game does not have.
    """
    knowledge = knowledge_of(game)
    if name is not None:
        if name not in knowledge.other_classes:
            has = ", ".join(knowledge.other_classes) or "none with a name"
            raise GameError(f"{game.name} has no classes of moves {name!r}: it has {has}")
        return knowledge.other_classes[name](game)
    return knowledge.move_classes(game) if knowledge.move_classes else None


def game_presets(game: Game) -> tuple[Preset, ...]:
    """The game's own players with a name."""
    return knowledge_of(game).players
