"""Cache files: a damaged, renamed or planted file counts as missing."""

import hashlib
import os
import stat
from pathlib import Path

import pytest

from starscout.kernels import cache
from starscout.kernels.cache import cache_files, cache_folder, clear_cache, read_checked, write_checked


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "_warned", set())


def test_payloads_are_read_back() -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    assert read_checked(file) == b"code"
    assert cache_files() == [file]


def test_a_damaged_or_renamed_file_is_missing() -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    file.rename(file.with_name("two.kernel"))
    assert read_checked(file.with_name("two.kernel")) is None
    write_checked(file, b"code")
    file.write_bytes(file.read_bytes()[:-1])
    assert read_checked(file) is None
    assert read_checked(file.with_name("none.kernel")) is None


def forged(file: Path, payload: bytes) -> bytes:
    """Return the content of a file with a checksum that needs no key."""
    return hashlib.blake2b(file.name.encode() + payload, digest_size=cache.SIGNATURE_BYTES).digest() + payload


def test_a_planted_file_is_missing() -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    file.write_bytes(forged(file, b"other code"))
    assert read_checked(file) is None


def test_a_file_with_another_key_is_missing(tmp_path: Path) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    key = tmp_path / cache.KEY_FILE
    assert (key.stat().st_mode & 0o777, key.stat().st_size) == (0o600, cache.KEY_BYTES)
    key.write_bytes(b"x" * cache.KEY_BYTES)
    cache._key.cache_clear()
    assert read_checked(file) is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_missing(mode: int) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    file.chmod(mode)
    assert read_checked(file) is None
    file.chmod(0o644)
    assert read_checked(file) == b"code"


@pytest.mark.parametrize("mode", [0o770, 0o757, 0o777])
def test_a_folder_that_others_can_write_is_not_used(mode: int, capsys: pytest.CaptureFixture[str]) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    assert cache_folder().stat().st_mode & 0o077 == 0
    cache_folder().chmod(mode)
    assert read_checked(file) is None
    write_checked(file.with_name("two.kernel"), b"code")
    assert cache_files() == [file]
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert f"{cache_folder()} belongs to or can be changed by another user" in message


@pytest.mark.parametrize("which", ["one.kernel", "", "../kernels.key"])
def test_files_of_another_user_are_not_used(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    theirs = (cache_folder() / which).stat().st_ino
    check = cache._check_owner

    def owned_by_another(status: os.stat_result, path: Path, forbidden: int) -> None:
        fields = list(status)
        if status.st_ino == theirs:
            fields[stat.ST_UID] = os.geteuid() + 1
        check(os.stat_result(fields), path, forbidden)

    monkeypatch.setattr(cache, "_check_owner", owned_by_another)
    cache._key.cache_clear()
    assert read_checked(file) is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    file.rename(tmp_path / "one.kernel")
    file.symlink_to(tmp_path / "one.kernel")
    assert read_checked(file) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_is_not_used(mode: int, tmp_path: Path) -> None:
    file = cache_folder() / "one.kernel"
    write_checked(file, b"code")
    (tmp_path / cache.KEY_FILE).chmod(mode)
    cache._key.cache_clear()
    assert read_checked(file) is None


def test_a_damaged_key_is_replaced(tmp_path: Path) -> None:
    file = cache_folder() / "one.kernel"
    (tmp_path / cache.KEY_FILE).touch(0o600)
    write_checked(file, b"code")
    cache._key.cache_clear()
    assert read_checked(file) == b"code"


def test_clear_cache_deletes_markers_and_counts_kernels() -> None:
    for name in ("one.kernel", "two.kernel", "three.warm"):
        write_checked(cache_folder() / name, b"code")
    assert clear_cache() == 2
    assert list(cache_folder().iterdir()) == []
