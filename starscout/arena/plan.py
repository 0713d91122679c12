"""Match plans: everything that determines the games of a match.

Match identity: digests of the sources, game files and engines that determine a match.
"""

import dataclasses
import functools
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import starscout
from starscout import games
from starscout.arena.luck import OFF, make_meter, meter_options
from starscout.evaluation import exact_table
from starscout.evaluation.learned import is_weights_file
from starscout.game import Game, GameError
from starscout.players.player import replaced
from starscout.players.python_class import place_digest
from starscout.players.spec import describe
from starscout.referee.adjudication import Adjudication
from starscout.referee.opening_book import RANDOM_ORDER, read_book
from starscout.referee.series import Schedule
from starscout.search.limits import Limit
from starscout.settings.decode import decode
from starscout.settings.schema import OpeningPlies, Seed, SettingError

ROOTS = ("arena/batch.py", "players/spec.py")
"""Entry points of the code that plays a pair; everything they import can affect a game."""

DATA = (".toml", ".csv", ".weights")
"""Suffixes of data files beside the code that reads them."""

_IMPORT = re.compile(
    r"^\s*(?:from\s+(starscout[\w.]*)\s+import\s+(\([^)]*\)|[^#\n]*)|import\s+(starscout[\w.]*))", re.MULTILINE
)


def digest(parts: Iterable[bytes]) -> str:
    """Return a hexadecimal hash of the parts; the division into parts matters."""
    collector = hashlib.blake2b(digest_size=12)
    for part in parts:
        collector.update(len(part).to_bytes(8) + part)
    return collector.hexdigest()


@functools.cache
def code_digest() -> str:
    """Return the digest of all sources and data files that can affect a game."""
    root = Path(starscout.__file__).parent
    files = playing_files(root)
    return digest(part for file in files for part in (str(file.relative_to(root)).encode(), file.read_bytes()))


def playing_files(root: Path) -> list[Path]:
    """Return all files that ROOTS and the games import, and the data files beside them."""
    found: set[Path] = set()
    queue = [*(root / name for name in ROOTS), *(root / "games").rglob("*.py")]
    while queue:
        file = queue.pop()
        if file in found:
            continue
        found.add(file)
        queue += [path for name in _imported(file) if (path := _module_file(root, name)) is not None]
    data = {path for folder in {file.parent for file in found} for path in folder.iterdir() if path.suffix in DATA}
    return sorted(found | data)


def _imported(file: Path) -> set[str]:
    """Return the dotted names of StarScout modules that a source imports, and of their packages."""
    names = set()
    for module, members, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        words = (module or plain).split(".")
        # Skip the top-level package: its __init__ only re-exports names lazily.
        names |= {".".join(words[:length]) for length in range(2, len(words) + 1)}
        names |= {f"{module}.{member}" for member in re.findall(r"\w+", members)}
    return names


def _module_file(root: Path, name: str) -> Path | None:
    base = root.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def file_digest(path: Path) -> str:
    """Return the digest of a file or folder; a missing path has the digest of empty content."""
    if os.path.isdir(path):
        inside = sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        return digest(part for file in inside for part in (str(file.relative_to(path)).encode(), file.read_bytes()))
    return digest([path.read_bytes()] if os.path.isfile(path) else [])


def program_digest(command: str, folder: str | None, more: Sequence[str]) -> str:
    """Return the digest of a program: executable, files on its command line, paths in `more`."""
    words = shlex.split(command)
    here = Path(folder or ".")
    # Use os.path.join: Path drops the leading `./` that keeps `which` from searching PATH.
    executable = shutil.which(os.path.join(here, words[0]) if "/" in words[0] else words[0])
    files = [Path(executable)] if executable else []
    # An argument names a file directly or after `=`, as in --weights=FILE.
    named = [name for word in words[1:] for name in (word, word.partition("=")[2]) if name]
    files += [path for name in named if os.path.isfile(path := here / name)]
    files += [here / name for name in more]
    return digest(file_digest(path).encode() for path in files)


