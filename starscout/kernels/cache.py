"""The cache of compiled kernels, in the user's cache folder.

A file contains a checksum of its name and payload, then the payload. Files are written by an atomic rename and verified
when they are read: a damaged, incomplete or renamed file counts as missing.
"""

import contextlib
import functools
import hashlib
import os
import tempfile
import time
from pathlib import Path

UNUSED_AFTER_SECONDS = 30 * 24 * 3600
CHECKSUM_BYTES = 32


def cache_folder() -> Path:
    """The folder of compiled kernels: in STARSCOUT_CACHE, else in the user's cache folder."""
    chosen = os.environ.get("STARSCOUT_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "starscout" / "kernels"


def cache_files() -> list[Path]:
    """The files of all compiled kernels."""
    return sorted(cache_folder().glob("*.kernel"))


def clear_cache() -> int:
    """Delete all compiled kernels and incomplete files; returns the number of files deleted."""
    removed = 0
    for path in [*cache_folder().glob("*.kernel*"), *cache_folder().glob("*.warm*")]:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            removed += ".kernel" in path.name
    return removed


def read_checked(path: Path) -> bytes | None:
    """The payload of a file; None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, payload = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    if _checksum(path, payload) != checksum:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return payload


def write_checked(path: Path, payload: bytes) -> None:
    """Write a file; ignore a cache folder that cannot be written (full disk, read-only home)."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_unused(path.parent)
        _write_atomically(path, _checksum(path, payload) + payload)


def _checksum(path: Path, payload: bytes) -> bytes:
    """Checksum of the file name, which contains the key, and the payload."""
    return hashlib.blake2b(path.name.encode() + payload, digest_size=CHECKSUM_BYTES).digest()


def _write_atomically(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@functools.cache
def _remove_unused(folder: Path) -> None:
    """Delete the files that have not been loaded for a month, once per process."""
    limit = time.time() - UNUSED_AFTER_SECONDS
    for path in [*folder.glob("*.kernel*"), *folder.glob("*.warm*")]:
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < limit:
                path.unlink()
