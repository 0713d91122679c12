"""`starscout.player` and `list_players`: a description becomes a player; the players that have a name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.positions import given_game
from starscout.api.result import Result
from starscout.api.tables import listing
from starscout.game import Game
from starscout.players.player import Player
from starscout.players.python_class import class_spec
from starscout.players.spec import all_kinds, all_presets, default_player, general_presets, make_player, presets_of

if TYPE_CHECKING:
    from rich.console import RenderableType


def player(spec: str | type[Any], game: str | Game) -> Player:
    """The player that a SPEC describes, or that a Python class is: `choose` asks it for a move. Raises GameError.

    >>> from starscout import Limit, start
    >>> state = start("ewn-3x3-3").rolled(2)
    >>> decision = player("negascout depth=2 eval=zero", "ewn-3x3-3").choose(state, Limit())
    >>> decision.move in state.legal
    True
    """
    rules = given_game(game)
    return make_player(spec if isinstance(spec, str) else class_spec(spec), rules)


def thinker(described: str | type[Any] | Player | None, game: Game) -> Player:
    """The player that was given or described; None: the strong player of the game."""
    if isinstance(described, Player):
        return described
    return player(described or default_player(game), game)


@dataclass(frozen=True, repr=False)
class PlayerList(Result):
    """The players that have a name.

    >>> "random" in [player["name"] for player in list_players("ewn").players]
    True
    """

    players: tuple[dict[str, str], ...]
    """Name, game, description, origin and SPEC of each; the game `*` is any game."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout players --json`."""
        return {"players": [{name: row[name] for name in row if name != "spec"} for row in self.rows()]}

    def rows(self) -> list[dict[str, Any]]:
        """One row per player."""
        return [dict(player) for player in self.players]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        headings = {
            "name": "name", "game": "game", "description": "what it is", "origin": "from", "spec": "the same as",
        }  # fmt: skip
        rows = sorted(self.players, key=lambda row: (row["game"], row["name"]))
        kinds = f"\nKinds that take options: {', '.join(all_kinds())}; programs: PROTOCOL:COMMAND"
        return Group(listing(headings, rows), kinds)

    def __repr__(self) -> str:
        return f"<{len(self.players)} players>"


def list_players(game: str | Game | None = None) -> PlayerList:
    """The players that have a name: of a game, or of all games. Raises GameError.

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
