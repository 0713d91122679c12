"""The settings of a game on the page: rules, opponent, level, clocks and start position."""

from dataclasses import dataclass, replace
from typing import Any

from starscout.game import Game
from starscout.game.state import State, from_position
from starscout.players.player import Limits
from starscout.referee.openings import series_start
from starscout.search.limits import Limit
from starscout.web.catalogue import Catalogue, Offer


@dataclass(frozen=True)
class Setup:
    """The settings of a game."""

    game: Game
    opponent: Offer | None
    """None: two users."""
    side: int
    level: Limit
    clocks: Limits
    first: int | None = None
    """The side that moves first, in games in which either side may."""
    invite: bool = False
    """Whether the other seat belongs to the first browser that opens the link."""
    label: str = ""
    """The name of the level, for the page."""


def saved_setup(data: dict[str, Any], catalogue: Catalogue) -> Setup:
    """The settings of a saved table; raises GameError if this server lacks the game or the opponent."""
    game = catalogue.game(data["game"])
    opponent = None if data["opponent"] is None else catalogue.player(game, data["opponent"])
    first, second = (Limit(**limit) for limit in data["clocks"])
    return Setup(
        game, opponent, data["side"], Limit(**data["level"]), (first, second), data["first"], data["invite"],
        data["label"],
    )  # fmt: skip


def first_state(setup: Setup, seed: int) -> State:
    """The start position of a game."""
    start = series_start(setup.game, seed, 0)
    turn = setup.game.other_side_first
    if setup.first is None or setup.first == start.mover or turn is None:
        return start
    return from_position(setup.game, turn(start.position))


def with_exchange(start: State, first: int, second: int) -> State:
    """The start position with the pieces on two squares exchanged."""
    board, *rest = start.text.split(" ")
    places = [index for index, character in enumerate(board) if character != "/"]
    letters = list(board)
    one, other = places[first], places[second]
    letters[one], letters[other] = letters[other], letters[one]
    position, _ = start.game.parse(" ".join(["".join(letters), *rest]))
    return replace(start, position=position)
