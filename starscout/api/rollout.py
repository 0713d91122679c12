"""`starscout.rollout`: the value of a position and of its best moves, estimated by many games."""

import math
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy

from starscout.api.progress import interruptible_kernels, progress_bar
from starscout.api.result import Board, Picture, PlottedResult, rich_table
from starscout.arena.statistics import student_quantile
from starscout.drawing import charts
from starscout.evaluation import exact_table, load_evaluation
from starscout.evaluation.evaluation import Evaluation
from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State
from starscout.game.values import result_text, win_probability
from starscout.search.rollouts import Rollouts
from starscout.settings.arguments import checked
from starscout.settings.schema import Lines, Progress, RolloutPlies, Seed, Trials

if TYPE_CHECKING:
    from rich.console import RenderableType

CHUNK = 36
"""Trials per kernel call; a running call cannot be interrupted."""


@dataclass(frozen=True)
class RolledOutMove:
    """A move, or the position itself before a roll, with the mover's mean result in [−1, 1].

    >>> RolledOutMove("8/5,6/5", 0.16, 0.02, 0.0, 0.0).win_probability
    0.58
    """

    move: str
    """Empty before a roll."""
    value: float
    value_error: float
    """Half-width of the 95 % confidence interval."""
    difference: float
    """Value minus that of the best move."""
    difference_error: float
    """Half-width of its 95 % confidence interval; all moves are rolled out with the same events."""

    @property
    def win_probability(self) -> float:
        """(1 + value) / 2; in a game with points a scale for the expected points."""
        return win_probability(self.value)


