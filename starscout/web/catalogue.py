"""The games and players that a page may choose: those that the server was started with.

Names from a page are only looked up here. They are never used as a path, a program or options.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from starscout import games
from starscout.api.games import list_games, load, start
from starscout.api.players import list_players
from starscout.drawing.svg import board_svg
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError
from starscout.players.spec import check_class, default_player, describe
from starscout.search.limits import Limit
from starscout.settings.options import nearest
from starscout.settings.schema import Depth, Simulations, Time
from starscout.web.board import goals_of, is_turned
from starscout.web.message import Message

MAX_TIME, MAX_SIMULATIONS, MAX_DEPTH = 60.0, 1_000_000, 20
DEFAULT_LEVEL = Limit(time=1.0)

SEARCHES = ("negascout", "mcts")
"""Searches that can play every game."""


@dataclass(frozen=True)
class Offer:
    """A player that a page may choose."""

    name: str
    spec: str
    description: str
    local: bool = True
    """Whether the player runs in this process; external programs cannot analyse arbitrary positions."""


@dataclass(frozen=True)
class Level:
    """A level of the page: options of the game's default player, or another player."""

    options: str
    description: str
    player: str = ""
    """Empty: the game's default player."""
    seconds: float = 0.5
    """Maximum seconds per move."""
    rough: bool = False
    """Whether its rating comes from at most 10 pairs against the level below in most games."""


LEVELS = (
    Level("", "moves at random", "random"),
    Level("depth=1", "looks one move ahead"),
    Level("depth=2", "looks two moves ahead"),
    Level("depth=3", "looks three moves ahead"),
    Level("nodes=3000", "searches 3,000 positions per move"),
    Level("nodes=30000", "searches 30,000 positions per move", seconds=2.0, rough=True),
    Level("nodes=300000", "searches 300,000 positions per move", seconds=5.0, rough=True),
    Level("", "thinks for two seconds per move", seconds=2.0, rough=True),
)
"""The levels 1 to 8."""
LEVEL_NAME = "level {}"


class Catalogue:
    """The games and players of a server."""

    def __init__(self, files: Sequence[str] = (), players: Sequence[str] = ()) -> None:
        names = [game["name"] for game in list_games().games]
        loaded = [(name, load(name)) for name in (*names, *files)]
        self._games = {game.name: game for _, game in loaded}
        self._commands = {game.name: name for name, game in loaded}
        self._pictures = {game.name: board_svg(start(game), goals=goals_of(game)) for _, game in loaded}
        self._players = {game.name: _offers(game, players) for _, game in loaded}
        for spec in players:
            if not any(offer.spec == spec for offers in self._players.values() for offer in offers.values()):
                reasons = "; ".join(dict.fromkeys(_rejection(spec, game) for _, game in loaded))
                raise GameError(f"the player {spec!r} cannot play any game of this server: {reasons}")

    def game(self, name: str) -> Game:
        """Look up a game; raises GameError."""
        if name not in self._games:
            raise GameError(
                f"no game {name[:60]!r} on this server{nearest(name[:60], self._games)}",
                code="unknown_game", name=name[:60],
            )  # fmt: skip
        return self._games[name]

    def known_game(self, name: str) -> Game:
        """Look up a game, including other sizes of the built-in games; raises GameError."""
        return self._games[name] if name in self._games else games.find(name)

    def command_name(self, game: Game) -> str:
        """The argument that names a game on the command line: its name or its file."""
        return self._commands[game.name]

    def player(self, game: Game, name: str) -> Offer:
        """Look up a player or a level; raises GameError."""
        number = next((number for number in range(1, len(LEVELS) + 1) if name == LEVEL_NAME.format(number)), None)
        if number is not None:
            return level_offer(game, number)
        offers = self._players.get(game.name) or _offers(game, ())
        if name not in offers:
            raise GameError(
                f"no player {name[:60]!r} for {game.name} on this server{nearest(name[:60], offers)}",
                code="unknown_player", name=name[:60], game=game.name,
            )  # fmt: skip
        return offers[name]

    def by_use(self, usage: Mapping[str, int]) -> list[Game]:
        """The games in order of likely use: the most played ones first, then game files, then the others."""
        return sorted(self._games.values(), key=lambda game: (-usage.get(game.name, 0), not game.file))

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
                "placement": knowledge_of(game).set_up is not None,
                "either_first": game.other_side_first is not None,
                "default": default_player(game),
                "turned": [is_turned(game, side) for side in (0, 1)],
                "chance": game.has_chance,
                "levels": [
                    {
                        "description": level.description,
                        "elo": elo,
                        "rough": level.rough,
                        "player": level_offer(game, number).spec,
                    }
                    for number, (level, elo) in enumerate(
                        zip_longest(LEVELS, knowledge_of(game).level_ratings.get(game.name, ())), 1
                    )
                ],
                "players": [
                    {"name": offer.name, "description": offer.description, "local": offer.local}
                    for offer in self._players[game.name].values()
                ],
            }
            for game in self._games.values()
        ]


def level_offer(game: Game, number: int) -> Offer:
    """The player of a level, from 1."""
    level = LEVELS[number - 1]
    spec = f"{level.player or default_player(game)} {level.options}".strip()
    return Offer(LEVEL_NAME.format(number), spec, level.description)


def level_limit(number: int) -> Limit:
    """The time limit of a level; its other limits usually end the search earlier."""
    return Limit(time=LEVELS[number - 1].seconds)


def _offers(game: Game, players: Sequence[str]) -> dict[str, Offer]:
    """The presets of a game, the general searches, and those of `players` that can play it."""
    presets = list_players(game).players
    offers = [Offer(preset["name"], preset["name"], preset["description"]) for preset in presets]
    known = {offer.name for offer in offers}
    for kind in SEARCHES:
        if kind not in known:
            offers.append(Offer(kind, kind, f"the search `{kind}` with its defaults"))
    for spec in players:
        if not _rejection(spec, game):
            offers.append(Offer(spec, spec, "a player of this server", describe(spec, game).module is not None))
    return {offer.name: offer for offer in offers}


def _rejection(spec: str, game: Game) -> str:
    """Why a player cannot play a game; empty if it can."""
    try:
        check_class(spec, game)
    except GameError as error:
        return str(error)
    return ""


def read_level(message: Message) -> Limit:
    """The search limit of an opponent from `time`, `simulations` or `depth`; raises GameError."""
    time = message.setting("time", Time | None, MAX_TIME, 0.01)
    simulations = message.fields.get("simulations") and message.setting("simulations", Simulations, MAX_SIMULATIONS)
    depth = message.fields.get("depth") and message.setting("depth", Depth, MAX_DEPTH)
    level = Limit(time=time, simulations=simulations or None, depth=depth or None)
    if level == Limit():
        return DEFAULT_LEVEL
    # Searches without simulations or depth are limited by time.
    return Limit(time or MAX_TIME, None, 0.0, level.depth, None, level.simulations)
