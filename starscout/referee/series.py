"""A series: two players, a seed and a schedule. Game n of it follows from these alone.

Games come in pairs: game 2k and game 2k + 1 have the seats exchanged. The schedule says what else the two share:

    shared    both games have the same start and the same dice, so that luck cancels (matches)
              or each has its own start and dice (the courses of ewn, ewn-cyclic and kari)
    swapped   the players change sides
              or they keep their sides and the first mover changes (ewn in its course, Swiss tournaments)
    shuffled  the seed decides which game of a pair is played first
              or game 2k is played first (for people who watch)
"""

from collections.abc import Callable
from dataclasses import dataclass

from starscout.game import Game, GameError
from starscout.game.state import State, from_position
from starscout.players.player import Limits, Players
from starscout.records.packed import SeatedGame
from starscout.referee.game_in_progress import play_game
from starscout.referee.openings import first_half, series_start


@dataclass(frozen=True)
class Schedule:
    """What the two games of a pair share, as above."""

    shared: bool = True
    swapped: bool = True
    shuffled: bool = True


@dataclass(frozen=True)
class Series:
    """The starts, the seats and the dice of games between players A and B."""

    game: Game
    seed: int = 0
    schedule: Schedule = Schedule()
    opening_plies: int = 0
    """Random plies before a game begins."""
    value: Callable[[State], float] | None = None
    """The mover's expected result in a position without dice, for balanced openings; None: any opening is used."""
    arrange: Callable[[State, Players], State] | None = None
    """Lets the players of the two sides change the start before a game."""

    def __post_init__(self) -> None:
        if not self.schedule.swapped and self.game.other_side_first is None:
            raise GameError(f"one side always moves first in {self.game.name}: the players must change sides")

    def order(self, pair: int) -> tuple[int, int]:
        """The two halves of a pair in the order in which they are played."""
        first = first_half(self.seed, pair) if self.schedule.shuffled else 0
        return first, 1 - first

    def side(self, half: int) -> int:
        """The side of player A."""
        return half if self.schedule.swapped else 0

    def start(self, pair: int, half: int) -> State:
        """Where a game begins, before its roll."""
        number = self._number(pair, half)
        start = series_start(self.game, self.seed, number, self.opening_plies, self.value)
        if half == 0 or self.schedule.swapped or self.game.other_side_first is None:
            return start
        return from_position(self.game, self.game.other_side_first(start.position))

    def play(self, pair: int, half: int, players: Players, limits: Limits) -> SeatedGame:
        """One game; players and limits are A's and B's."""
        side, start = self.side(half), self.start(pair, half)
        seats = players if side == 0 else (players[1], players[0])
        if self.arrange is not None:
            start = self.arrange(start, seats)
        seat_limits = limits if side == 0 else (limits[1], limits[0])
        dice = self._number(pair, half)
        record = play_game(start, seats, seat_limits, seed=self.seed, pair=pair, half=half, dice=dice)
        return SeatedGame(record, side, start.mover)

    def _number(self, pair: int, half: int) -> int:
        """The number of the start and of the dice."""
        return pair if self.schedule.shared else 2 * pair + half
