"""Evaluations: a number for the mover, nothing else. One file a game; `load` finds them by name."""

import functools
import importlib
from typing import Any

from starscout.evaluate.evaluation import Evaluation, zero
from starscout.game import Game, GameError

MODULES = {"ewn": "ewn", "ewn-cyclic": "ewn_cyclic", "kari": "kari", "othello": "othello"}
"""Game → its module here, with `NAMES` and `evaluation(game, text)`; the text None is its best."""


def names(game: Game) -> tuple[str, ...]:
    """The evaluations of a game; games of our users have `zero` alone."""
    module = _module(game)
    return module.NAMES if module is not None else ("zero",)


@functools.cache
def load(game: Game, text: str | None = None) -> Evaluation:
    """The evaluation of a game that a text names; its default for None. Raises GameError."""
    module = _module(game)
    if module is None:
        if text not in (None, "zero"):
            raise GameError(f"{game.name} has no evaluation {text!r}: it has zero alone")
        return zero()
    return module.evaluation(game, text)


def _module(game: Game) -> Any:
    family = game.name if game.name in MODULES else game.name.split("-")[0]
    return importlib.import_module(f"starscout.evaluate.{MODULES[family]}") if family in MODULES else None
