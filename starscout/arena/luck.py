"""Luck of every chance event and loss of every move, in win probability, or in points if a win can count several.

    V(position, event)   the best of ±W(next position) over the moves after the event
    W(position)          the mean of V over the events, by weight; at the given depth it is an evaluation
    luck of an event     V(position, event) − mean of V      mean zero for any V, so adjustment is unbiased
    loss of a move       V(position, event) − (±W(next position))      never negative

V is from the mover's perspective. Luck is reported for the side that moves after the event.

A meter is specified as text, `eval=race depth=3`: the evaluation, and the search depth of V in plies, including the
move that follows the roll. The better V is, the more of a game's luck it measures. With `filter=1`, only the
move that the evaluation prefers after each roll is searched more than one ply deep, for games with many moves.
"""

import functools
from dataclasses import dataclass
from typing import Annotated, Any

import numpy

from starscout.evaluation import exact_table, knowledge_of, load_evaluation, luck_evaluation
from starscout.evaluation.evaluation import EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, GameError, Position, new_rows
from starscout.game.chance import ONLY_EVENT
from starscout.game.state import State, parse
from starscout.game.values import ONE
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import raised, stoppable
from starscout.records.record import Annotation, GameRecord
from starscout.settings.arguments import check_fields
from starscout.settings.options import parse_options, split_options
from starscout.settings.schema import Depth, Setting

OFF = "off"
REMOVED = -3.0


@dataclass(frozen=True)
class MeterOptions:
    """The value function: an evaluation and its search depth; None: the game's own."""

    eval: str | None = None
    depth: Annotated[Depth, Setting(high=4)] | None = None
    """Every roll of every ply is searched, and every move unless there is a filter."""
    filter: Annotated[int, Setting("Moves of a roll that are searched deeper than one ply; 0: all.", 0, 1024)] = 0
    endgame: bool = False
    """Whether positions in the endgame table have the values of the table."""

    def __post_init__(self) -> None:
        check_fields(self)


class LuckMeter:
    """Measures luck and losses in records of one game."""

    def __init__(self, game: Game, text: str) -> None:
        options = meter_options(text)
        self._game, self._depth = game, options.depth or knowledge_of(game).luck_depth
        self._rows = new_rows(game, self._depth + 1)
        self._scores = numpy.zeros(self._rows.shape)
        evaluation = load_evaluation(game, options.eval or luck_evaluation(game))
        self.text = f"eval={evaluation.name} depth={self._depth}"
        self.text += f" filter={options.filter}" if options.filter else ""
        self.text += " endgame=on" if options.endgame else ""
        """The full specification."""
        table = exact_table(game) if options.endgame else None
        if options.endgame and table is None:
            raise GameError(f"luck: {game.name} has no endgame table; remove endgame=on")
        evaluation = evaluation if table is None else table.evaluation(evaluation)
        self._value, self._measure = _build(game, evaluation.kernels, options.filter)
        self._weights = evaluation.weights

    def value(self, state: State) -> float:
        """Return the mover's expected result before the event."""
        with stoppable(self._flag()):
            return float(self._value(state.position, self._depth, self._rows, self._scores, self._weights))

    def move_values(self, state: State) -> dict[int, float]:
        """Return the mover's expected result after each move of a decision: ±W(next position)."""
        following = {move: self._game.play_position(state.position, move) for move in state.legal}
        below = self._depth - 1
        with stoppable(self._flag()):
            return {
                move: self._game.sign(state.position, position)
                * float(self._value(position, below, self._rows, self._scores, self._weights))
                for move, position in following.items()
            }

    def annotate(self, record: GameRecord) -> Annotation:
        """Return the luck and the losses of a game; the luck of a final event comes last."""
        plies = len(record.plies)
        drawn = [ply.roll for ply in record.plies] + ([record.final_event] if record.final_event else [])
        if not self._game.has_chance:
            drawn = [ONLY_EVENT] * plies
        luck, loss = numpy.zeros(len(drawn)), numpy.zeros(plies)
        rolls = numpy.array(drawn, dtype=numpy.int64)
        moves = numpy.array([ply.move for ply in record.plies], dtype=numpy.int64)
        start = parse(self._game, record.start)
        with stoppable(self._flag()):
            self._measure(
                start.position, rolls, moves, self._depth, self._rows, self._scores, self._weights, luck, loss
            )
        return Annotation(tuple(luck.tolist()), tuple(loss.tolist()))

    def _flag(self) -> numpy.ndarray:
        """Clear and return the stop flag, the row of depth 0, which lists no moves."""
        self._rows[0, 0] = 0
        return self._rows[0]


@functools.lru_cache(maxsize=16)
def make_meter(game: Game, text: str) -> LuckMeter:
    """Return the meter of a specification; raises GameError."""
    return LuckMeter(game, text)


