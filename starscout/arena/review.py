"""Game review: win probability, luck of rolls and loss of moves at every ply.

A luck meter measures the luck of the rolls. It also measures the losses, unless a player with a deeper search is given.
Both are classified with the default thresholds of GNU Backgammon, in expected results (−1 … 1).
"""

from collections.abc import Callable
from dataclasses import dataclass

from starscout import games
from starscout.arena.luck import LuckMeter, make_meter
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.players.player import Player
from starscout.records.record import GameRecord
from starscout.search.limits import Limit

MISTAKES = ((0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"))
"""Minimum loss of a move in expected results → its name."""

LUCKY = ((0.6, "very lucky"), (0.3, "lucky"))
UNLUCKY = ((-0.6, "very unlucky"), (-0.3, "unlucky"))
"""Minimum (maximum) luck of a roll in expected results → its name."""


@dataclass(frozen=True)
class ReviewedPly:
    """One ply. Luck and loss are the mover's, in win probability."""

    side: int
    roll: int
    move: str
    best: str
    """The best move."""
    chance: float
    """Win probability of side 0 before the roll."""
    luck: float
    loss: float
    reported: float | None
    """Win probability reported by the mover."""
    seconds: float

    @property
    def luck_name(self) -> str:
        """Classification of the roll; empty if it is ordinary."""
        return next((name for least, name in LUCKY if 2 * self.luck >= least), "") or next(
            (name for most, name in UNLUCKY if 2 * self.luck <= most), ""
        )

    @property
    def mistake(self) -> str:
        """Classification of the move; empty if it is good."""
        return next((name for least, name in MISTAKES if 2 * self.loss >= least), "")


@dataclass(frozen=True)
class SideReview:
    """Totals of one side: luck of its rolls, loss of its moves, number of mistakes."""

    luck: float
    loss: float
    moves: int
    mistakes: dict[str, int]
    """Name of a mistake → count."""

    @property
    def loss_per_move(self) -> float:
        """Mean loss per move."""
        return self.loss / max(1, self.moves)


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    record: GameRecord
    meter: str
    """The description of the luck meter."""
    plies: tuple[ReviewedPly, ...]
    end: float
    """Win probability of side 0 after the last ply; its score if the game is over."""

    def side(self, side: int) -> SideReview:
        """Return the totals of one side."""
        own = [ply for ply in self.plies if ply.side == side]
        names = [ply.mistake for ply in own if ply.mistake]
        return SideReview(
            sum(ply.luck for ply in own),
            sum(ply.loss for ply in own),
            len(own),
            {name: names.count(name) for _, name in MISTAKES},
        )


MoveEvaluator = Callable[[State], dict[int, float]]
"""Rolled state → the mover's expected result after each move; moves may be missing."""


def move_evaluator(player: Player, limit: Limit) -> MoveEvaluator:
    """Return an evaluator that analyses each state with a player and a limit."""

    def evaluate(state: State) -> dict[int, float]:
        reports = player.analyse(state, limit).moves
        return {report.move: report.value for report in reports if report.value is not None}

    return evaluate


def review(record: GameRecord, meter: LuckMeter | None = None, evaluator: MoveEvaluator | None = None) -> Review:
    """Review a game; losses come from the evaluator, if any. Raises GameError."""
    meter = meter or make_meter(games.find(record.game), "")
    *states, last = record.states()
    plies = []
    for state, ply, luck in zip(states, record.plies, meter.annotate(record).luck, strict=True):
        values = meter.move_values(state) if evaluator is None else evaluator(state)
        if ply.move not in values:
            values = meter.move_values(state)
        # Of several best moves, prefer the one that was played.
        best = max(values, key=lambda move: (values[move], move == ply.move))
        chance = _side_0_chance(meter, state)
        if evaluator is not None and not state.game.has_dice:
            chance = win_probability(values[best] if state.mover == 0 else -values[best])
        plies.append(
            ReviewedPly(
                state.mover,
                ply.roll,
                ply.text,
                state.game.format_move(state.position, best),
                chance,
                luck,
                (values[best] - values[ply.move]) / 2,
                None if ply.value is None else win_probability(ply.value),
                ply.seconds,
            )
        )
    return Review(record, meter.text, tuple(plies), _end(record, meter, last))


def _side_0_chance(meter: LuckMeter, state: State) -> float:
    chance = win_probability(meter.value(state))
    return chance if state.mover == 0 else 1.0 - chance


def _end(record: GameRecord, meter: LuckMeter, last: State) -> float:
    return record.score(0) if record.winner is not None or last.over else _side_0_chance(meter, last)
