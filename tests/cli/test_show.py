"""`starscout show`, `laws` and `puzzle`: text and JSON output."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import CommandLine

EXAMPLE = Path(__file__).parents[2] / "examples" / "connect_four.py"


def test_position_is_plain_text_in_a_pipe(command_line: CommandLine) -> None:
    text = "123../45.../6...f/...ed/..cba r 4"
    drawn = command_line("show", "ewn", text).stdout
    assert "\x1b" not in drawn
    assert " 3   6    ·    ·    ·   (6)" in drawn
    assert "red to move, die 4" in drawn
    assert "moves: A2B2 A2A3 A2B3" in drawn


def test_show_as_json(command_line: CommandLine) -> None:
    shown = json.loads(command_line("show", "ewn", "123../45.../6...f/...ed/..cba b 6", "--json").stdout)
    assert shown == {
        "position": "123../45.../6...f/...ed/..cba b 6",
        "mover": "blue",
        "die": 6,
        "over": False,
        "moves": ["E3D3", "E3E2", "E3D2"],
    }


def test_show_uses_color_on_a_terminal() -> None:
    import pty

    def seen(**environment: str) -> str:
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "starscout", "show", "ewn"]
        variables = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        settings = {**variables, "TERM": "xterm-256color", **environment}
        with subprocess.Popen(command, stdout=follower, cwd=Path(__file__).parents[2], env=settings):
            os.close(follower)
            output = b""
            while True:
                try:
                    part = os.read(leader, 65536)
                except OSError:
                    break
                if not part:
                    break
                output += part
        os.close(leader)
        return output.decode()

    assert "\x1b[" in seen()
    assert "\x1b[" not in seen(NO_COLOR="1")


def test_user_game_by_path(command_line: CommandLine, tmp_path: Path) -> None:
    copy = tmp_path / "my_game.py"
    copy.write_text(EXAMPLE.read_text())
    assert json.loads(command_line("perft", str(copy), "7", "--json").stdout)["nodes"] == 823536
    copy.write_text("GAME = 3\n")
    assert "does not define GAME" in command_line("show", str(copy)).stderr
    copy.write_text("1 / 0\n")
    assert "ZeroDivisionError" in command_line("show", str(copy)).stderr


def test_violated_law_exits_with_1(command_line: CommandLine, tmp_path: Path) -> None:
    copy = tmp_path / "broken.py"
    copy.write_text(EXAMPLE.read_text().replace("max_plies=ROWS * COLUMNS", "max_plies=5"))
    ended = command_line("laws", str(copy), "--games", "3")
    assert ended.returncode == 1
    assert "longer than max_plies" in ended.stderr


def test_puzzle_prints_the_course_format(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("3 3\n2 0 0\n0 4 0\n0 0 0\n1\n3\n2\n")
    assert command_line("puzzle", str(file)).stdout == "2\n2 7\n2 7\n"
    solved = json.loads(command_line("puzzle", str(file), "--json").stdout)
    assert solved == {"moves": [[2, 7], [2, 7]], "length": 2, "proven": True}
    file.write_text("3 3\n1 0 0\n0 2 0\n0 0 0\n1\n1\n2\n")
    ended = command_line("puzzle", str(file))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "no solution" in ended.stderr


def test_puzzle_of_dark_chess_prints_the_course_format(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("K1a5/8/8/8 b\n", encoding="utf-8")
    seconds, length, *moves = command_line("puzzle", str(file)).stdout.splitlines()
    assert float(seconds) >= 0
    assert (length, moves) == ("2", ["MOVE A1 B1", "MOVE B1 C1"])
    assert json.loads(command_line("puzzle", str(file), "--json").stdout)["moves"] == moves
