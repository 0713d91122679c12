"""The judge: waits until engines have connected over TCP, and makes players of them."""

import secrets
from collections.abc import Callable

from starscout import games
from starscout.game import GameError, WorkError
from starscout.players.player import Player
from starscout.protocols.listener import Listener
from starscout.protocols.protocol import Course, Protocol
from starscout.protocols.registry import PROTOCOLS, check_game
from starscout.protocols.remote import RemotePlayer, Visitor
from starscout.referee.series import Schedule


class MissingEnginesError(WorkError):
    """Fewer engines have connected than were waited for."""


class Judge:
    """Listens from the moment it is made; leaving the `with` block ends every connection."""

    def __init__(self, game: str, port: int, host: str, protocol: str | None, token: str | None) -> None:
        self.game = games.load(game)
        self.protocol = _spoken(protocol or self._usual_protocol())
        check_game(self.protocol.name, self.game)
        if token is not None and (not token or token.split() != [token]):
            raise GameError(f"{token!r} is not a token: one word without spaces")
        self._token = (token or secrets.token_urlsafe(9)) if self.protocol.token else None
        self._listener = Listener(port, host)
        self._players: list[RemotePlayer] = []
        address = f"{host}:{self._listener.port}"
        secret = "" if self._token is None else f" --token {self._token}"
        name = self.protocol.name
        self.invitation = (
            f"waiting at {address} for: starscout engine SPEC --protocol {name} --connect {address}{secret}"
        )

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        for player in self._players:
            player.close()

    @property
    def course(self) -> Course:
        """The limit and the schedule of its games: the course's, where the protocol has one for the game."""
        usual = Course(self.protocol.usual, Schedule(shuffled=False))
        return self.protocol.courses.get(self.game.name, usual)

    def wait_for_players(
        self, count: int, seconds: float | None = None, tell: Callable[[str], None] | None = None
    ) -> list[Player]:
        """The engines that came first, in their order, each with a name of its own; raises MissingEnginesError.

        `tell` gets a sentence about each that is turned away.
        """
        seconds = self.protocol.wait if seconds is None else seconds
        channels = self._listener.visitors(count, seconds, self._token, tell)
        self._players = [self.protocol.player(channel.name, Visitor(channel)) for channel in channels]
        if len(channels) < count:
            raise MissingEnginesError(f"only {len(channels)} of {count} engines connected within {seconds:g} s")
        return list(self._players)

    def _usual_protocol(self) -> str:
        """The protocol of the game's course if it is spoken over TCP, else lab."""
        courses = (p.name for p in PROTOCOLS.values() if p.connects and self.game.name in p.courses)
        return next(courses, "lab")


def _spoken(name: str) -> Protocol:
    spoken = [protocol.name for protocol in PROTOCOLS.values() if protocol.connects]
    if name not in spoken:
        raise GameError(f"a judge speaks {' or '.join(spoken)}, not {name!r}")
    return PROTOCOLS[name]
