"""What a protocol says about itself: its games, its line ends, both its sides, and the rules of its course."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol as Structure

from starscout.game import Game
from starscout.players.player import Player
from starscout.protocols.remote import Link, RemotePlayer
from starscout.protocols.wire import Wire
from starscout.referee.series import Schedule
from starscout.search.limits import Limit


@dataclass(frozen=True)
class Course:
    """How a course played a game: the limit of each side, and the schedule of its rounds."""

    limit: Limit
    schedule: Schedule


@dataclass(frozen=True)
class EngineSeat:
    """What an engine of ours is told before it speaks."""

    name: str
    limit: Limit | None = None
    """For each move, where the protocol does not say; None: what the protocol's referees allow."""
    game: Game | None = None
    token: str | None = None
    """The judge's token; None on standard input and output."""


class Engine(Structure):
    """The engine's side of a protocol."""

    def serve(self) -> None:
        """Answer until the referee is finished."""
        ...


@dataclass(frozen=True)
class Protocol:
    """One protocol, both sides."""

    name: str
    player: Callable[[str, Link], RemotePlayer]
    """The referee's side: a player behind a link."""
    engine: Callable[[Player, Wire, EngineSeat], Engine]
    """The engine's side: a player of ours that answers a referee."""
    games: tuple[str, ...] = ()
    """The games it is for; empty: any."""
    newlines: bool = True
    """Whether messages end with a line end on standard input and output."""
    newlines_over_tcp: bool = True
    connects: bool = False
    """Whether it is spoken over TCP too."""
    token: bool = False
    """Whether visitors introduce themselves with a token."""
    starts_anywhere: bool = True
    """Whether a game may begin at a position that is not a start of the game."""
    says_ready: bool = True
    """Whether an engine can say that it is ready before any clock runs."""
    process_per_game: bool = False
    """Whether a referee starts a new process for every game: what it compiles must outlive it."""
    wait: float = 60.0
    """Seconds in which the engines have to connect to a judge."""
    usual: Limit = Limit(time=10.0)  # noqa: RUF009 (Limit is frozen)
    """The limit of each side where neither a course nor a person says anything."""
    courses: Mapping[str, Course] = field(default_factory=dict)
    """Game → how its course played it."""

    def limit_of(self, game: Game) -> Limit:
        """The limit of each side in a game."""
        return self.courses[game.name].limit if game.name in self.courses else self.usual
