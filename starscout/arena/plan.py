"""The plan of a match: everything that decides its games. Two runs of one plan play the same games."""

import dataclasses
import functools
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_type_hints

from starscout import games
from starscout.arena.identity import code_digest, digest, file_digest, program_digest
from starscout.arena.luck import OFF, make_meter, meter_options
from starscout.evaluation import exact_table
from starscout.evaluation.learned import is_weights_file
from starscout.game import Game, GameError
from starscout.players.player import merged
from starscout.players.python_class import place_digest
from starscout.players.spec import describe
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

RANDOM = "random"
LARGEST_STORED = 2**64
"""Every number of a plan or a goal is smaller."""

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class MatchPlan:
    """Player A against player B. The number of pairs is not part of it: a match can always be made longer."""

    game: str
    """The name of a game, or the path of a game file."""
    first: str
    """The description of player A."""
    second: str
    """The description of player B."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""
    """The value function that measures luck; empty: luck is not measured."""
    schedule: Schedule = Schedule()  # noqa: RUF009 (Schedule is frozen)
    contents: str = ""
    """The digest of the programs, of the players' files and of the game file; empty when all of it is ours."""
    event: str = ""
    """A unique word for games that are never continued or repeated, like those of visitors; else empty."""

    def to_json(self) -> str:
        """The plan as text that `plan_from_json` reads; equal plans give equal texts."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @property
    def identity(self) -> str:
        """A digest of the plan and of the code that plays it: only pairs of one identity are counted together."""
        return identity_of(self)


def identity_of(plan: Any) -> str:
    """The digest of a plan (any dataclass) and of the code that plays it."""
    return digest((json.dumps(dataclasses.asdict(plan), sort_keys=True).encode(), code_digest().encode()))


def plan_from_json(text: str) -> MatchPlan:
    """The inverse of `MatchPlan.to_json`; raises GameError, for a store may be damaged."""
    return read_stored(MatchPlan, json_from_text(text))


def check_storable(plan: MatchPlan) -> None:
    """Raises GameError for a plan that could be written, but not read again."""
    try:
        _read(MatchPlan, json.loads(plan.to_json()))
    except (TypeError, ValueError) as error:
        raise GameError(f"a match cannot be stored as it is described: {error}") from error


def json_from_text(text: str) -> Any:
    """The value of a JSON text from a store; raises GameError."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise GameError(f"the store is damaged: {str(text)[:60]!r} is not JSON: {error}") from error


def read_stored(kind: type[Kind], value: Any) -> Kind:
    """The dataclass whose fields a JSON object holds, each of the declared type; raises GameError."""
    try:
        return _read(kind, value)
    except TypeError as error:
        raise GameError(f"the store is damaged: {error}") from error


def _read(kind: type[Kind], value: Any) -> Kind:
    hints = _hints(kind)
    if not isinstance(value, dict) or not set(value) <= set(hints):
        raise TypeError(f"{str(value)[:60]!r} is not a {kind.__name__}")
    found = {}
    for name, item in value.items():
        try:
            found[name] = _of_type(hints[name], item)
        except TypeError as error:
            raise TypeError(f"{name} of a {kind.__name__} is wrong: {error}") from error
    return kind(**found)


_hints = functools.cache(get_type_hints)


def _of_type(hint: Any, value: Any) -> Any:
    """The value if it has the type; dataclasses are read from objects, and a whole number is a number too."""
    kinds = get_args(hint) or (hint,)
    if value is None and NoneType in kinds:
        return None
    if dataclasses.is_dataclass(kinds[0]):
        return _read(cast(type, kinds[0]), value)
    if type(value) in kinds or (type(value) is int and float in kinds):
        if isinstance(value, int | float) and not abs(value) < LARGEST_STORED:
            raise TypeError("a number is too large")
        return value
    raise TypeError(f"{str(value)[:60]!r} is not a {' or '.join(kind.__name__ for kind in kinds)}")


def make_plan(
    game: str,
    first: str,
    second: str,
    limit: Limit,
    seed: int,
    opening_plies: int | None = None,
    luck: str | None = None,
) -> MatchPlan:
    """The plan of a match, with the defaults of the game filled in; raises GameError."""
    name, loaded = resolved_game(game)
    described = [describe(spec, loaded) for spec in (first, second)]
    usual = (loaded.opening_plies or 0) if all(player.starts_anywhere for player in described) else 0
    plies = usual if opening_plies is None else opening_plies
    if plies and loaded.has_dice:
        raise GameError(f"{game} has dice: its games need no random openings")
    meter = meter_text(loaded, luck, (first, second))
    # A class without a file can change between two calls: its games are never continued.
    event = "" if all(player.portable for player in described) else secrets.token_hex(8)
    contents = contents_of(name, described, meter)
    return MatchPlan(name, first, second, limit, seed, plies, meter, contents=contents, event=event)


def limits_in_force(plan: MatchPlan) -> tuple[Limit, Limit]:
    """The limits of A and B: their own, and that of the match where they have none."""
    game = games.load(plan.game)
    own = describe(plan.first, game).limit, describe(plan.second, game).limit
    return merged(own[0], plan.limit), merged(own[1], plan.limit)


def resolved_game(game: str) -> tuple[str, Game]:
    """The name under which any worker finds a game (for a file its full path), and the game; raises GameError."""
    loaded = games.load(game)
    return (str(Path(game).resolve()) if games.is_file(game) else game), loaded


def contents_of(game: str, players: Sequence[Any], meter: str) -> str:
    """The `contents` of a plan."""
    loaded = games.load(game)
    parts = [games.source_digest(loaded)] if games.is_file(game) else []
    searching: list[Any] = [meter_options(meter)] if meter else []
    for player in players:
        if player.command is not None:
            parts.append(program_digest(player.command, player.options.folder, player.options.more_files))
        elif player.place is not None:
            parts.append(place_digest(player.place))
        else:
            searching.append(player.options)
    for options in searching:
        if is_weights_file(weights := getattr(options, "eval", "")):
            parts.append(file_digest(Path(weights)))
        # A machine may have a larger table than another: what plays with it is another player.
        if getattr(options, "endgame", False) and (table := exact_table(loaded)) is not None:
            parts.append(table.description)
    return digest(part.encode() for part in parts) if parts else ""


def meter_text(game: Game, luck: str | None, players: Sequence[str]) -> str:
    """The full description of the value function `luck`: None means the default, `off` none; raises GameError."""
    if luck == OFF:
        return ""
    # With a random mover the noise is blunders, not dice: a deeper value function gains nothing.
    quick = "depth=1" if RANDOM in players else ""
    return make_meter(game, quick if luck is None else luck).text
