"""Search limits: time, clock, depth, nodes and simulations."""

from dataclasses import dataclass

from starscout.settings.schema import Depth, GameTime, Increment, Nodes, Simulations, Time


@dataclass(frozen=True)
class Limit:
    """Search limits; the first one reached ends the search. None means no limit of that kind.

    >>> print(Limit(time=0.1, depth=8))
    0.1 s per move, 8 plies
    """

    time: Time | None = None
    """Seconds for this move."""
    clock: GameTime | None = None
    """Seconds that the mover has left for the rest of the game."""
    increment: Increment = 0.0
    """Seconds added to the mover's clock after each move."""
    depth: Depth | None = None
    """Plies; a roll and its move are one ply, and two layers of report 002."""
    nodes: Nodes | None = None
    """Nodes of an alpha-beta search."""
    simulations: Simulations | None = None
    """Simulations of a Monte-Carlo search."""

    def __str__(self) -> str:
        """Format the limit, like `0.1 s per move, 8 plies`; empty if there is none."""
        times = (self.time, "move"), (self.clock, "game")
        said = [f"{seconds:g} s per {what}" for seconds, what in times if seconds is not None]
        counts = (
            (self.depth, "ply", "plies"),
            (self.nodes, "node", "nodes"),
            (self.simulations, "simulation", "simulations"),
        )
        said += [f"{count} {one if count == 1 else many}" for count, one, many in counts if count is not None]
        return ", ".join(said)
