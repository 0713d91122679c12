"""Adjudication: end a game before the rules do, by agreed evaluation or by its length. Off by default."""

from collections.abc import Sequence
from dataclasses import dataclass

from starscout.game import Outcome
from starscout.records.record import AGREED_VALUE, PLY_LIMIT, Ply
from starscout.settings.schema import AdjudicatePlies, AdjudicateValue, MaxPlies


@dataclass(frozen=True)
class Adjudication:
    """When to end a game early.

    >>> Adjudication(value=0.95, plies=6).active
    True
    """

    value: AdjudicateValue | None = None
    """A side wins if both players report at least this expected result for it; None: never."""
    plies: AdjudicatePlies = 8
    """Number of successive plies for which they must agree."""
    max_plies: MaxPlies | None = None
    """The game is drawn after this many plies; None: never."""

    @property
    def active(self) -> bool:
        """Whether any game can be adjudicated."""
        return self.value is not None or self.max_plies is not None

    def outcome(self, plies: Sequence[Ply], movers: Sequence[int]) -> Outcome | None:
        """The result of a game that is not over after these plies; None if it continues.

        Both sides must have reported a value in the last plies.
        """
        last, sides = plies[-self.plies :], movers[-self.plies :]
        if self.value is not None and len(last) == self.plies and len(set(sides)) == 2:
            for winner in (0, 1):
                values = [
                    None if ply.value is None else ply.value if side == winner else -ply.value
                    for ply, side in zip(last, sides, strict=True)
                ]
                if all(value is not None and value >= self.value for value in values):
                    return Outcome(winner, AGREED_VALUE)
        if self.max_plies is not None and len(plies) >= self.max_plies:
            return Outcome(None, PLY_LIMIT)
        return None
