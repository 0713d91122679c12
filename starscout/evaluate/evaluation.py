"""What an evaluation is: two kernels that a search is compiled with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starscout.game import Position
from starscout.kernel import kernel


@kernel
def no_order(position: Position, move: int) -> int:
    """Every move is as good as any other."""
    return 0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An estimate of positions of one game and a guess which moves to try first."""

    name: str
    evaluate: Callable[[Position], int]
    """*kernel* (position that is not over) → the mover's value in 2⁻⁴⁴ (see value.py), inside (−ONE, ONE)."""
    order: Callable[..., int] = no_order
    """*kernel* (position, move) → 0 … 1000: moves with higher numbers are tried first."""
    point: int = 0
    """The value of a raw point, where values are proportional to raw points; else 0."""


@kernel
def _zero(position: Position) -> int:
    return 0


def zero(order: Any = no_order) -> Evaluation:
    """The evaluation that knows nothing but wins and losses."""
    return Evaluation("zero", _zero, order)
