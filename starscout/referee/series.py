"""Series of games: game n depends only on the seed, the schedule and n.

Games come in pairs: the players exchange seats between game 2k and game 2k + 1. The schedule has three switches:

    shared    both games have the same start and dice, so that luck cancels (matches);
              otherwise each has its own start and dice (the courses of ewn, ewn-cyclic and kari)
    swapped   the players exchange sides;
              otherwise they keep their sides and the first mover alternates (the ewn course, Swiss tournaments)
    shuffled  the seed determines which game of a pair is played first;
              otherwise game 2k is played first
"""

from collections.abc import Callable
from dataclasses import dataclass

from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError
from starscout.game.state import State, from_position
from starscout.players.player import Limits, Players
from starscout.records.packed import SeatedGame
from starscout.referee.adjudication import Adjudication
from starscout.referee.game_in_progress import GameInProgress, play_game
from starscout.referee.opening_book import RANDOM_ORDER, book_start
from starscout.referee.openings import first_half, series_start


@dataclass(frozen=True)
class Schedule:
    """How the two games of a pair are related; see the module's docstring."""

    shared: bool = True
    swapped: bool = True
    shuffled: bool = True


@dataclass(frozen=True)
class Series:
    """The starts, seats and dice of the games between players A and B."""

    game: Game
    seed: int = 0
    schedule: Schedule = Schedule()
    opening_plies: int = 0
    """Random plies before a game begins."""
    value: Callable[[State], float] | None = None
    """Value function for balanced openings: the mover's expected result; None: any opening."""
    book: tuple[State, ...] = ()
    """Starts of an opening book; empty: the starts of the game."""
    book_order: str = RANDOM_ORDER
    """Order of the book: one of ORDERS."""
    adjudication: Adjudication | None = None
    arrange: Callable[[State, Players], State] | None = None
    """Hook by which the players of the two sides change the start before a game."""

    def __post_init__(self) -> None:
        if not self.schedule.swapped and self.game.other_side_first is None:
            raise GameError(f"the same side always moves first in {self.game.name}: the players must exchange sides")

    def order(self, pair: int) -> tuple[int, int]:
        """The two halves of a pair in playing order."""
        first = first_half(self.seed, pair) if self.schedule.shuffled else 0
        return first, 1 - first

    def side(self, half: int) -> int:
        """The side of player A."""
        return half if self.schedule.swapped else 0

    def start(self, pair: int, half: int) -> State:
        """The start of a game, before its roll."""
        number = self._number(pair, half)
        if self.book:
            return book_start(self.book, self.book_order, self.seed, number)
        start = series_start(self.game, self.seed, number, self.opening_plies, self.value)
        if half == 0 or self.schedule.swapped or self.game.other_side_first is None:
            return start
        return from_position(self.game, self.game.other_side_first(start.position))

    def play(self, pair: int, half: int, players: Players, limits: Limits) -> SeatedGame:
        """Play one game; players and limits are those of A and B."""
        side, start = self.side(half), self.start(pair, half)
        seats = players if side == 0 else (players[1], players[0])
        if self.arrange is not None:
            start = self.arrange(start, seats)
        start = _set_up(start, seats)
        seat_limits = limits if side == 0 else (limits[1], limits[0])
        dice = self._number(pair, half)
        record = play_game(
            start, seats, seat_limits, seed=self.seed, pair=pair, half=half, dice=dice, adjudication=self.adjudication
        )
        movers = () if self.game.alternating else tuple(record.movers())
        return SeatedGame(record, side, start.mover, movers=movers)

    def forfeited(self, pair: int, half: int, players: Players, loser: int, detail: str) -> SeatedGame:
        """The game that a player (0: A, 1: B) lost by a crash that also ended the referee."""
        side, start = self.side(half), self.start(pair, half)
        seats = players if side == 0 else (players[1], players[0])
        game = GameInProgress(
            _set_up(start, seats), seats, seed=self.seed, pair=pair, half=half, dice=self._number(pair, half)
        )
        game.forfeit(side if loser == 0 else 1 - side, "crash", detail)
        return SeatedGame(game.record(), side, start.mover)

    def _number(self, pair: int, half: int) -> int:
        """The number of the start and of the dice."""
        return pair if self.schedule.shared else 2 * pair + half


def _set_up(start: State, seats: Players) -> State:
    """Put the pieces of players with a `placement` on their squares."""
    for side, player in enumerate(seats):
        set_up = knowledge_of(start.game).set_up if player.placement else None
        if set_up is not None:
            start = set_up(start, side, player.placement)
    return start
