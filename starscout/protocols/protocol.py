"""Description of a protocol: games, framing, both sides and the rules of its course."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol as Structure

from starscout.game import Game
from starscout.players.player import Player
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine_options import EngineOption
from starscout.protocols.remote_player import RemotePlayer, Transport
from starscout.referee.series import Schedule
from starscout.search.limits import Limit


@dataclass(frozen=True)
class Course:
    """The rules of a course for one game: the limits of each side and the schedule of its rounds."""

    limit: Limit
    schedule: Schedule
    memory: int | None = None
    """Megabytes of address space per engine; None: the limit of isolated programs."""


@dataclass(frozen=True)
class EngineSettings:
    """Settings of a player that is served as an engine."""

    name: str
    limit: Limit | None = None
    """Limit per move if the protocol sends none; None: that of the protocol's referees."""
    game: Game | None = None
    token: str | None = None
    """The judge's token; None over standard input and output."""


@dataclass(frozen=True)
class Exchange:
    """A question of the referee and the form of its answer, for the diagnosis of engines that do not work."""

    question: str
    """Pattern of the line that the referee sends."""
    answer: str
    """Pattern of the line that answers it."""
    example: str
    """An answer; `{}` is replaced by the move."""
    move: str = ""
    """Pattern of a move in the answer; empty if the question does not ask for a move."""


class Engine(Structure):
    """The engine's side of a protocol."""

    def serve(self) -> None:
        """Answer until the referee ends the session."""
        ...


class RefereeProgram(Structure):
    """A referee program that a match script controls by commands."""

    def serve(self, connection: RefereeConnection) -> None:
        """Answer commands until the script ends the session."""
        ...


@dataclass(frozen=True)
class Protocol:
    """One protocol with both of its sides."""

    name: str
    player: Callable[[str, Transport], RemotePlayer]
    """The referee's side: an engine as a player."""
    engine: Callable[[Player, RefereeConnection, EngineSettings], Engine]
    """The engine's side: a player served to a referee."""
    games: tuple[str, ...] = ()
    """The games that it supports; empty: any."""
    newlines: bool = True
    """Whether messages end with a newline over standard input and output."""
    newlines_over_tcp: bool = True
    connects: bool = False
    """Whether it also works over TCP."""
    token: bool = False
    """Whether engines that connect over TCP log in with a token."""
    starts_anywhere: bool = True
    """Whether a game may begin at any position."""
    says_ready: bool = True
    """Whether an engine can report that it is ready before any clock runs."""
    options: tuple[EngineOption, ...] | None = ()
    """The options of every engine; None: each engine announces its own."""
    process_per_game: bool = False
    """Whether referees start a process per game, so that compilation must outlive it."""
    exchanges: tuple[Exchange, ...] = ()
    """The questions that an engine has to answer, in the order of a game."""
    remarks: str = "(?!)"
    """Pattern of lines that an engine may send besides its answers."""
    wait: float = 60.0
    """Seconds that a judge waits for engines to connect."""
    usual: Limit = Limit(time=10.0)  # noqa: RUF009 (Limit is frozen)
    """The default limit of each side."""
    courses: Mapping[str, Course] = field(default_factory=dict)
    """The rules of the course of each game."""
    referee: Callable[[int | None], RefereeProgram] | None = None
    """(seed) → the course's referee program; None if the course has none."""

    def limit_of(self, game: Game) -> Limit:
        """The limit of each side in a game."""
        return self.courses[game.name].limit if game.name in self.courses else self.usual
