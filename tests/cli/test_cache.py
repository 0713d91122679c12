"""`starscout cache`: location, number and deletion of compiled kernels."""

import json
from pathlib import Path


def test_shows_and_clears(command_line, tmp_path: Path):
    environment = {"STARSCOUT_CACHE": str(tmp_path)}
    empty = json.loads(command_line("cache", "--json", **environment).stdout)
    assert empty == {"folder": str(tmp_path / "kernels"), "kernels": 0, "bytes": 0, "removed": 0}

    assert command_line("show", "othello-4x4", **environment).returncode == 0
    filled = json.loads(command_line("cache", "--json", **environment).stdout)
    assert filled["kernels"] > 0
    assert filled["bytes"] > 1000
    assert f"{filled['kernels']} kernels" in command_line("cache", **environment).stdout

    cleared = json.loads(command_line("cache", "--clear", "--json", **environment).stdout)
    assert cleared == {**empty, "removed": filled["kernels"]}
