"""Untrusted files: unpacking within limits, and the identity of their content.

Archives may contain only regular files: no links, devices, absolute paths or `..`. Sizes are counted while unpacking,
because an archive can lie about them.
"""

import hashlib
import io
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from starscout.errors import GameError

MAX_RATIO = 100
"""Maximum compression ratio of files larger than SMALL bytes."""
SMALL = 1 << 20
UNPACKED = 10
"""Total unpacked size, in multiples of the size limit of the packed file."""
MAX_PATH, MAX_PARTS = 200, 12
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Accepted compression methods: the others may be unavailable, or decompress more than was requested."""
_CHUNK = 1 << 16
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, OSError, ValueError, OverflowError,
    struct.error,
)  # fmt: skip
"""What `zipfile` raises for damaged archives."""
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\:]")


class ArchiveError(GameError):
    """A rejected archive."""


def unpack(name: str, data: bytes, folder: Path, megabytes: float, files: int) -> None:
    """Write a submitted file, or the files of a zip archive, to a new folder; raises ArchiveError.

    A single top-level folder is removed from the paths.
    """
    limit = int(megabytes * 1e6)
    if len(data) > limit:
        raise ArchiveError(f"the file has {len(data) / 1e6:.1f} MB; at most {megabytes:g} MB are accepted")
    folder.mkdir(parents=True)
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        _unpack_zip(data, folder, UNPACKED * limit, files)
        _remove_outer(folder)
        return
    base = PurePosixPath(name.replace("\\", "/")).name
    path = folder / _checked_path(base or "engine")
    path.write_bytes(data)
    _make_executable(path)


def _unpack_zip(data: bytes, folder: Path, limit: int, files: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # `is_dir` fails for an empty name.
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
            if len(entries) > files:
                raise ArchiveError(f"the archive has {len(entries)} files; at most {files} are accepted")
            declared = sum(entry.file_size for entry in entries)
            if declared > limit:
                raise ArchiveError(f"the archive unpacks to {declared / 1e6:.0f} MB; at most {limit / 1e6:.0f} MB")
            left = limit
            for entry in entries:
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if kind not in (0, stat.S_IFREG):
                    raise ArchiveError(f"{entry.filename[:MAX_PATH]!r} is a link or a special file")
                if entry.compress_type not in METHODS:
                    raise ArchiveError(f"{entry.filename[:MAX_PATH]!r} uses a compression method other than deflate")
                if entry.flag_bits & 1:
                    raise ArchiveError("the archive is encrypted")
                if entry.file_size > max(SMALL, MAX_RATIO * entry.compress_size):
                    raise ArchiveError(
                        f"{entry.filename[:MAX_PATH]!r} is compressed by more than a factor of {MAX_RATIO}"
                    )
                with archive.open(entry) as source:
                    left -= _write(folder, entry.filename, source, left, bool(entry.external_attr >> 16 & 0o111))
    except ArchiveError:
        raise
    except _DAMAGES as error:
        raise ArchiveError(f"the zip archive cannot be unpacked: {error}") from error


def keep_regular(folder: Path) -> None:
    """Remove links and special files of a build: nothing may lead out of its folder."""
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(place, name)
            kind = path.lstat().st_mode
            if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                path.unlink()


def _checked_path(name: str) -> PurePosixPath:
    """A relative path without dangerous parts; raises ArchiveError."""
    path = PurePosixPath(name)
    shown = repr(name[:MAX_PATH])
    if not name or path.is_absolute() or ".." in path.parts or _FORBIDDEN.search(name) or not name.isprintable():
        raise ArchiveError(f"the path {shown} is not accepted: paths must be relative and must not contain .., \\ or :")
    if len(name.encode("utf-8", "replace")) > MAX_PATH or len(path.parts) > MAX_PARTS:
        raise ArchiveError(f"the path {shown} is too long")
    return path


def _write(folder: Path, name: str, source: IO[bytes], left: int, executable: bool) -> int:
    """Write a file of an archive; returns its size."""
    path = folder / _checked_path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        # Exclusive: a file is not overwritten by another of the same name.
        with path.open("xb") as target:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                if written > left:
                    raise ArchiveError("the archive unpacks to more than its declared or permitted size")
                target.write(chunk)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise ArchiveError(f"two files of the archive have the same path: {name[:MAX_PATH]!r}") from error
    if executable:
        path.chmod(0o755)
    else:
        _make_executable(path)
    return written


def _make_executable(path: Path) -> None:
    """Make scripts and binaries executable: some archive formats do not store this."""
    with path.open("rb") as file:
        start = file.read(4)
    path.chmod(0o755 if start.startswith((b"#!", b"\x7fELF")) else 0o644)


def _remove_outer(folder: Path) -> None:
    """Move the files out of a single top-level folder."""
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        outer = inside[0].rename(folder / f".outer-{os.urandom(4).hex()}")
        for path in list(outer.iterdir()):
            path.rename(folder / path.name)
        outer.rmdir()


def files_in(folder: Path) -> Iterator[Path]:
    """All files of a folder in a fixed order."""
    return iter(sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()))


def content_hash(folder: Path) -> str:
    """The SHA-256 of the paths, modes and contents of all files."""
    collector = hashlib.sha256()
    for path in files_in(folder):
        name, data = str(path.relative_to(folder)).encode(), path.read_bytes()
        mode = b"x" if path.stat().st_mode & 0o100 else b"-"
        collector.update(len(name).to_bytes(8) + name + mode + len(data).to_bytes(8) + data)
    return collector.hexdigest()