def meter_options(text: str) -> MeterOptions:
    """Parse the specification of a meter; raises GameError."""
    if any("=" not in option for option in text.split()):
        raise GameError(f"luck: expected `eval=NAME depth=N` or off, got {text!r}")
    return parse_options(MeterOptions, split_options(text.split()), "luck")


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels, width: int) -> Any:
    outcome, moves, play, evaluate_position = game.outcome, game.moves, game.play, evaluation.evaluate
    groups, group, total_weight, resolve, sign = game.groups, game.group, game.total, game.resolve, game.sign
    resolves, alternating, points, one = game.resolves, game.alternating, float(game.points), float(ONE)
    unit = 0.5 if game.points == 1 else points

    @kernel(inline=True)
    def take_best(scores: numpy.ndarray, count: int) -> int:
        """Remove the largest score and return its index."""
        best = 0
        for number in range(1, count):
            if scores[number] > scores[best]:
                best = number
        scores[best] = REMOVED
        return best

    @kernel
    def value(
        position: Position, depth: int, rows: numpy.ndarray, scores: numpy.ndarray, weights: Weights
    ) -> float:  # fmt: skip
        """W: the mover's expected result before the event, in [−1, 1]; undefined if stopped."""
        if raised(rows) != 0:
            return 0.0
        result = outcome(position)
        if result != ONGOING:
            return result / points
        if depth == 0:
            return evaluate_position(position, weights) / one
        total = 0.0
        row = rows[depth]
        for index in range(groups(position)):
            event, weight = group(position, index)
            decision = resolve(position, event)
            best = -2.0
            result = outcome(decision) if resolves else ONGOING
            if result != ONGOING:
                best = result / points
            else:
                count = moves(decision, event, row)
                filtered = width != 0 and depth > 1 and count > width
                for number in range(count):
                    following = play(decision, row[number])
                    below = 0 if filtered else depth - 1
                    found = sign(decision, following) * value(following, below, rows, scores, weights)
                    best, scores[depth, number] = max(best, found), found
                if filtered:
                    best = -2.0
                    for _ in range(width):
                        number = take_best(scores[depth], count)
                        following = play(decision, row[number])
                        found = sign(decision, following) * value(following, depth - 1, rows, scores, weights)
                        best = max(best, found)
            total += -weight * best if not alternating and decision.mover != position.mover else weight * best
        return total / total_weight(position)

    @kernel(inline=True)
    def after_event(
        decision: Position, event: int, played: int, below: int, row: numpy.ndarray, rows: numpy.ndarray,
        scores: numpy.ndarray, weights: Weights,
    ) -> tuple[float, float]:  # fmt: skip
        """The values of the best move and of the played move for the mover of a decision; equal if it is over."""
        result = outcome(decision) if resolves else ONGOING
        if result != ONGOING:
            return result / points, result / points
        best, chosen = -2.0, -2.0
        count = moves(decision, event, row)
        filtered = width != 0 and below > 0 and count > width
        for number in range(count):
            following = play(decision, row[number])
            deeper = 0 if filtered and row[number] != played else below
            found = sign(decision, following) * value(following, deeper, rows, scores, weights)
            if row[number] == played:
                chosen = found
            if filtered and row[number] == played:
                found = sign(decision, following) * value(following, 0, rows, scores, weights)
            best, scores[below + 1, number] = max(best, found), found
        if filtered:
            best = -2.0
            for _ in range(width):
                number = take_best(scores[below + 1], count)
                following = play(decision, row[number])
                best = max(best, sign(decision, following) * value(following, below, rows, scores, weights))
        return best, chosen

    @kernel
    def measure(
        position: Position,
        events: numpy.ndarray,
        played: numpy.ndarray,
        depth: int,
        rows: numpy.ndarray,
        scores: numpy.ndarray,
        weights: Weights,
        luck: numpy.ndarray,
        loss: numpy.ndarray,
    ) -> None:
        """Fill `luck` and `loss` of the side that moves after each event; there may be one more event than moves."""
        row = rows[depth]
        below = depth - 1
        for ply in range(len(events)):
            mean = 0.0
            for index in range(groups(position)):
                event, weight = group(position, index)
                decision = resolve(position, event)
                best, _ = after_event(decision, event, -1, below, row, rows, scores, weights)
                same_mover = alternating or decision.mover == position.mover
                mean += (weight if same_mover else -weight) * best / total_weight(position)
            decision = resolve(position, events[ply])
            move = played[ply] if ply < len(played) else -1
            best, chosen = after_event(decision, events[ply], move, below, row, rows, scores, weights)
            same_mover = alternating or decision.mover == position.mover
            luck[ply] = (best - (mean if same_mover else -mean)) * unit
            if ply < len(played):
                # A filter may have removed a move that a deeper search prefers.
                loss[ply] = (max(best, chosen) - chosen) * unit
                position = play(decision, move)

    return value, measure
