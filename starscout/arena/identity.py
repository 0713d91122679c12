"""Digests of what plays: an edit of our sources, of a game file or of an engine makes a match another match."""

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
"""The entry points of the code that plays a pair: everything that these files import can affect a game."""

DATA = (".toml", ".csv", ".weights")
"""The endings of data files beside the code that reads them."""

_IMPORT = re.compile(
    r"^\s*(?:from\s+(starscout[\w.]*)\s+import\s+(\([^)]*\)|[^#\n]*)|import\s+(starscout[\w.]*))", re.MULTILINE
)


def digest(parts: Iterable[bytes]) -> str:
    """A hash of the parts, as text; how the bytes are divided into parts matters."""
    collector = hashlib.blake2b(digest_size=12)
    for part in parts:
        collector.update(len(part).to_bytes(8) + part)
    return collector.hexdigest()


@functools.cache
def code_digest() -> str:
    """The digest of all sources that can affect a game, and of their data files."""
    root = Path(starscout.__file__).parent
    files = playing_files(root)
    return digest(part for file in files for part in (str(file.relative_to(root)).encode(), file.read_bytes()))


def playing_files(root: Path) -> list[Path]:
    """The files of the package that ROOTS and the games import, directly or not, and the data files beside them."""
    found: set[Path] = set()
    waiting = [*(root / name for name in ROOTS), *(root / "games").rglob("*.py")]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        waiting += [path for name in _imported(file) if (path := _module_file(root, name)) is not None]
    data = {path for folder in {file.parent for file in found} for path in folder.iterdir() if path.suffix in DATA}
    return sorted(found | data)


def _imported(file: Path) -> set[str]:
    """The dotted names of our own modules that a source may import, and of the packages that they are in."""
    names = set()
    for module, members, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        words = (module or plain).split(".")
        # The package itself only names what it offers.
        names |= {".".join(words[:length]) for length in range(2, len(words) + 1)}
        names |= {f"{module}.{member}" for member in re.findall(r"\w+", members)}
    return names


def _module_file(root: Path, name: str) -> Path | None:
    base = root.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def file_digest(path: Path) -> str:
    """The digest of a file, or of all files below a folder; of nothing where there is none."""
    if os.path.isdir(path):
        inside = sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        return digest(part for file in inside for part in (str(file.relative_to(path)).encode(), file.read_bytes()))
    return digest([path.read_bytes()] if os.path.isfile(path) else [])


def program_digest(command: str, folder: str | None, more: Sequence[str]) -> str:
    """The digest of a program: its executable, the files on its command line, and the files and folders in `more`."""
    words = shlex.split(command)
    here = Path(folder or ".")
    # Not here / word: a Path forgets the `./` that keeps the program from being looked for on the PATH.
    executable = shutil.which(os.path.join(here, words[0]) if "/" in words[0] else words[0])
    files = [Path(executable)] if executable else []
    # A file is named by a word or behind its `=`, as in --weights=FILE.
    named = [name for word in words[1:] for name in (word, word.partition("=")[2]) if name]
    files += [path for name in named if os.path.isfile(path := here / name)]
    files += [here / name for name in more]
    return digest(file_digest(path).encode() for path in files)
