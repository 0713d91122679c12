"""Checking and reviewing engines, from an installed wheel in a folder without the sources."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import wheel
from tests.blocks import ROOT

pytestmark = pytest.mark.slow

BUGS = (
    "", "wrong keyword", "missing flush", "debug output", "CRLF", "late answer", "crash", "illegal move",
    "wrong handshake",
)  # fmt: skip
"""The kind of problem for each value of BUG in bugs.cpp."""
SECONDS = 15.0
"""Time in which a bug has to be named."""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("bug", range(len(BUGS)), ids=lambda bug: BUGS[bug] or "none")
def test_check_names_the_bug_of_a_cpp_engine(tmp_path: Path, bug: int) -> None:
    source = ROOT / "tests" / "protocols" / "bugs.cpp"
    assert len(source.read_text().splitlines()) <= 60
    subprocess.run(["g++", "-O1", "-Wall", "-Werror", f"-DBUG={bug}", "-o", tmp_path / "engine", source], check=True)
    for engine in ("lab:./engine", "./engine"):
        ended = wheel.run("starscout", "check", "ewn", engine, "--json", folder=tmp_path, timeout=300)
        assert ended.returncode == (1 if bug else 0), ended.stderr
        value = json.loads(ended.stdout)
        assert [problem["kind"] for problem in value["problems"]] == ([BUGS[bug]] if bug else [])
        # Without a handshake the protocol of a command remains unknown.
        unknown = engine == "./engine" and BUGS[bug] == "wrong handshake"
        assert (value["ok"], value["protocol"]) == (not bug, "" if unknown else "lab")
        assert value["seconds"] < SECONDS
