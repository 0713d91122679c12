"""A review of a game: the chances at every ply, the luck of every roll, the loss of every move, and names for both.

The luck of the rolls comes from a luck meter. The losses come from it too, or from a player that looks deeper. Both are
named by their size as backgammon players name them, in expected results (−1 … 1, twice the winning chance), with the
thresholds that GNU Backgammon starts with.
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
"""Loss of a move in expected results, at least → its name."""

LUCK = ((0.6, "very lucky"), (0.3, "lucky"))
UNLUCKY = ((-0.6, "very unlucky"), (-0.3, "unlucky"))
"""Luck of a roll in expected results → its name."""


@dataclass(frozen=True)
class ReviewedPly:
    """One ply. Luck and loss are the mover's, in winning chances."""

    side: int
    roll: int
    move: str
    best: str
    """The move that the meter prefers."""
    chance: float
    """The first side's winning chance before the roll."""
    luck: float
    loss: float
    reported: float | None
    """The winning chance that the mover reported."""
    seconds: float

    @property
    def luck_name(self) -> str:
        """What a backgammon player calls this roll; empty when it is ordinary."""
        return next((name for least, name in LUCK if 2 * self.luck >= least), "") or next(
            (name for most, name in UNLUCKY if 2 * self.luck <= most), ""
        )

    @property
    def mistake(self) -> str:
        """What a backgammon player calls this move; empty when it is good."""
        return next((name for least, name in MISTAKES if 2 * self.loss >= least), "")


@dataclass(frozen=True)
class SideReview:
    """How a side fared: its luck over all rolls, what its moves cost, and how often it went wrong."""

    luck: float
    loss: float
    moves: int
    mistakes: dict[str, int]
    """Name → how many."""

    @property
    def loss_per_move(self) -> float:
        """The mean loss of a move."""
        return self.loss / max(1, self.moves)


@dataclass(frozen=True)
class Review:
    """A reviewed game."""

    record: GameRecord
    meter: str
    """The description of the meter."""
    plies: tuple[ReviewedPly, ...]
    end: float
    """The first side's chance after the last ply: its result, if the game is over."""

    def side(self, side: int) -> SideReview:
        """The sums of one side."""
        own = [ply for ply in self.plies if ply.side == side]
        names = [ply.mistake for ply in own if ply.mistake]
        return SideReview(
            sum(ply.luck for ply in own),
            sum(ply.loss for ply in own),
            len(own),
            {name: names.count(name) for _, name in MISTAKES},
        )


Judge = Callable[[State], dict[int, float]]
"""(state whose die is rolled) → the mover's expected result after each move; a move may be missing."""


def judge_by(player: Player, limit: Limit) -> Judge:
    """The values that a player finds within a limit for each move."""

    def judge(state: State) -> dict[int, float]:
        reports = player.analyse(state, limit).moves
        return {report.move: report.value for report in reports if report.value is not None}

    return judge


def review(record: GameRecord, meter: LuckMeter | None = None, judge: Judge | None = None) -> Review:
    """The review of a game, losses by the judge or else by the meter; raises GameError when a ply is not legal."""
    meter = meter or make_meter(games.find(record.game), "")
    *states, last = record.states()
    plies = []
    for state, ply, luck in zip(states, record.plies, meter.annotate(record).luck, strict=True):
        values = meter.move_values(state) if judge is None else judge(state)
        if ply.move not in values:
            values = meter.move_values(state)
        # Among equals the move that was played is as good as any.
        best = max(values, key=lambda move: (values[move], move == ply.move))
        chance = _first_sides_chance(meter, state)
        if judge is not None and not state.game.has_dice:
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


def _first_sides_chance(meter: LuckMeter, state: State) -> float:
    chance = win_probability(meter.value(state))
    return chance if state.mover == 0 else 1.0 - chance


def _end(record: GameRecord, meter: LuckMeter, last: State) -> float:
    return record.score(0) if record.winner is not None or last.over else _first_sides_chance(meter, last)