@dataclass(frozen=True, repr=False)
class RolloutResult(PlottedResult):
    """The result of a rollout: the moves, the best one first.

    >>> from starscout import parse, rollout
    >>> result = rollout(parse("ewn-3x3-3", "12./3.a/.cb r 1"), trials=36, lines=1, progress=False)
    >>> [move.difference for move in result.moves], result.trials
    ([0.0], 36)
    """

    state: State
    evaluation: str
    trials: int
    plies: int
    reduction: bool
    moves: tuple[RolledOutMove, ...]
    seconds: float

    @property
    def best(self) -> RolledOutMove:
        """The move with the highest value."""
        return self.moves[0]

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout rollout --json`."""
        names = ["evaluation", "trials", "plies", "reduction", "seconds"]
        best = self.best
        return {
            "position": self.state.text, "value": best.value, "value_error": best.value_error, "best": best.move,
            "moves": self.rows(), **{name: getattr(self, name) for name in names},
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per move."""
        points = self.state.game.points
        return [
            {**vars(move), "win_probability": move.win_probability}
            | ({"points": points * move.value, "points_error": points * move.value_error} if points > 1 else {})
            for move in self.moves
        ]

    def plot(self) -> Picture:
        """Plot the values with their intervals."""
        names = [move.move or "roll" for move in self.moves]
        points = self.state.game.points
        values, errors = ([points * getattr(move, name) for move in self.moves] for name in ("value", "value_error"))
        return Picture(charts.intervals(names, values, errors, "expected points"))

    def summary(self) -> str:
        """Return a one-line description of the rollout."""
        cut = f", cut after {self.plies} plies" if self.plies else ""
        how = "with" if self.reduction else "without"
        return (
            f"{self.trials:,} games per row by {self.evaluation}{cut}, {how} variance reduction, 95 % intervals; "
            f"{self.seconds:.1f} s"
        )

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        points = self.state.game.points
        # Half the width of an interval of win probabilities or of points.
        scale, unit = (50, " %") if points == 1 else (points, "")
        digits = 1 if points == 1 else 3
        rows = [
            [
                move.move or "(before the roll)", result_text(move.value, points, digits),
                f"± {scale * move.value_error:.{digits}f}{unit}",
                f"{scale * move.difference:+.{digits}f} ± {scale * move.difference_error:.{digits}f}{unit}"
                if move is not self.best else "",
            ]
            for move in self.moves
        ]  # fmt: skip
        heading = "wins" if points == 1 else "points"
        listed = rich_table(("move", heading, "", "against the best"), rows, left=("move",))
        return Group(Board(self.state), "", listed, "", Text(self.summary()))

    def __repr__(self) -> str:
        return f"<rollout of {self.state.text!r}: {self.best.value:+.4f} ± {self.best.value_error:.4f}>"


@checked
def rollout(
    state: State,
    *,
    eval: str | None = None,
    trials: Trials = 1296,
    lines: Lines = 3,
    plies: RolloutPlies = 0,
    reduction: bool = True,
    seed: Seed = 0,
    progress: Progress = True,
) -> RolloutResult:
    """Estimate the value of a position or, after a roll, of its best moves by playing games from it.

    Both sides play the best move by the evaluation, with the values of the game's endgame table where it has one. The
    `lines` best moves are rolled out with the same events. `reduction` subtracts the luck of every event, which leaves
    the mean unbiased; `plies` ends games early by the evaluation. Raises GameError.

    >>> from starscout import parse
    >>> result = rollout(parse("ewn-3x3-3", "12./3.a/.cb r 1"), trials=200, progress=False)
    >>> len(result.moves), result.best.difference
    (3, 0.0)
    """
    game = state.game
    if state.over:
        raise GameError(f"rollout: the game is over in {state.text!r}")
    if not game.has_chance:
        raise GameError(f"rollout: expected a game with chance events, got {game.name}")
    if game.repetition:
        raise GameError(f"rollout: {game.name} ends games by repetition, which rollouts do not support")
    evaluation = load_evaluation(game, eval)
    table = exact_table(game)
    if table is not None:
        evaluation = table.evaluation(evaluation)
    began = perf_counter()
    rollouts = Rollouts(game, evaluation, reduced=reduction, plies=plies)
    starts: list[tuple[str, Position, int]] = []
    if state.needs_roll:
        starts.append(("", state.position, 1))
    else:
        for move in state.legal:
            following = game.play_position(state.position, move)
            sign = int(game.sign(state.position, following))
            starts.append((game.format_move(state.position, move), following, sign))
        # Best first by the evaluation.
        starts.sort(key=lambda start: -start[2] * _static(game, evaluation, start[1]))
        starts = starts[:lines]
    results: list[numpy.ndarray] = []
    with interruptible_kernels(), progress_bar("rolling out", shown=progress) as show:
        for number, (_, position, sign) in enumerate(starts):
            parts: list[numpy.ndarray] = []
            for first in range(0, trials, CHUNK):
                parts.append(rollouts.play(position, seed, first, min(CHUNK, trials - first), trials))
                show((number + first / trials) / len(starts))
            results.append(sign * numpy.concatenate(parts))
    best = max(results, key=lambda sample: float(sample.mean()))
    floors = [
        0.0 if reduction or game.outcome(position) != ONGOING else _floor(sample)
        for (_, position, _), sample in zip(starts, results, strict=True)
    ]
    moves = [
        RolledOutMove(
            name,
            float(sample.mean()),
            _error(sample, floor),
            *((0.0, 0.0) if sample is best else _difference(sample, best, floor)),
        )
        for (name, _, _), sample, floor in zip(starts, results, floors, strict=True)
    ]
    moves.sort(key=lambda move: -move.value)
    return RolloutResult(state, evaluation.name, trials, plies, reduction, tuple(moves), perf_counter() - began)


def _static(game: Game, evaluation: Evaluation, position: Position) -> int:
    result = int(game.outcome(position))
    return int(game.result_value(result)) if result != ONGOING else evaluation.value(position)


def _floor(sample: numpy.ndarray) -> float:
    """Return a lower bound of the standard error: that of equal results, one of which has the opposite sign."""
    return 2 * float(abs(sample).min()) / len(sample)


def _error(sample: numpy.ndarray, floor: float) -> float:
    return student_quantile(len(sample) - 1) * max(float(sample.std(ddof=1)) / math.sqrt(len(sample)), floor)


def _difference(sample: numpy.ndarray, best: numpy.ndarray, floor: float) -> tuple[float, float]:
    return float((sample - best).mean()), _error(sample - best, floor)