RANDOM = "random"
NEVER = Adjudication()

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class MatchPlan:
    """Player A against player B, without the number of pairs: a match can be extended."""

    game: str
    """Name of the game, or path of its file."""
    first: str
    """Description of player A."""
    second: str
    """Description of player B."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: Seed = 0
    opening_plies: OpeningPlies = 0
    luck: str = ""
    """Value function that measures luck; empty if luck is not measured."""
    schedule: Schedule = Schedule()  # noqa: RUF009 (Schedule is frozen)
    contents: str = ""
    """Digest of programs, players' files and game file; empty if all code is built in."""
    openings: str = ""
    """Path of the opening book; its content is part of `contents`. Empty: the starts of the game."""
    opening_order: str = RANDOM_ORDER
    adjudication: Adjudication = Adjudication()  # noqa: RUF009 (Adjudication is frozen)
    event: str = ""
    """Unique id of games that are never resumed, such as those of connected engines; else empty."""

    def to_json(self) -> str:
        """Return the plan as text for `plan_from_json`; equal plans give equal texts."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @property
    def identity(self) -> str:
        """Digest of the plan and of the code; only pairs with equal identity are counted together."""
        return identity_of(self)


def identity_of(plan: Any) -> str:
    """Return the digest of a plan (any dataclass) and of the code."""
    return digest((json.dumps(dataclasses.asdict(plan), sort_keys=True).encode(), code_digest().encode()))


def plan_from_json(text: str) -> MatchPlan:
    """Invert `MatchPlan.to_json`; raises GameError if the store is damaged."""
    return read_stored(MatchPlan, json_from_text(text))


def check_storable(plan: MatchPlan) -> None:
    """Raise GameError for a plan that can be written to a store, but not read again."""
    try:
        decode(MatchPlan, json.loads(plan.to_json()))
    except ValueError as error:
        raise GameError(f"the match cannot be stored: {error}") from error


def json_from_text(text: str) -> Any:
    """Parse a JSON text from a store; raises GameError."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise GameError(f"the store is damaged: {str(text)[:60]!r} is not JSON: {error}") from error


def read_stored(kind: type[Kind], value: Any) -> Kind:
    """Decode a JSON object from a store into a dataclass; raises GameError."""
    try:
        return decode(kind, value)
    except SettingError as error:
        raise GameError(f"the store is damaged: {error}") from error


def make_plan(
    game: str,
    first: str,
    second: str,
    limit: Limit,
    seed: int,
    opening_plies: int | None = None,
    luck: str | None = None,
    openings: str = "",
    opening_order: str = RANDOM_ORDER,
    adjudication: Adjudication = NEVER,
) -> MatchPlan:
    """Plan a match with the defaults of the game; raises GameError."""
    name, loaded = resolve_game(game)
    described = [describe(spec, loaded) for spec in (first, second)]
    usual = (loaded.opening_plies or 0) if all(player.starts_anywhere for player in described) else 0
    plies = (0 if openings else usual) if opening_plies is None else opening_plies
    book = str(Path(openings).resolve()) if openings else ""
    if book:
        check_book(book, loaded, plies, described)
    elif plies and loaded.has_chance:
        detail = f": expected 0 for {game}, whose dice already vary the games, got {plies}"
        raise SettingError("{}", ("opening_plies",), detail)
    meter = meter_text(loaded, luck, (first, second))
    # A class without a file can change between calls, so its games are never resumed.
    event = "" if all(player.portable for player in described) else secrets.token_hex(8)
    contents = contents_digest(name, described, meter, book)
    return MatchPlan(
        name, first, second, limit, seed, plies, meter, contents=contents, event=event,
        openings=book, opening_order=opening_order, adjudication=adjudication,
    )  # fmt: skip


def check_book(book: str, game: Game, plies: int, players: Sequence[Any]) -> None:
    """Raise GameError if a book cannot be read, or if the protocol of a player cannot start from it."""
    starts = read_book(book, game, plies)
    for player in players:
        if player.placement:
            raise GameError(f"placement={player.placement} cannot be combined with an opening book")
        if not player.starts_anywhere and not all(start.opening for start in starts):
            raise GameError(f"openings: {player.kind} engines play only from the start position of {game.name}")


def effective_limits(plan: MatchPlan) -> tuple[Limit, Limit]:
    """Return the limits of A and B: their own, or else those of the match."""
    game = games.load(plan.game)
    own = describe(plan.first, game).limit, describe(plan.second, game).limit
    return replaced(own[0], plan.limit), replaced(own[1], plan.limit)


def resolve_game(game: str) -> tuple[str, Game]:
    """Return the name (full path for a file) by which workers load a game, and the game."""
    loaded = games.load(game)
    return (str(Path(game).resolve()) if games.is_file(game) else game), loaded


def contents_digest(game: str, players: Sequence[Any], meter: str, openings: str = "") -> str:
    """Compute the `contents` of a plan."""
    loaded = games.load(game)
    parts = [games.source_digest(loaded)] if games.is_file(game) else []
    parts += [file_digest(Path(openings))] if openings else []
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
        # Tables of different sizes make different players.
        if getattr(options, "endgame", False) and (table := exact_table(loaded)) is not None:
            parts.append(table.description)
    return digest(part.encode() for part in parts) if parts else ""


def meter_text(game: Game, luck: str | None, players: Sequence[str]) -> str:
    """Return the full specification of a luck meter; None is the default, `off` disables it."""
    if luck == OFF:
        return ""
    # Against a random mover most variance comes from blunders, so a deeper value function gains nothing.
    quick = "depth=1" if RANDOM in players else ""
    return make_meter(game, quick if luck is None else luck).text
