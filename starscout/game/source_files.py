"""Python files of the user's: loaded as modules, and told apart by their content.

A file may import its neighbours. It is loaded again only after an edit, under a name that is the same in every process:
compiled kernels refer to the classes of its module.
"""

import ast
import contextlib
import hashlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from starscout.errors import is_interrupt
from starscout.game import GameError

_loaded: dict[str, tuple[int, ModuleType]] = {}
"""Path → when the file was last changed, and its module."""
_loading: list[str] = []
"""The files whose text is being run."""
_GUARD = re.compile(rb"""__name__\s*==\s*["']__main__["']""")


def being_loaded() -> bool:
    """Whether the text of a file is being run, so that whoever asks was called from there."""
    return bool(_loading)


def is_guarded(path: str) -> bool:
    """Whether a script keeps apart what it does as a program: `if __name__ == "__main__":`."""
    return _GUARD.search(Path(path).read_bytes()) is not None


def load_file(path: str, what: str) -> ModuleType:
    """The module of the file at a full path; raises GameError, which calls it `what` ("game file")."""
    file = Path(path)
    if not os.path.isfile(file):
        raise GameError(f"there is no {what} {path[:200]}")
    changed = file.stat().st_mtime_ns
    if path in _loaded and _loaded[path][0] == changed:
        return _loaded[path][1]
    stem = file.stem.encode("utf-8", "replace").decode()
    name = f"starscout_file_{stem}_{hashlib.blake2b(os.fsencode(path), digest_size=6).hexdigest()}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise GameError(f"{path} cannot be loaded as a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    _loading.append(path)
    try:
        with _beside(file.parent):
            specification.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if is_interrupt(error):
            raise
        raise GameError(f"the {what} {path} fails: {_reason(error, path)}") from error
    finally:
        _loading.pop()
    _loaded[path] = changed, module
    return module


def content_digest(path: str) -> str:
    """The digest of a file and of what it imports from beside it."""
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
    """The first words of the dotted names that a source imports; none if it cannot be read, which loading it tells."""
    names: set[str] = set()
    try:
        tree = ast.parse(source.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return names
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours; last on the path, so that none of them stands in for a library."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _reason(error: BaseException, path: str) -> str:
    """What went wrong in a file and in which line of it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    place = f"line {lines[-1]}: " if lines else ""
    # A broken contract of ours is a sentence already.
    return f"{place}{error}" if isinstance(error, GameError) else f"{place}{type(error).__name__}: {error}"
