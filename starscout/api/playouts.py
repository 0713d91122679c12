"""`starscout.playouts`: random games by the clock."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.ctrl_c import interruptible_kernels
from starscout.api.positions import given_game
from starscout.api.progress import progress_bar
from starscout.api.result import Picture, PlottedResult
from starscout.drawing import charts
from starscout.game import Game
from starscout.search.random_games import play_random_for
from starscout.settings.arguments import checked

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class PlayoutsResult(PlottedResult):
    """Random games: how many, how fast, how long, and how often the first mover wins.

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
    """The part of the games that the side to move first wins."""
    draws: float
    """The part of the games that nobody wins."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout playouts --json`."""
        names = ("playouts", "seconds", "per_second", "mean_plies", "first_mover_wins")
        return {name: getattr(self, name) for name in names}

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [dict(vars(self))]

    def plot(self) -> Picture:
        """How often each side wins, and how often nobody does."""
        parts = {"first mover": self.first_mover_wins, "draw": self.draws}
        parts["second mover"] = 1.0 - sum(parts.values())
        return Picture(charts.chance_bars(list(parts), list(parts.values())))

    def __rich__(self) -> "RenderableType":
        draws = f", {self.draws:.1%} draws" if self.draws else ""
        return (
            f"{self.playouts:,} random games of {self.game} in {self.seconds:.2f} s: "
            f"{self.per_second:,.0f} per second, {self.mean_plies:.2f} plies on average, "
            f"the first mover wins {self.first_mover_wins:.1%}{draws}"
        )


@checked()
def playouts(
    game: str | Game, *, seconds: float = 1.0, threads: int = 1, seed: int = 0, progress: bool = True
) -> PlayoutsResult:
    """Play random games for some seconds; `seed` numbers the sequence of games. Raises GameError.

    >>> playouts("ewn-3x3-3", seconds=0.01, seed=5).mean_plies > 3
    True
    """
    rules = given_game(game)
    with interruptible_kernels(), progress_bar("playing", shown=progress) as show:
        totals, taken = play_random_for(rules, seed, seconds, threads, show)
    count = totals.games
    wins, draws = totals.wins / count, totals.draws / count
    return PlayoutsResult(rules.name, count, taken, count / taken, totals.plies / count, wins, draws)
