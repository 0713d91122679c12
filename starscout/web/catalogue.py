"""What a page may name: the games and the players that the server was started with, and nothing else.

A page sends names. No name is ever read as a file, as a program or as options: it is looked up here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starscout import games
from starscout.drawing.svg import board_svg
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError
from starscout.game.state import start
from starscout.players.spec import default_player, describe, presets_of
from starscout.search.limits import Limit
from starscout.settings.options import nearest
from starscout.web.message import Message

LONGEST_TIME, MOST_SIMULATIONS, DEEPEST = 60.0, 1_000_000, 20
DEFAULT_LEVEL = Limit(time=1.0)

SEARCHES = ("negascout", "mcts")
"""The searches that play every game."""


@dataclass(frozen=True)
class Offer:
    """A player that a page may choose: its name there and its description."""

    name: str
    spec: str
    description: str
    local: bool = True
    """Whether it is one of ours; programs cannot be asked about any position."""


class Catalogue:
    """The games and players of a server."""

    def __init__(self, files: Sequence[str] = (), players: Sequence[str] = ()) -> None:
        loaded = [*((name, games.load(name)) for name in games.NAMES), *((file, games.load(file)) for file in files)]
        self._games = {game.name: game for _, game in loaded}
        self._commands = {game.name: name for name, game in loaded}
        self._pictures = {game.name: board_svg(start(game)) for _, game in loaded}
        self._players = {game.name: _offers(game, players) for _, game in loaded}
        for spec in players:
            if not any(offer.spec == spec for offers in self._players.values() for offer in offers.values()):
                why = "; ".join(dict.fromkeys(_refusal(spec, game) for _, game in loaded))
                raise GameError(f"the player {spec!r} plays none of the games of this server: {why}")

    def game(self, name: str) -> Game:
        """The game of this name; raises GameError."""
        if name not in self._games:
            raise GameError(f"there is no game {name[:60]!r} here{nearest(name[:60], self._games)}")
        return self._games[name]

    def known_game(self, name: str) -> Game:
        """The game of this name, other sizes of the built-in games included; raises GameError."""
        return self._games[name] if name in self._games else games.find(name)

    def command_name(self, game: Game) -> str:
        """How the command line calls a game: its name, or the file that the server was started with."""
        return self._commands[game.name]

    def player(self, game: Game, name: str) -> Offer:
        """The player of this name; raises GameError."""
        offers = self._players.get(game.name) or _offers(game, ())
        if name not in offers:
            raise GameError(f"there is no player {name[:60]!r} for {game.name} here{nearest(name[:60], offers)}")
        return offers[name]

    def to_json(self) -> list[dict[str, Any]]:
        """The games with their players, for the page."""
        return [
            {
                "name": game.name,
                "title": game.title,
                "description": game.description,
                "picture": self._pictures[game.name],
                "sides": list(game.sides),
                "rows": game.rows,
                "columns": game.columns,
                "dice": game.dice,
                "faces": game.faces,
                "placement": knowledge_of(game).free_placement,
                "either_first": game.other_side_first is not None,
                "default": default_player(game),
                "players": [
                    {"name": offer.name, "description": offer.description, "local": offer.local}
                    for offer in self._players[game.name].values()
                ],
            }
            for game in self._games.values()
        ]


def _offers(game: Game, players: Sequence[str]) -> dict[str, Offer]:
    """The presets of a game, the searches with their defaults, and those of `players` that play it."""
    offers = [Offer(preset.name, preset.name, preset.description) for preset in presets_of(game)]
    known = {offer.name for offer in offers}
    for kind in SEARCHES:
        if kind not in known:
            offers.append(Offer(kind, kind, f"the search `{kind}` with its defaults"))
    for spec in players:
        if not _refusal(spec, game):
            offers.append(Offer(spec, spec, "a player of this server", describe(spec, game).command is None))
    return {offer.name: offer for offer in offers}


def _refusal(spec: str, game: Game) -> str:
    """Why a player cannot play a game; empty when it can."""
    try:
        describe(spec, game)
    except GameError as error:
        return str(error)
    return ""


def read_level(message: Message) -> Limit:
    """How strong an opponent plays: by `time`, `simulations` or `depth`; raises GameError."""
    time = message.optional_number("time", 0.01, LONGEST_TIME)
    simulations = message.fields.get("simulations") and message.whole("simulations", 1, MOST_SIMULATIONS)
    depth = message.fields.get("depth") and message.whole("depth", 1, DEEPEST)
    level = Limit(time=time, simulations=simulations or None, depth=depth or None)
    if level == Limit():
        return DEFAULT_LEVEL
    # A search that counts something else still ends.
    return Limit(time or LONGEST_TIME, None, 0.0, level.depth, None, level.simulations)
