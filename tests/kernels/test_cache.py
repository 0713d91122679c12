"""Cache files: a damaged or renamed file counts as missing."""

from pathlib import Path

import pytest

from starscout.kernels.cache import cache_files, cache_folder, clear_cache, read_checked, write_checked


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))


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


def test_clear_cache_deletes_markers_and_counts_kernels() -> None:
    for name in ("one.kernel", "two.kernel", "three.warm"):
        write_checked(cache_folder() / name, b"code")
    assert clear_cache() == 2
    assert list(cache_folder().iterdir()) == []
