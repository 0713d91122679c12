"""`starscout check`: text, JSON and exit codes."""

import json
from pathlib import Path

import pytest

from tests.command_line import run


def test_exit_codes_and_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(["check", "ewn-3x3-3", "random", "--json"])
    value = json.loads(done.stdout)
    assert (done.returncode, value["ok"], value["games"], value["problems"]) == (0, True, 2, [])
    Path("broken").write_text("#!/bin/sh\necho no model >&2\nexit 3\n")
    Path("broken").chmod(0o755)
    done = run(["check", "ewn-3x3-3", "lab:./broken"])
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[0].startswith("crash: lab:./broken exited with exit code 3")
    assert done.stdout.splitlines()[-1] == "lab:./broken does not work"
    assert run(["check", "ewn-3x3-3", "lab:./none"]).returncode == 2
