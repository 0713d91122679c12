"""Python files and packages of users: loading them as modules, and digests of their content.

A file may import its neighbours, a package its own modules. A source is loaded again only after an edit, under a module
name that is the same in every process: compiled kernels refer to the classes of its module.
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

PACKAGE_FILE = "__init__.py"

_loaded: dict[str, tuple[int, ModuleType]] = {}
"""Path → modification time and module."""
_loading: list[str] = []
"""The sources that are being executed."""
_GUARD = re.compile(rb"""__name__\s*==\s*["']__main__["']""")


def being_loaded() -> bool:
    """Whether the caller is running while a source is being executed."""
    return bool(_loading)


def is_guarded(path: str) -> bool:
    """Whether a script has an `if __name__ == "__main__":` block."""
    return _GUARD.search(Path(path).read_bytes()) is not None


def is_below_guard(path: str, name: str) -> bool:
    """Whether a script defines a class only in its `if __name__ == "__main__":` block."""
    below: list[ast.AST] = []
    outside: list[ast.AST] = []
    for statement in ast.parse(Path(path).read_bytes()).body:
        guard = isinstance(statement, ast.If) and _GUARD.search(ast.unparse(statement.test).encode())
        (below if guard else outside).extend(ast.walk(statement))
    found, known = ({node.name for node in nodes if isinstance(node, ast.ClassDef)} for nodes in (below, outside))
    return name in found - known


def load_file(path: str, what: str) -> ModuleType:
    """The module of a file or package folder at a full path; raises GameError. `what`: for example "game file"."""
    source = Path(path)
    file = source / PACKAGE_FILE if os.path.isdir(source) else source
    if not os.path.isfile(file):
        raise GameError(f"there is no {what} {path[:200]}")
    changed = max(part.stat().st_mtime_ns for part in _files(source))
    if path in _loaded and _loaded[path][0] == changed:
        return _loaded[path][1]
    stem = source.stem.encode("utf-8", "replace").decode()
    name = f"starscout_file_{stem}_{hashlib.blake2b(os.fsencode(path), digest_size=6).hexdigest()}"
    folders = [str(source)] if file != source else None
    specification = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
    if specification is None or specification.loader is None:
        raise GameError(f"{path} cannot be loaded as a Python file")
    _forget(name)
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    _loading.append(path)
    try:
        with _importable(source.parent):
            specification.loader.exec_module(module)
    except BaseException as error:
        _forget(name)
        if is_interrupt(error):
            raise
        raise GameError(f"the {what} {path} fails: {_reason(error, path)}") from error
    finally:
        _loading.pop()
    _loaded[path] = changed, module
    return module


def _files(source: Path) -> list[Path]:
    """The Python files of a source, sorted."""
    return sorted(source.rglob("*.py")) if source.is_dir() else [source]


def _forget(name: str) -> None:
    """Remove a module and its submodules from the loaded modules."""
    for loaded in [loaded for loaded in sys.modules if loaded == name or loaded.startswith(f"{name}.")]:
        del sys.modules[loaded]


def content_digest(path: str) -> str:
    """The digest of a file or package folder and of what it imports from its folder."""
    found: set[Path] = set()
    waiting = [Path(path)]
    while waiting:
        source = waiting.pop()
        if source in found:
            continue
        found.add(source)
        for name in set().union(*map(_imported_names, _files(source))) - {"starscout"}:
            module, package = source.parent / f"{name}.py", source.parent / name
            waiting += [package] if (package / PACKAGE_FILE).is_file() else [module] if module.is_file() else []
    collector = hashlib.blake2b(digest_size=12)
    for source in sorted(found):
        for file in _files(source):
            collector.update(hashlib.blake2b(file.read_bytes()).digest())
    return collector.hexdigest()


def _imported_names(source: Path) -> set[str]:
    """The top-level names that a source imports; empty if it cannot be parsed, which loading it reports."""
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
def _importable(folder: Path) -> Iterator[None]:
    """Make the files of a folder importable; last on the path, so that none of them hides a library."""
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _reason(error: BaseException, path: str) -> str:
    """The error and the line of the source where it occurred."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename in (path, os.path.join(path, PACKAGE_FILE))]
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{error}" if isinstance(error, GameError) else f"{place}{type(error).__name__}: {error}"
