"""`starscout.player`: create a player from its description; `list_players`: list the presets."""

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.games import given_game
from starscout.api.result import Result, rich_table
from starscout.game import Game, GameError
from starscout.players.player import Player
from starscout.players.python_class import ObjectPlayer, PlayerLike, class_spec
from starscout.players.spec import all_kinds, all_presets, default_player, general_presets, make_player, presets_of
from starscout.protocols.remote_player import RemotePlayer
from starscout.settings.arguments import checked

if TYPE_CHECKING:
    from rich.console import RenderableType


@checked
def player(spec: PlayerLike, game: str | Game) -> Player:
    """Create a player from a SPEC or a Python class; `choose` returns its move. Raises GameError.

    A search loads or compiles its kernels here, so that this takes no time of its first move.

    >>> from starscout import Limit, start
    >>> state = start("ewn-3x3-3").rolled(2)
    >>> decision = player("negascout depth=2 eval=zero", "ewn-3x3-3").choose(state, Limit())
    >>> decision.move in state.legal
    True
    """
    rules, given = given_game(game), spec
    if not isinstance(given, str | functools.partial) and not inspect.isclass(given):
        raise GameError(f"player: expected a SPEC or a class, got {spec!r:.60}")
    made = make_player(spec if isinstance(spec, str) else class_spec(spec), rules)
    if isinstance(made, RemotePlayer):
        made.game = rules
    elif isinstance(spec, str) and not isinstance(made, ObjectPlayer):
        made.new_game(rules, 0)
    return made


def player_object(described: PlayerLike | Player | None, game: Game) -> Player:
    """Return the player that is given or described; None or an empty SPEC: the game's default player."""
    if isinstance(described, Player):
        return described
    if described is None or (isinstance(described, str) and not described):
        return player(default_player(game), game)
    return player(described, game)


@dataclass(frozen=True, repr=False)
class PlayerList(Result):
    """The player presets.

    >>> "random" in [player["name"] for player in list_players("ewn").players]
    True
    """

    players: tuple[dict[str, str], ...]
    """Name, game, description, origin and SPEC of each; `*` matches any game."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout players --json`."""
        return {"players": [{name: row[name] for name in row if name != "spec"} for row in self.rows()]}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per player."""
        return [dict(player) for player in self.players]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        headings = ("name", "game", "description", "origin", "spec")
        rows = [[row[name] for name in headings] for row in sorted(self.players, key=_order)]
        kinds = f"\nPlayers with options: {', '.join(all_kinds())}; programs: PROTOCOL:COMMAND"
        return Group(rich_table(headings, rows, left=headings), kinds)

    def __repr__(self) -> str:
        return f"<{len(self.players)} players>"


def _order(row: dict[str, str]) -> tuple[str, str]:
    return row["game"], row["name"]


@checked
def list_players(game: str | Game | None = None) -> PlayerList:
    """List the presets of a game, or of all games. Raises GameError.

    >>> {player["game"] for player in list_players("kari").players} == {"kari", "*"}
    True
    """
    if game is None:
        found = all_presets()
    else:
        rules, general = given_game(game), general_presets()
        found = [("*" if preset in general else rules.family or rules.name, preset) for preset in presets_of(rules)]
    return PlayerList(
        tuple(
            {
                "name": preset.name,
                "game": name,
                "description": preset.description,
                "origin": preset.origin,
                "spec": preset.spec,
            }
            for name, preset in found
        )
    )
