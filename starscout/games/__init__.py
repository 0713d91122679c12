"""The registry of games: built-in games by name, games of users by the path of a file or of a package folder.

A built-in game is a package of this folder: `rules.py` with `build_variant` and `knowledge.py` with `KNOWLEDGE`. The
package of `ewn_cyclic` is the family `ewn-cyclic`; its variants have names like `FAMILY-VARIANT`. A user's file or
package defines `GAME`.
"""

import copyreg
import difflib
import functools
import importlib
import pickle
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from starscout.game import Game, GameError
from starscout.game.source_files import content_digest, load_file

NAMES = tuple(sorted(rules.parent.name.replace("_", "-") for rules in Path(__file__).parent.glob("*/rules.py")))
"""The built-in families; each is also the name of its standard variant."""

_loaded: dict[str, Game] = {}
"""The user games that this process has loaded, by name and by path."""


def load(name: str) -> Game:
    """The game with this name or path; raises GameError."""
    if is_file(name):
        return _load_file(_full_path(name))
    family = max((known for known in NAMES if f"{name}-".startswith(f"{known}-")), key=len, default=None)
    game = None if family is None else family_module(family, "rules").build_variant(name[len(family) + 1 :])
    if game is None:
        near = difflib.get_close_matches(name[:40], NAMES, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = f"known: {', '.join(NAMES)}, or a file like ./my_game.py"
        raise GameError(f"there is no game {name[:60]!r}{hint} ({known})")
    return game


def family_module(family: str, module: str) -> ModuleType:
    """A module of the package of a built-in family."""
    return importlib.import_module(f"{__name__}.{family.replace('-', '_')}.{module}")


def _pickled(game: Game) -> tuple[Any, ...]:
    """Pickle a game as its name or path, because its rules are code."""
    name = game.file or game.name
    try:
        found = load(name)
    except GameError:
        found = None
    if found is not game:
        raise pickle.PicklingError(f"the game {game.name!r} is not defined in a file: write it to a file and load that")
    return load, (name,)


copyreg.pickle(Game, _pickled)


def is_file(name: str) -> bool:
    """Whether a name is the path of a user's game, not the name of a built-in game."""
    return name.endswith(".py") or "/" in name


def _full_path(name: str) -> str:
    try:
        return str(Path(name).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        # The name is too long, a link loop or contains a null byte.
        raise GameError(f"{name[:60]!r} is not a path of a game file: {error}") from error


def find(name: str) -> Game:
    """The game named by a record, a store or a network peer; raises GameError.

    A game file is code, so it is found here only after the local user has loaded it.
    """
    if name in _loaded:
        return _loaded[name]
    if is_file(name):
        raise GameError(f"a record or a network peer requires the game file {name[:200]!r}: allow it with --game FILE")
    return load(name)


def source_digest(game: Game) -> str:
    """The digest of a user's game and of the files it imports from its folder; empty for a built-in game."""
    return _source_digest(game.file) if game.file else ""


_source_digest = functools.cache(content_digest)


@functools.cache
def _load_file(path: str) -> Game:
    game = getattr(load_file(path, "game file"), "GAME", None)
    if not isinstance(game, Game):
        raise GameError(f"the game file {path} does not define GAME = Game(...)")
    game = replace(game, file=path)
    _loaded.update({path: game, game.name: game})
    return game
