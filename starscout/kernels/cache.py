"""The cache of compiled kernels, in the user's cache folder.

A file contains a signature of its name and payload, then the payload. Loading a kernel executes code, so a file counts
as missing unless this user has written it: the signature needs the user's secret key, a file beside the folder, and the
file, its folder and the key must belong to the user (or root) and must not be writable by others. Files are written by
an atomic rename; a damaged, incomplete or renamed file counts as missing.
"""

import contextlib
import functools
import hashlib
import hmac
import os
import stat
import tempfile
import time
from pathlib import Path

from starscout.kernels import notices

UNUSED_AFTER_SECONDS = 30 * 24 * 3600
SIGNATURE_BYTES = 32
KEY_FILE = "kernels.key"
KEY_BYTES = 32
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_READ = stat.S_IRGRP | stat.S_IROTH


class UntrustedFileError(OSError):
    """A file or folder that another user can change."""


def cache_folder() -> Path:
    """The folder of compiled kernels: in STARSCOUT_CACHE, else in the user's cache folder."""
    chosen = os.environ.get("STARSCOUT_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "starscout" / "kernels"


def make_cache_folder() -> Path:
    """Create the folder, writable only by the user. Raises OSError."""
    folder = cache_folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


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
    """The payload of a file; None if it is missing, damaged, or not written by this user."""
    try:
        _check_folder(path.parent)
        key = _key(path.parent.parent / KEY_FILE)
        content = _read_own(path, OTHERS_WRITE)
    except OSError:
        return None
    signature, payload = content[:SIGNATURE_BYTES], content[SIGNATURE_BYTES:]
    if not hmac.compare_digest(_signature(key, path, payload), signature):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return payload


def write_checked(path: Path, payload: bytes) -> None:
    """Write a file; ignore a cache folder that cannot be written (full disk, read-only home) or is not trusted."""
    with contextlib.suppress(OSError):
        make_cache_folder()
        _check_folder(path.parent)
        _remove_unused(path.parent)
        key = _key(path.parent.parent / KEY_FILE)
        _write_atomically(path, _signature(key, path, payload) + payload)


def _signature(key: bytes, path: Path, payload: bytes) -> bytes:
    """Signature of the file name, which contains the digest of the kernel, and the payload."""
    return hashlib.blake2b(path.name.encode() + payload, digest_size=SIGNATURE_BYTES, key=key).digest()


@functools.cache
def _key(path: Path) -> bytes:
    """The secret key of this user, created if it is missing or damaged. Raises OSError if it is not trusted."""
    with contextlib.suppress(FileNotFoundError):
        key = _read_key(path)
        if len(key) == KEY_BYTES:
            return key
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass  # Another process has just created the key: use that one.
        except OSError:
            os.replace(temporary, path)  # A file system without links.
    finally:
        Path(temporary).unlink(missing_ok=True)
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    try:
        return _read_own(path, OTHERS_WRITE | OTHERS_READ)
    except UntrustedFileError:
        _warn(f"kernels are not cached: {path} belongs to or can be read by another user; delete it or `chmod 600` it")
        raise


def _read_own(path: Path, forbidden: int) -> bytes:
    """The content of a file of this user without these permissions. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        _check_owner(os.fstat(handle), path, forbidden)
        return file.read()


def _check_folder(folder: Path) -> None:
    """Print a notice and raise OSError if another user can write to the folder."""
    try:
        _check_owner(os.stat(folder), folder, OTHERS_WRITE)
    except UntrustedFileError:
        _warn(f"kernels are not cached: {folder} belongs to or can be changed by another user; try `chmod go-w` on it")
        raise


def _check_owner(status: os.stat_result, path: Path, forbidden: int) -> None:
    """Raise UntrustedFileError unless it belongs to this user or root and lacks the forbidden permissions."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & forbidden:
        raise UntrustedFileError(f"{path}: not trusted")


_warned: set[str] = set()


def _warn(message: str) -> None:
    """Print a message once per process."""
    if message not in _warned:
        _warned.add(message)
        notices.print_notice(message)


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
