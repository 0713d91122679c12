"""Programs that connect to a port of the referee: `otp:./search {port}`."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import starscout
from starscout.protocols import process, sandbox
from tests.blocks import ROOT

RULES = re.search(
    r"Save as `reversi.py`:\n\n```python\n(.*?)```", (ROOT / "docs" / "protocols.md").read_text("utf-8"), re.DOTALL
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert RULES is not None
    (tmp_path / "reversi.py").write_text(RULES[1])
    shutil.copy(ROOT / "tests" / "protocols" / "tcp_engine.py", tmp_path)
    return tmp_path


def test_engine_that_connects_plays(folder: Path) -> None:
    spec = f"otp:{sys.executable} -IS tcp_engine.py {{port}}"
    result = starscout.check("othello", spec)
    assert (result.ok, result.games, result.problems) == (True, 2, ())
    played = starscout.match(
        "othello", spec, "random", pairs=1, workers=0, store=":memory:", opening_plies=0, progress=False
    )
    assert (played.games, sum(map(len, played.forfeits.values()))) == (2, 0)


def test_engine_that_never_connects(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CONNECT_SECONDS", 0.3)
    (problem,) = starscout.check("othello", "otp:/bin/sleep 60{port}").problems
    assert re.search(r"did not connect to port \d+ within 0.3 s", problem.message)


def test_engine_that_ends_before_it_connects(folder: Path) -> None:
    (problem,) = starscout.check("othello", "otp:/bin/sh -c 'echo no model >&2; exit 3' {port}").problems
    assert problem.kind == "crash"
    assert "exited with exit code 3" in problem.message


def test_other_protocols_have_no_port(folder: Path) -> None:
    with pytest.raises(starscout.GameError, match="engines of gtp do not connect over TCP"):
        starscout.check("othello", "gtp:/bin/true {port}")


@pytest.mark.skipif(sandbox.active_level() == "off", reason="programs are not isolated")
def test_only_ipv4_is_allowed() -> None:
    script = "import socket; socket.socket(socket.AF_INET); print('IPv4'); socket.socket(socket.AF_UNIX)"
    for network, printed in ((True, b"IPv4\n"), (False, b"")):
        started, lifeline = sandbox.launch([sys.executable, "-ISu", "-c", script], network=network)
        with started:
            output, errors = started.communicate(timeout=60)
        os.close(lifeline)
        assert (output, b"PermissionError" in errors) == (printed, True)
