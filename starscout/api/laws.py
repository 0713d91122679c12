"""`starscout.laws`: check the invariants that every search depends on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.games import given_game
from starscout.api.result import Result
from starscout.evaluation.laws import check_knowledge
from starscout.game import Game
from starscout.game.laws import LawBrokenError, check_laws
from starscout.settings.arguments import checked
from starscout.settings.schema import Games, Seed

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class LawsResult(Result):
    """Whether a game satisfies every law; if not, which law is violated, and where.

    >>> laws("othello-4x4", games=2).holds
    True
    """

    game: str
    holds: bool
    why: str = ""
    """The violated law, with a position that shows the violation."""
    games: int = 0
    positions: int = 0
    longest: int = 0
    """Length of the longest game, in plies."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout laws --json`."""
        names = ("games", "positions") if self.holds else ("why",)
        return {name: getattr(self, name) for name in ("game", "holds", *names)}

    def __rich__(self) -> "RenderableType":
        if not self.holds:
            return f"violated: {self.why}"
        return (
            f"{self.game} satisfies every law: {self.positions:,} positions of {self.games} games, "
            f"the longest with {self.longest} plies"
        )


@checked
def laws(game: str | Game, *, games: Games = 20, seed: Seed = 0) -> LawsResult:
    """Check the laws of a game in random games; raises GameError if the game cannot be loaded.

    >>> print(laws("othello-4x4", games=2, seed=1))
    othello-4x4 satisfies every law: ... positions of 2 games, the longest with ... plies
    """
    rules = given_game(game)
    try:
        report = check_laws(rules, games, seed)
        if rules.knowledge is not None:
            check_knowledge(rules, games, seed)
    except LawBrokenError as error:
        return LawsResult(rules.name, holds=False, why=str(error))
    return LawsResult(rules.name, True, "", report.games, report.positions, report.longest)
