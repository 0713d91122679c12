"""The judge: waits until two engines have connected over TCP, and makes players of them."""

import contextlib
import secrets
from collections.abc import Iterable, Iterator

from starscout import games
from starscout.game import GameError
from starscout.players.player import PlayerError
from starscout.protocols.channel import Channel
from starscout.protocols.lab import LabPlayer
from starscout.protocols.listener import Listener
from starscout.protocols.otp import OtpPlayer
from starscout.protocols.programs import check_game
from starscout.protocols.remote import RemotePlayer, Visitor
from starscout.referee.rounds import Round

WAIT = {"otp": 10.0, "lab": 60.0}
"""Seconds in which both engines have to connect."""


class MissingEnginesError(Exception):
    """Fewer than two engines have come."""


class Judge:
    """Listens from the moment it is made; leaving the `with` block ends every connection."""

    def __init__(self, game: str, port: int, host: str, protocol: str | None, token: str | None) -> None:
        self.game = games.load(game)
        self.protocol = protocol or ("otp" if self.game.name == "othello" else "lab")
        if self.protocol not in WAIT:
            raise GameError(f"a judge speaks {' or '.join(WAIT)}, not {self.protocol!r}")
        check_game(self.protocol, self.game)
        if token is not None and (not token or token.split() != [token]):
            raise GameError(f"{token!r} is no token: one word without spaces")
        self._token = None if self.protocol == "otp" else token or secrets.token_urlsafe(9)
        self._listener = Listener(port, host)
        self._players: list[RemotePlayer] = []
        address = f"{host}:{self._listener.port}"
        secret = "" if self._token is None else f" --token {self._token}"
        self.invitation = (
            f"waiting at {address} for: starscout engine SPEC --protocol {self.protocol} --connect {address}{secret}"
        )

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        for player in self._players:
            player.close()

    def wait_for_players(self, seconds: float | None = None) -> tuple[RemotePlayer, RemotePlayer]:
        """The two engines that came first, in their order; raises MissingEnginesError."""
        seconds = WAIT[self.protocol] if seconds is None else seconds
        channels = self._listener.visitors(2, seconds, self._token)
        self._players = [self._player(channel) for channel in channels]
        if len(channels) < 2:
            raise MissingEnginesError(f"only {len(channels)} of 2 engines connected within {seconds:g} s")
        for player in self._players:
            if isinstance(player, OtpPlayer):
                # Whoever does not even tell its name loses its first round.
                with contextlib.suppress(PlayerError):
                    player.new_game(self.game, 0)
                    player.name = player.engine_name
        return self._players[0], self._players[1]

    def until_deserted(self, rounds: Iterable[Round]) -> Iterator[Round]:
        """The rounds, as long as one of the engines is still there."""
        for played in rounds:
            yield played
            if all(player.gone for player in self._players):
                break

    def _player(self, channel: Channel) -> RemotePlayer:
        if self.protocol == "lab":
            return LabPlayer(channel.name, Visitor(channel))
        player = OtpPlayer(channel.name, Visitor(channel))
        player.newlines = False
        return player
