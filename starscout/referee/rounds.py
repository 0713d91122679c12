"""Rounds between the same two players, as the course referees play them: who sits where, who begins, from which start.

paired       starts and dice come in pairs, the players change sides after each round
new boards   another start each round, the players change sides (ewn-cyclic and kari, where red always begins)
fixed        another start each round, the players keep their sides and the first mover alternates (ewn)
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from starscout.game import Game
from starscout.referee.dice import pair_start
from starscout.referee.play import Limits, Players, play_game
from starscout.referee.record import GameRecord
from starscout.state import State, from_position


class Seating(Enum):
    """How rounds differ from each other."""

    PAIRED = "paired"
    NEW_BOARDS = "new boards"
    FIXED = "fixed"


@dataclass(frozen=True)
class Round:
    """One finished round: its number from 0, the side that player A had, and the game."""

    number: int
    side: int
    record: GameRecord

    @property
    def score(self) -> float:
        """What player A got: 1, ½ or 0."""
        winner = self.record.winner
        return 0.5 if winner is None else float(winner == self.side)


@dataclass
class Standing:
    """The sum of the rounds so far, for both players."""

    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    forfeits: list[Counter[str]] = field(default_factory=lambda: [Counter(), Counter()])
    """How often each player has lost by which forfeit."""

    def add(self, played: Round) -> None:
        """Count one more round."""
        if played.score == 0.5:
            self.draws += 1
            return
        winner = 0 if played.score == 1 else 1
        self.wins[winner] += 1
        if played.record.forfeit:
            self.forfeits[1 - winner][played.record.reason] += 1


def play_rounds(
    game: Game,
    players: Players,
    limits: Limits,
    count: int,
    seating: Seating,
    seed: int = 0,
    arrange: Callable[[State, Players], State] | None = None,
) -> Iterator[Round]:
    """`count` rounds between players A and B; A has side 0 in the first. The limits are A's and B's.

    `arrange` lets the players of the sides change the start before a round.
    """
    for number in range(count):
        side = 0 if seating is Seating.FIXED else number % 2
        pair, half = divmod(number, 2) if seating is Seating.PAIRED else (number, 0)
        start = pair_start(game, seed, pair)
        if seating is Seating.FIXED and number % 2:
            start = _other_begins(start)
        seats = players if side == 0 else (players[1], players[0])
        if arrange is not None:
            start = arrange(start, seats)
        seat_limits = limits if side == 0 else (limits[1], limits[0])
        yield Round(number, side, play_game(start, seats, seat_limits, seed=seed, pair=pair, half=half))


def _other_begins(start: State) -> State:
    """The same board, the other side to move. For games whose positions see both sides from the mover's view."""
    position = start.position
    swapped = position._replace(own=position.enemy, enemy=position.own, mover=1 - position.mover)
    return from_position(start.game, swapped)
