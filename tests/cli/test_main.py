"""`starscout`: every command exists; errors become messages and exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from starscout.cli.main import COMMANDS, _escaped
from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE


def test_board_with_a_leading_dash_is_not_an_option(command_line: CommandLine) -> None:
    start = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"
    assert json.loads(command_line("show", "othello", start, "--json").stdout)["position"] == start


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("show", "othelo"), "no game 'othelo'; did you mean othello?"),
        (("show", "ewn", "123../45"), "3 fields"),
        (("show", "./nowhere.py"), "no game file"),
        (("replay", "nowhere.txt"), "nowhere.txt: No such file"),
        (("puzzle", "nowhere.txt"), "nowhere.txt: No such file"),
        (("puzzle", "/proc/self/mem"), "/proc/self/mem: Input/output error"),
        (("replay", "/proc/self/mem"), "/proc/self/mem: Input/output error"),
        (("tournament", "ewn", "--round-robin", "--players", "/proc/self/mem"), "/proc/self/mem: Input/output error"),
        (("laws", "chess"), "no game 'chess'"),
    ],
)
def test_invalid_input_exits_with_2(plain_command_line: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    ended = plain_command_line(*words)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert complaint in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_help_lists_every_command_without_the_compiler(command_line: CommandLine) -> None:
    shown = command_line("--help", PYTHONPROFILEIMPORTTIME="1")
    listed = [line.split()[0] for line in shown.stdout.partition("Commands:")[2].splitlines() if line.strip()]
    assert listed == list(COMMANDS)
    assert "typer" in shown.stderr
    assert "numba" not in shown.stderr


def test_a_board_of_othello_is_escaped_and_nothing_else() -> None:
    board = "-" * 64
    assert _escaped(f"{board} X") == f" {board} X"
    for word in ("--json", "-r", "-", "--", "-X", f"{board} Y", "123../45 r"):
        assert _escaped(word) == word


LOADED = """
import sys
from starscout.cli.main import COMMANDS, main
try:
    main()
except SystemExit:
    print(*(name for name in sorted(set(COMMANDS.values())) if f"starscout.cli.{name}" in sys.modules), file=sys.stderr)
"""


def test_a_command_is_loaded_without_the_others() -> None:
    command = [sys.executable, "-c", LOADED, "show", "ewn"]
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=plain, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == "positions\n"


def test_garbage_collection_is_enabled_while_a_command_runs(command_line: CommandLine, tmp_path: Path) -> None:
    game = tmp_path / "mine.py"
    game.write_text("import gc\nraise RuntimeError(f'collecting: {gc.isenabled()}')\n")
    assert "collecting: True" in command_line("show", str(game)).stderr
