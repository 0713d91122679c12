"""An evaluation that knows the positions of an exact table: a search then sees their true values at its leaves."""

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights
from starscout.game import Position
from starscout.game.values import ONE
from starscout.games.ewn.endgame_table import EwnTable, lookup_kernels
from starscout.games.ewn.table_builder import CERTAIN
from starscout.kernels.kernel import kernel

UNIT = ONE // (CERTAIN + 1)
"""What a step of the table is worth, so that a certain win stays below a win on the board."""


class TableWeights(NamedTuple):
    """The weights of the evaluation for all other positions, and the table."""

    weights: Weights
    table: numpy.record


def with_table(evaluation: Evaluation, table: EwnTable) -> Evaluation:
    """The evaluation, with the table's values where the table has the position."""
    evaluate = _build(evaluation.kernels.evaluate, *lookup_kernels(table))
    weights: Any = TableWeights(evaluation.weights, table.record)
    return replace(evaluation, name=f"{evaluation.name}+table", evaluate=evaluate, weights=weights)


@functools.cache
def _build(evaluate_other: Any, covers: Any, chance: Any) -> Any:
    @kernel
    def evaluate(position: Position, weights: TableWeights) -> int:
        own, enemy = position.own, position.enemy
        if covers(own, enemy):
            return (2 * chance(own, enemy, weights.table) - CERTAIN) * UNIT
        return evaluate_other(position, weights.weights)

    return evaluate
