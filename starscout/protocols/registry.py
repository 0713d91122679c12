"""The protocols by name, and the players behind them: other programs, and engines that connect to us."""

import os
from dataclasses import dataclass

from starscout.game import Game, GameError
from starscout.protocols import gtp, lab, nboard, otp, tcg_ewn, tcg_raw
from starscout.protocols.process import Program, check_command
from starscout.protocols.protocol import Course, Protocol
from starscout.protocols.remote import RemotePlayer
from starscout.search.limits import Limit
from starscout.settings.schema import Depth, GameTime, Increment, Nodes, Simulations, Time

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (lab.PROTOCOL, tcg_ewn.PROTOCOL, tcg_raw.PROTOCOL, otp.PROTOCOL, nboard.PROTOCOL, gtp.PROTOCOL)
}


@dataclass(frozen=True)
class ProgramOptions:
    """What stands in brackets before a program's command: its own limits, its folder, what tells versions apart.

    `files` names more files or folders, with commas between them, whose content decides how the program plays; any
    other `version` makes it another player.
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
            raise ValueError(f"there is no folder {self.cwd[:200]!r}")

    @property
    def limit(self) -> Limit:
        """The program's own limit."""
        return Limit(self.time, self.clock, self.increment, self.depth, self.nodes, self.simulations)

    @property
    def folder(self) -> str | None:
        """The folder that the program runs in; None: ours."""
        return None if self.cwd is None else os.path.abspath(os.path.expanduser(self.cwd))

    @property
    def more_files(self) -> tuple[str, ...]:
        """The files that are named beside those of the command."""
        return tuple(filter(None, self.files.split(",")))

    def check_command(self, command: str) -> None:
        """Raise GameError when the program does not exist."""
        check_command(command, self.folder)


def find_protocol(name: str) -> Protocol:
    """The protocol of this name; raises GameError."""
    if name not in PROTOCOLS:
        raise GameError(f"there is no protocol {name!r} (known: {', '.join(PROTOCOLS)})")
    return PROTOCOLS[name]


def check_game(name: str, game: Game) -> None:
    """Raise GameError when the protocol is not about this game."""
    about = find_protocol(name).games
    if about and game.name not in about:
        raise GameError(f"the protocol {name} is for {' and '.join(about)}, not for {game.name}")


def course_of(game: Game) -> tuple[Protocol, Course]:
    """The protocol of the course that played a game, and what it fixed; raises GameError."""
    for protocol in PROTOCOLS.values():
        if game.name in protocol.courses:
            return protocol, protocol.courses[game.name]
    known = [name for protocol in PROTOCOLS.values() for name in protocol.courses]
    raise GameError(f"no course has played {game.name}: {', '.join(known)} (see: starscout match)")


def program_player(protocol: str, command: str, options: ProgramOptions, name: str) -> RemotePlayer:
    """The program behind a command as a player; it is started with its first game. Raises GameError."""
    player = find_protocol(protocol).player(name, Program(name, command, options.folder))
    player.limit = options.limit
    return player
