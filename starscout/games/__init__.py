"""The games by name: `ewn`, `ewn-3x3-3`, `ewn-cyclic`, `kari`, `othello`, `othello-6x6`, or a file with a GAME."""

import copyreg
import difflib
import functools
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from starscout.game import Game, GameError
from starscout.game.source_files import content_digest, load_file

NAMES = ("ewn", "ewn-cyclic", "kari", "othello")

_given: dict[str, Game] = {}
"""The games of files that this process has loaded, by name and by path."""


def load(name: str) -> Game:
    """The game that `name` stands for; raises GameError."""
    if is_file(name):
        return _load_file(_full_path(name))
    if match := re.fullmatch(r"ewn(?:-([0-9])x([0-9])(?:-([0-9]))?)?", name):
        from starscout.games.ewn import rules as ewn

        return ewn.build(*(int(number) for number in match.groups() if number is not None))
    if match := re.fullmatch(r"othello(?:-([0-9])x([0-9]))?", name):
        from starscout.games.othello import rules as othello

        if match[1] != match[2]:
            raise GameError(f"{name!r}: Othello is played on square boards")
        return othello.build(int(match[1] or 8))
    if name == "ewn-cyclic":
        from starscout.games.ewn_cyclic import rules as ewn_cyclic

        return ewn_cyclic.build()
    if name == "kari":
        from starscout.games.kari import rules as kari

        return kari.build()
    near = difflib.get_close_matches(name[:40], NAMES, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise GameError(f"there is no game {name[:60]!r}{hint} (known: {', '.join(NAMES)}, or a file like ./my_game.py)")


def _pickled(game: Game) -> tuple[Any, ...]:
    """What pickle keeps of a game: its name or its file, for its rules are code."""
    name = game.file or game.name
    try:
        found = load(name)
    except GameError:
        found = None
    if found is not game:
        raise pickle.PicklingError(f"the game {game.name!r} is in no file: write it to one, and load that")
    return load, (name,)


copyreg.pickle(Game, _pickled)


def is_file(name: str) -> bool:
    """Whether a name stands for a game file, and not for a game of ours."""
    return name.endswith(".py") or "/" in name


def _full_path(name: str) -> str:
    try:
        return str(Path(name).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        # Too long a name, a loop of links, a zero byte.
        raise GameError(f"{name[:60]!r} is not a path of a game file: {error}") from error


def find(name: str) -> Game:
    """The game that a record, a store or a line from a network names; raises GameError.

    A game file is code: it is found here only after the person at this machine has named it.
    """
    if name in _given:
        return _given[name]
    if is_file(name):
        raise GameError(f"the game file {name[:200]!r} is named by a record or a network: allow it with --game FILE")
    return load(name)


def source_digest(game: Game) -> str:
    """The digest of a game's file and of what it imports from beside it; empty for a game of ours."""
    return _source_digest(game.file) if game.file else ""


_source_digest = functools.cache(content_digest)


@functools.cache
def _load_file(path: str) -> Game:
    game = getattr(load_file(path, "game file"), "GAME", None)
    if not isinstance(game, Game):
        raise GameError(f"the game file {path} has no GAME = Game(...) in it")
    game = replace(game, file=path)
    _given.update({path: game, game.name: game})
    return game
