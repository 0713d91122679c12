"""`starscout engine`: error messages."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--protocol", "xyz"), "there is no protocol 'xyz' (known: lab, tcg-ewn, tcg-raw, tcg-dark, otp, "),
        (("--protocol", "nboard", "--connect", "127.0.0.1:1"), "nboard works only over standard input and output"),
        (("--protocol", "tcg-raw", "--game", "ewn"), "the protocol tcg-raw is for ewn-cyclic and kari, not for ewn"),
        (("--connect", "nowhere"), "address: expected HOST:PORT such as 127.0.0.1:7122, got 'nowhere'"),
    ],
)
def test_invalid_input(words: tuple[str, ...], complaint: str, plain_command_line: CommandLine) -> None:
    done = plain_command_line("engine", "random", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_for_referees_that_take_no_arguments(command_line: CommandLine, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    words = ("engine", "random", "--protocol", "tcg-ewn", "--name", "Foo", "--write", str(agent))
    assert command_line(*words, STARSCOUT_CACHE=str(tmp_path / "cache")).returncode == 0
    # The player is compiled ahead of time.
    assert len(list((tmp_path / "cache").rglob("*.warm"))) == 1
    done = subprocess.run(
        [str(agent)],
        input="name\nget R 2 D4 D5 E5 E4 C5 E3 B2 B1 A1 A2 C1 A3\nexit\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    name, move = done.stdout.splitlines()
    assert name == "Foo"
    assert move in ("B1 C1", "B1 B2", "B1 C2")
