"""A store that cannot be written: one-line message, exit code, finished pairs are kept."""

import ctypes
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import starscout
from tests.command_line import run as run_command

ROOT = Path(starscout.__file__).parents[1]
MATCH = ("match", "ewn-3x3-3", "random", "random", "--workers", "0", "--luck", "off", "--json")


def run(*words: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    if not options:
        return run_command(words, folder=ROOT)
    return subprocess.run(
        [sys.executable, "-m", "starscout", *words], capture_output=True, text=True, timeout=600, cwd=ROOT, **options
    )


def test_full_disk_ends_the_match_and_keeps_finished_pairs(tmp_path: Path) -> None:
    store = str(tmp_path / "a.sqlite")

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    full = run(*MATCH, "--pairs", "20000", "--store", store, preexec_fn=small_files)
    assert (full.returncode, full.stdout) == (1, "")
    assert full.stderr.startswith(f"starscout: {store}: cannot write: ")
    assert len(full.stderr.splitlines()) == 1
    kept = json.loads(run("results", "--store", store, "--json").stdout)["matches"][0]["pairs"]
    assert kept > 0


def as_an_ordinary_user() -> None:
    """Drop CAP_DAC_OVERRIDE for the next program, so that file permissions also apply to root."""
    drop_from_bounding_set, pass_over_permissions = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, pass_over_permissions, 0, 0, 0)


def test_finished_match_in_a_read_only_store_is_shown(tmp_path: Path) -> None:
    store = tmp_path / "folder" / "a.sqlite"
    played = run(*MATCH, "--pairs", "3", "--store", str(store))
    assert played.returncode == 0, played.stderr
    store.chmod(0o444)
    store.parent.chmod(0o555)
    try:
        shown = run(*MATCH, "--pairs", "3", "--store", str(store), preexec_fn=as_an_ordinary_user)
        assert json.loads(shown.stdout) == json.loads(played.stdout), shown.stderr
        listed = run("results", "--store", str(store), "--json", preexec_fn=as_an_ordinary_user)
        assert json.loads(listed.stdout)["matches"][0]["pairs"] == 3, listed.stderr
        more = run(*MATCH, "--pairs", "4", "--store", str(store), preexec_fn=as_an_ordinary_user)
        assert more.returncode == 1
        assert "cannot write" in more.stderr
    finally:
        store.parent.chmod(0o755)


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    folder = run(*MATCH, "--store", str(tmp_path))
    assert (folder.returncode, folder.stdout) == (2, "")
    assert f"{tmp_path}: not a result store" in folder.stderr
    missing = run("results", "--store", str(tmp_path / "none.sqlite"))
    assert missing.returncode == 2
    assert "there is no store at" in missing.stderr
    assert not (tmp_path / "none.sqlite").exists()
