"""Programs that connect to a port of the referee: `otp:./search {port}`."""

import os
import re
import shutil
import socket
import sys
from pathlib import Path

import pytest

import starscout
from starscout.protocols import process, sandbox
from starscout.protocols.confinement import landlock_version
from starscout.protocols.readable_files import HOST_FILES
from tests.blocks import ROOT
from tests.patience import PATIENCE

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


CONNECTS = """
import socket, sys
for kind, port in [(socket.SOCK_STREAM, port) for port in sys.argv[1:]] + [(socket.SOCK_DGRAM, sys.argv[1])]:
    try:
        socket.socket(socket.AF_INET, kind).connect(("localhost", int(port)))
        print("connected")
    except OSError as error:
        print(type(error).__name__)
try:
    socket.socket(socket.AF_UNIX)
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "rlimits"])
def test_an_engine_connects_to_the_port_of_the_referee_only(level: str) -> None:
    support = sandbox.probe((level,))
    if support.level != level:
        pytest.skip(f"{level} does not work here: {support.problem}")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        ports = [listener.getsockname()[1] for listener in (server, other)]
        command = [sys.executable, "-ISu", "-c", CONNECTS, *map(str, ports)]
        started, lifeline = sandbox.launch(command, readable=HOST_FILES, support=support, port=ports[0])
        with started:
            output, _ = started.communicate(timeout=PATIENCE)
        os.close(lifeline)
    refused = ["PermissionError"] * 3
    if landlock_version() < 4:
        refused[0] = "connected"
    assert output.decode().split() == ["connected", *refused]
