"""The games by name: `ewn`, `ewn-3x3-3`, `ewn-cyclic`, `kari`, `othello`, `othello-6x6`, or a file with a GAME."""

import ast
import contextlib
import difflib
import functools
import hashlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from starscout.game import Game, GameError

NAMES = ("ewn", "ewn-cyclic", "kari", "othello")

_given: dict[str, Game] = {}
"""The games of files that this process has loaded, by name and by path."""


def load(name: str) -> Game:
    """The game that `name` stands for; raises GameError."""
    if is_file(name):
        return _load_file(_full_path(name))
    if match := re.fullmatch(r"ewn(?:-([0-9])x([0-9])(?:-([0-9]))?)?", name):
        from starscout.games import ewn

        return ewn.build(*(int(number) for number in match.groups() if number is not None))
    if match := re.fullmatch(r"othello(?:-([0-9])x([0-9]))?", name):
        from starscout.games import othello

        if match[1] != match[2]:
            raise GameError(f"{name!r}: Othello is played on square boards")
        return othello.build(int(match[1] or 8))
    if name == "ewn-cyclic":
        from starscout.games import ewn_cyclic

        return ewn_cyclic.build()
    if name == "kari":
        from starscout.games import kari

        return kari.build()
    near = difflib.get_close_matches(name[:40], NAMES, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise GameError(f"there is no game {name[:60]!r}{hint} (known: {', '.join(NAMES)}, or a file like ./my_game.py)")


def is_file(name: str) -> bool:
    """Whether a name stands for a game file, and not for a game of ours."""
    return name.endswith(".py") or "/" in name


def _full_path(name: str) -> str:
    try:
        return str(Path(name).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        # Too long a name, a loop of links, a zero byte.
        raise GameError(f"{name[:60]!r} is no path of a game file: {error}") from error


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


@functools.cache
def _source_digest(path: str) -> str:
    found: set[Path] = set()
    waiting = [Path(path)]
    while waiting:
        source = waiting.pop()
        if source in found:
            continue
        found.add(source)
        files = source.rglob("*.py") if source.is_dir() else [source]
        for name in set().union(*map(_first_names, files)) - {"starscout"}:
            module, package = source.parent / f"{name}.py", source.parent / name
            waiting += [package] if (package / "__init__.py").is_file() else [module] if module.is_file() else []
    collector = hashlib.blake2b(digest_size=12)
    for source in sorted(found):
        for file in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            collector.update(hashlib.blake2b(file.read_bytes()).digest())
    return collector.hexdigest()


def _first_names(source: Path) -> set[str]:
    """The first words of the dotted names that a source imports."""
    names = set()
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let a game file import its neighbours; last on the path, so that none of them stands in for a library."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _reason(error: BaseException, path: str) -> str:
    """What went wrong in a game file and in which line of it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    place = f"line {lines[-1]}: " if lines else ""
    # A broken contract of ours is a sentence already.
    return f"{place}{error}" if isinstance(error, GameError) else f"{place}{type(error).__name__}: {error}"


@functools.cache
def _load_file(path: str) -> Game:
    file = Path(path)
    if not os.path.isfile(file):
        raise GameError(f"there is no game file {path[:200]}")
    # A name that is the same in every process: compiled kernels refer to the classes of this module.
    stem = file.stem.encode("utf-8", "replace").decode()
    name = f"starscout_game_{stem}_{hashlib.blake2b(os.fsencode(path), digest_size=6).hexdigest()}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise GameError(f"{path} cannot be loaded as a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        with _beside(file.parent):
            specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise GameError(f"the game file {path} fails: {_reason(error, path)}") from error
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game):
        raise GameError(f"the game file {path} has no GAME = Game(...) in it")
    game = replace(game, file=path)
    _given.update({path: game, game.name: game})
    return game
