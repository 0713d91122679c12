"""Registry of the protocols, and programs as players."""

import os
from dataclasses import dataclass

from starscout.game import Game, GameError
from starscout.protocols import gtp, lab, nboard, otp, tcg_dark, tcg_ewn, tcg_raw
from starscout.protocols.process import PORT, Program, check_command
from starscout.protocols.protocol import Course, Protocol
from starscout.protocols.remote_player import RemotePlayer
from starscout.search.limits import Limit
from starscout.settings.schema import Depth, GameTime, Increment, Nodes, Simulations, Time

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        lab.PROTOCOL,
        tcg_ewn.PROTOCOL,
        tcg_raw.PROTOCOL,
        tcg_dark.PROTOCOL,
        otp.PROTOCOL,
        nboard.PROTOCOL,
        gtp.PROTOCOL,
    )
}


@dataclass(frozen=True)
class ProgramOptions:
    """Options of a program, in brackets before its command.

    `files`: comma-separated files or folders whose content identifies the program, besides those of its command.
    `version`: programs with different values are different players.
    """

    time: Time | None = None
    clock: GameTime | None = None
    increment: Increment = 0.0
    depth: Depth | None = None
    nodes: Nodes | None = None
    simulations: Simulations | None = None
    cwd: str | None = None
    files: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        if self.cwd is not None and not os.path.isdir(os.path.expanduser(self.cwd)):
            raise ValueError(f"no such folder: {self.cwd[:200]!r}")

    @property
    def limit(self) -> Limit:
        """The program's own limit."""
        return Limit(self.time, self.clock, self.increment, self.depth, self.nodes, self.simulations)

    @property
    def folder(self) -> str | None:
        """The working directory of the program; None: the current one."""
        return None if self.cwd is None else os.path.abspath(os.path.expanduser(self.cwd))

    @property
    def more_files(self) -> tuple[str, ...]:
        """The additional files that identify the program."""
        return tuple(filter(None, self.files.split(",")))

    def check_command(self, command: str) -> None:
        """Raise GameError if the program does not exist."""
        check_command(command, self.folder)


def find_protocol(name: str) -> Protocol:
    """Find a protocol by name; raises GameError."""
    if name not in PROTOCOLS:
        raise GameError(f"there is no protocol {name!r} (known: {', '.join(PROTOCOLS)})")
    return PROTOCOLS[name]


def check_game(name: str, game: Game) -> None:
    """Raise GameError if the protocol does not support the game."""
    supported = find_protocol(name).games
    if supported and game.name not in supported:
        raise GameError(f"the protocol {name} is for {' and '.join(supported)}, not for {game.name}")


def course_of(game: Game) -> tuple[Protocol, Course]:
    """The protocol and the rules of the course of a game; raises GameError."""
    for protocol in PROTOCOLS.values():
        if game.name in protocol.courses:
            return protocol, protocol.courses[game.name]
    known = [name for protocol in PROTOCOLS.values() for name in protocol.courses]
    raise GameError(f"no course has played {game.name}: {', '.join(known)} (see: starscout match)")


def program_player(protocol: str, command: str, options: ProgramOptions, name: str) -> RemotePlayer:
    """A program as a player; the program is started with its first game. Raises GameError."""
    if PORT in command and not find_protocol(protocol).connects:
        names = " and ".join(name for name, other in PROTOCOLS.items() if other.connects)
        raise GameError(f"{command}: engines of {protocol} do not connect over TCP: {PORT} is for {names}")
    player = find_protocol(protocol).player(name, Program(name, command, options.folder, options.more_files))
    player.limit = options.limit
    return player
