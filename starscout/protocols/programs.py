"""Other programs as players: `lab:./engine`, `tcg-ewn:./agent`, `otp:./search`, `nboard:edax -nboard`."""

import importlib

from starscout.game import Game, GameError
from starscout.players.player import Player
from starscout.protocols.remote import Link, Program, RemotePlayer

ADAPTERS = {
    "lab": ("starscout.protocols.lab", "LabPlayer", ()),
    "tcg-ewn": ("starscout.protocols.tcg_ewn", "TcgEwnPlayer", ("ewn",)),
    "tcg-raw": ("starscout.protocols.tcg_raw", "TcgRawPlayer", ("ewn-cyclic", "kari")),
    "otp": ("starscout.protocols.otp", "OtpPlayer", ("othello",)),
    "nboard": ("starscout.protocols.nboard", "NboardPlayer", ("othello",)),
}
"""Protocol → module, class, and the games that it is about (none: any)."""


def make(protocol: str, command: str, game: Game) -> Player:
    """The program behind `command` as a player; it is started with its first game. Raises GameError."""
    check_game(protocol, game)
    name = f"{protocol}:{command.strip()}"
    return remote_player(protocol, name, Program(name, command))


def check_game(protocol: str, game: Game) -> None:
    """Raise GameError when the protocol is not about this game."""
    if protocol not in ADAPTERS:
        raise GameError(f"there is no protocol {protocol!r} (known: {', '.join(ADAPTERS)})")
    about = ADAPTERS[protocol][2]
    if about and game.name not in about:
        raise GameError(f"the protocol {protocol} is for {' and '.join(about)}, not for {game.name}")


def remote_player(protocol: str, name: str, link: Link) -> RemotePlayer:
    """A player that speaks the protocol over the link."""
    module, kind, _ = ADAPTERS[protocol]
    return getattr(importlib.import_module(module), kind)(name, link)
