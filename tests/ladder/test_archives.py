"""Untrusted archives."""

import io
import os
import random
import stat
import zipfile
from pathlib import Path

import pytest

from starscout.ladder.archives import ArchiveError, content_hash, keep_regular, unpack


def zipped(
    *files: tuple[str, bytes], mode: int = 0o644, kind: int = stat.S_IFREG, method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (kind | mode) << 16
            entry.compress_type = method
            archive.writestr(entry, data)
    return content.getvalue()


def nameless() -> bytes:
    """An archive with a file whose name is empty."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a"), b"x")
        archive.infolist()[0].filename = ""
    return content.getvalue()


def test_a_zip_is_unpacked_without_its_outer_folder(tmp_path: Path) -> None:
    unpack("x.zip", zipped(("top/run", b"#!/bin/sh\n"), ("top/data/a.txt", b"a")), tmp_path / "out", 1, 10)
    assert (tmp_path / "out" / "data" / "a.txt").read_text() == "a"
    assert os.access(tmp_path / "out" / "run", os.X_OK)
    assert not os.access(tmp_path / "out" / "data" / "a.txt", os.X_OK)


def test_a_single_file_keeps_its_name(tmp_path: Path) -> None:
    unpack("../../agent.py", b"x = 1\n", tmp_path / "out", 1, 10)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["agent.py"]
    assert not (tmp_path.parent / "agent.py").exists()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (zipped(("../evil", b"x")), "not accepted"),
        (zipped(("/etc/evil", b"x")), "not accepted"),
        (zipped(("a/../../evil", b"x")), "not accepted"),
        (zipped(("..\\evil", b"x")), "not accepted"),
        (zipped(("c:evil", b"x")), "not accepted"),
        (zipped(("bell\x07", b"x")), "not accepted"),
        (zipped(("a" * 300, b"x")), "too long"),
        (zipped(("link", b"/etc/passwd"), kind=stat.S_IFLNK), "is a link"),
        (zipped(("pipe", b""), kind=stat.S_IFIFO), "special file"),
        (zipped(("zeros", bytes(5_000_000))), "compressed by more than a factor of 100"),
        (zipped(*((f"{n}", b"x") for n in range(11))), "11 files; at most 10"),
        (zipped(*((f"{n}", os.urandom(990_000)) for n in range(2))), "at most 1 MB"),
        (zipped(("a", b"x"), ("a/b", b"x")), "same path"),
        (zipped(("a", b"x")) [:-10], "cannot be unpacked"),
        (nameless(), "not accepted|cannot be unpacked"),
        (zipped(("a", bytes(100)), method=zipfile.ZIP_LZMA), "uses a compression method other than deflate"),
        (zipped(("a", bytes(100)), method=zipfile.ZIP_BZIP2), "uses a compression method other than deflate"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_dangerous_archives_are_refused(tmp_path: Path, data: bytes, expected: str) -> None:
    with pytest.raises(ArchiveError, match=expected):
        unpack("x.zip", data, tmp_path / "deep" / "out", 1, 10)
    assert not list(tmp_path.rglob("evil*"))


def test_a_size_that_an_archive_declares_is_not_believed(tmp_path: Path) -> None:
    data = bytearray(zipped(("random", os.urandom(60_000))))
    # The declared size, in the entry and in the directory at the end.
    for place in (data.index(b"PK\x03\x04") + 22, data.index(b"PK\x01\x02") + 24):
        data[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ArchiveError):
        unpack("x.zip", bytes(data), tmp_path / "out", 1, 10)


def test_links_of_a_build_are_removed(tmp_path: Path) -> None:
    (tmp_path / "engine").write_text("x")
    (tmp_path / "inner").mkdir()
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "inner" / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "inner" / "pipe")
    keep_regular(tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["engine", "inner"]
    assert Path("/etc/passwd").exists()


def test_the_hash_depends_on_names_modes_and_contents(tmp_path: Path) -> None:
    unpack("x.zip", zipped(("a", b"1"), ("b", b"2")), tmp_path / "one", 1, 10)
    unpack("y.zip", zipped(("top/b", b"2"), ("top/a", b"1")), tmp_path / "two", 1, 10)
    assert content_hash(tmp_path / "one") == content_hash(tmp_path / "two")
    (tmp_path / "two" / "a").chmod(0o755)
    assert content_hash(tmp_path / "one") != content_hash(tmp_path / "two")


@pytest.mark.filterwarnings("ignore")
def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    """`zipfile` raises many kinds of errors, of which only some are documented."""
    chance = random.Random(1)
    files = ("top/agent.py", b"class Agent: ...\n" * 20), ("top/\u00e9", bytes(range(256)))
    methods = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA
    whole = [zipped(*files, method=method) for method in methods]
    refused = 0
    for number in range(400):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(4, len(data))
            if chance.random() < 0.8:
                data[place] = chance.randrange(256)
            else:
                del data[place : place + chance.randrange(20)]
        try:
            unpack("x.zip", bytes(data), tmp_path / str(number), 1, 10)
        except ArchiveError:
            refused += 1
    assert refused > 200
