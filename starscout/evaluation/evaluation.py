"""Evaluations: two kernels that a search is compiled with, and the weights passed to them."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import Position
from starscout.kernels.kernel import kernel


@kernel
def no_order(position: Position, move: int) -> int:
    """Rank all moves equally."""
    return 0


class EvaluationKernels(NamedTuple):
    """The kernels a search is compiled with; evaluations that differ only in weights share them."""

    evaluate: Callable[..., int]
    """*kernel* (unfinished position, weights) → the mover's value."""
    order: Callable[..., int]
    """*kernel* (position, move) → 0 … 1000."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An estimate of the positions of one game and a move ordering."""

    name: str
    evaluate: Callable[..., int]
    """*kernel* (unfinished position) → the mover's value in 2⁻⁴⁴ (see game/values.py), inside (−ONE, ONE).

    With weights it is called with (position, weights).
    """
    order: Callable[..., int] = no_order
    """*kernel* (position, move) → 0 … 1000: moves with higher numbers are tried first."""
    weights: Weights = NO_WEIGHTS
    """The numbers that `evaluate` reads (see `pack`)."""
    point: int = 0
    """The value of a raw point if values are proportional to raw points, else 0."""

    @property
    def kernels(self) -> EvaluationKernels:
        """The kernels a search is compiled with."""
        plain = self.weights is NO_WEIGHTS
        return EvaluationKernels(_without_weights(self.evaluate) if plain else self.evaluate, self.order)

    def value(self, position: Position) -> int:
        """The mover's value of an unfinished position, for Python callers."""
        return self.evaluate(position) if self.weights is NO_WEIGHTS else self.evaluate(position, self.weights)


@functools.cache
def _without_weights(evaluate: Any) -> Any:
    @kernel(inline=True)
    def evaluate_position(position: Position, weights: Weights) -> int:
        return evaluate(position)

    return evaluate_position


@kernel
def _zero(position: Position) -> int:
    return 0


def zero(order: Any = no_order) -> Evaluation:
    """The evaluation that is 0 in every unfinished position."""
    return Evaluation("zero", _zero, order)
