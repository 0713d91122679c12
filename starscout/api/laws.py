"""`starscout.laws`: does a game keep the laws that every search relies on?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.positions import given_game
from starscout.api.result import Result
from starscout.evaluation.laws import check_knowledge
from starscout.game import Game
from starscout.game.laws import LawBrokenError, check_laws
from starscout.settings.arguments import checked

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class LawsResult(Result):
    """Whether a game keeps every law; if not, which one it breaks, and where.

    >>> laws("othello-4x4", games=2).holds
    True
    """

    game: str
    holds: bool
    why: str = ""
    """The law that is broken, with a position that shows it."""
    games: int = 0
    positions: int = 0
    longest: int = 0
    """Plies of the longest game."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout laws --json`."""
        names = ("games", "positions") if self.holds else ("why",)
        return {name: getattr(self, name) for name in ("game", "holds", *names)}

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [dict(vars(self))]

    def __rich__(self) -> "RenderableType":
        if not self.holds:
            return f"broken: {self.why}"
        return (
            f"{self.game} keeps every law: {self.positions:,} positions of {self.games} games, "
            f"the longest of {self.longest} plies"
        )


@checked()
def laws(game: str | Game, *, games: int = 20, seed: int = 0) -> LawsResult:
    """Check the laws of a game along random games; raises GameError for a game that cannot be loaded.

    >>> print(laws("othello-4x4", games=2, seed=1))
    othello-4x4 keeps every law: ... positions of 2 games, the longest of ... plies
    """
    rules = given_game(game)
    try:
        report = check_laws(rules, games, seed)
        if rules.knowledge is not None:
            check_knowledge(rules, games, seed)
    except LawBrokenError as error:
        return LawsResult(rules.name, holds=False, why=str(error))
    return LawsResult(rules.name, True, "", report.games, report.positions, report.longest)
