"""`starscout.playouts`: play random games and measure their rate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.games import given_game
from starscout.api.interrupt import interruptible_kernels
from starscout.api.progress import progress_bar
from starscout.api.result import Picture, PlottedResult
from starscout.drawing import charts
from starscout.game import Game
from starscout.search.random_games import play_random_for
from starscout.settings.arguments import checked
from starscout.settings.schema import Progress, Seconds, Seed, Threads

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class PlayoutsResult(PlottedResult):
    """Random games: number, rate, mean length, and share won by the first mover.

    >>> played = playouts("ewn-3x3-3", seconds=0.01)
    >>> played.game, played.playouts > 0, 0 <= played.first_mover_wins <= 1
    ('ewn-3x3-3', True, True)
    """

    game: str
    playouts: int
    seconds: float
    per_second: float
    mean_plies: float
    first_mover_wins: float
    """Share of games won by the side that moves first."""
    draws: float
    """Share of drawn games."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout playouts --json`."""
        names = ("playouts", "seconds", "per_second", "mean_plies", "first_mover_wins")
        return {name: getattr(self, name) for name in names}

    def plot(self) -> Picture:
        """Plot the shares of wins and draws."""
        parts = {"first mover": self.first_mover_wins, "draw": self.draws}
        parts["second mover"] = 1.0 - sum(parts.values())
        return Picture(charts.probability_bars(list(parts), list(parts.values())))

    def __rich__(self) -> "RenderableType":
        draws = f", {self.draws:.1%} draws" if self.draws else ""
        return (
            f"{self.playouts:,} random games of {self.game} in {self.seconds:.2f} s: "
            f"{self.per_second:,.0f} per second, {self.mean_plies:.2f} plies on average, "
            f"the first mover wins {self.first_mover_wins:.1%}{draws}"
        )


@checked
def playouts(
    game: str | Game, *, seconds: Seconds = 1.0, threads: Threads = 1, seed: Seed = 0, progress: Progress = True
) -> PlayoutsResult:
    """Play random games for `seconds`; `seed` selects the sequence of games. Raises GameError.

    >>> playouts("ewn-3x3-3", seconds=0.01, seed=5).mean_plies > 3
    True
    """
    rules = given_game(game)
    with interruptible_kernels(), progress_bar("playing", shown=progress) as show:
        totals, taken = play_random_for(rules, seed, seconds, threads, show)
    count = totals.games
    wins, draws = totals.wins / count, totals.draws / count
    return PlayoutsResult(rules.name, count, taken, count / taken, totals.plies / count, wins, draws)
