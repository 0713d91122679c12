"""The files of compiled kernels, in the user's cache folder.

A file is the checksum of its name and its payload, then the payload. Files appear by an atomic rename and are checked
before they are used: one that is damaged, half-written or under another name counts as missing.
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
    """Where compiled kernels live: STARSCOUT_CACHE, else the user's cache folder."""
    chosen = os.environ.get("STARSCOUT_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "starscout" / "kernels"


def cache_files() -> list[Path]:
    """The compiled kernels that are kept now."""
    return sorted(cache_folder().glob("*.kernel"))


def clear_cache() -> int:
    """Delete every compiled kernel, half-written ones too; returns the number of files deleted."""
    removed = 0
    for path in [*cache_folder().glob("*.kernel*"), *cache_folder().glob("*.warm*")]:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            removed += ".kernel" in path.name
    return removed


def read_checked(path: Path) -> bytes | None:
    """The payload of a file; None when there is no such file or it is damaged."""
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
    """Write a file. A cache that cannot be written (a full disk, a read-only home) costs time, never the work."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_unused(path.parent)
        _write_atomically(path, _checksum(path, payload) + payload)


def _checksum(path: Path, payload: bytes) -> bytes:
    """Of the payload and the key that the file is named by: a file under another name is not taken for ours."""
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
    """Once per process: delete the files that have not been loaded for a month."""
    limit = time.time() - UNUSED_AFTER_SECONDS
    for path in [*folder.glob("*.kernel*"), *folder.glob("*.warm*")]:
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < limit:
                path.unlink()
