"""What an evaluation is: two kernels that a search is compiled with, and the weights that the search hands down."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import Position
from starscout.kernels.kernel import kernel


@kernel
def no_order(position: Position, move: int) -> int:
    """Every move is as good as any other."""
    return 0


class EvaluationKernels(NamedTuple):
    """What a search is compiled with; evaluations that differ in their weights alone share it."""

    evaluate: Callable[..., int]
    """*kernel* (position that is not over, weights) → the mover's value."""
    order: Callable[..., int]
    """*kernel* (position, move) → 0 … 1000."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An estimate of positions of one game and a guess which moves to try first."""

    name: str
    evaluate: Callable[..., int]
    """*kernel* (position that is not over) → the mover's value in 2⁻⁴⁴ (see value.py), inside (−ONE, ONE).

    With weights it is called with (position, weights).
    """
    order: Callable[..., int] = no_order
    """*kernel* (position, move) → 0 … 1000: moves with higher numbers are tried first."""
    weights: Weights = NO_WEIGHTS
    """The numbers that `evaluate` reads (see `pack`)."""
    point: int = 0
    """The value of a raw point, where values are proportional to raw points; else 0."""

    @property
    def kernels(self) -> EvaluationKernels:
        """What a search is compiled with."""
        plain = self.weights is NO_WEIGHTS
        return EvaluationKernels(_without_weights(self.evaluate) if plain else self.evaluate, self.order)

    def value(self, position: Position) -> int:
        """The mover's value of a position that is not over, for callers that are not kernels."""
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
    """The evaluation that knows nothing but wins and losses."""
    return Evaluation("zero", _zero, order)
