"""`starscout`: every command is there, and whatever goes wrong is a sentence and an exit code."""

import json

import pytest

from starscout.cli.main import COMMANDS, _shielded
from tests.cli.conftest import CommandLine


def test_a_board_that_begins_with_a_dash_is_no_option(command_line: CommandLine) -> None:
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
        (("laws", "chess"), "no game 'chess'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    command_line: CommandLine, words: tuple[str, ...], complaint: str
) -> None:
    ended = command_line(*words)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert complaint in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_the_help_names_every_command_and_needs_no_compiler(command_line: CommandLine) -> None:
    shown = command_line("--help", PYTHONPROFILEIMPORTTIME="1")
    listed = [line.split()[0] for line in shown.stdout.partition("Commands:")[2].splitlines() if line.strip()]
    assert listed == list(COMMANDS)
    assert "typer" in shown.stderr
    assert "numba" not in shown.stderr


def test_a_board_of_othello_is_shielded_and_nothing_else() -> None:
    board = "-" * 64
    assert _shielded(f"{board} X") == f" {board} X"
    for word in ("--json", "-r", "-", "--", "-X", f"{board} Y", "123../45 r"):
        assert _shielded(word) == word
