"""`starscout warm`: kernels are compiled once."""

import json
from pathlib import Path

from tests.cli.conftest import CommandLine


def test_second_warm_compiles_nothing(command_line: CommandLine, tmp_path: Path) -> None:
    words = ("warm", "ewn-3x3-1", "random", "--workers", "1", "--json")
    first = json.loads(command_line(*words, STARSCOUT_CACHE=str(tmp_path)).stdout)
    assert set(first) == {"kernels", "seconds"}
    assert first["kernels"] > 5
    assert json.loads(command_line(*words, STARSCOUT_CACHE=str(tmp_path)).stdout)["kernels"] == 0
    assert len(list((tmp_path / "kernels").glob("*.warm"))) == 1


def test_unknown_player_is_rejected(command_line: CommandLine) -> None:
    done = command_line("warm", "ewn", "strnog")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'strong'?" in done.stderr
