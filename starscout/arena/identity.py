"""Match identity: digests of the sources, game files and engines that determine a match."""

import functools
import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import starscout

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
    """Return the digest of a file or folder; a missing path has the digest of nothing."""
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
