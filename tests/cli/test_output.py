"""Output in any encoding, without colors, and in narrow terminals."""

import contextlib
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.table import Table

import starscout
from starscout.cli.output import console, print_json
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]
DICE_RACE = str(ROOT / "examples" / "dice_race.py")
POSITION = "123../45.../6...f/...ed/..cba r 4"
ENCODINGS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
QUICK = ("--pairs", "2", "--workers", "0", "--store", ":memory:")
COMMANDS = {
    "games": ("games",),
    "players": ("players",),
    "players of a game": ("players", "othello"),
    "show": ("show", "othello"),
    "show ewn": ("show", "ewn", POSITION),
    "analyse": ("analyse", "ewn", POSITION, "--player", "mcts", "--simulations", "50"),
    "rollout": ("rollout", "ewn-3x3-1", "1../.../..a r -", "--trials", "36"),
    "solve": ("solve", "ewn-3x3-1", "1../.../..a r -"),
    "laws": ("laws", "kari", "--games", "1"),
    "perft": ("perft", "ewn", "1"),
    "playouts": ("playouts", "ewn-3x3-3", "--seconds", "0.01"),
    "play": ("play", "ewn-cyclic", "--against", "random", "--seed", "1"),
    "match": ("match", "ewn-3x3-3", "random", "random", *QUICK),
    "tournament": ("tournament", "ewn-3x3-3", "random", "random", "--round-robin", *QUICK),
    "tune": ("tune", "ewn-3x3-3", "mcts simulations=5", "--parameters", "c=1:0.2:2", "--steps", "1", *QUICK),
    "game": ("game", "-p0", "easy", "-p1", "easy", "--seed", "1", "--store", ":memory:"),
    "results": ("results", "--store", ":memory:"),
    "experiment": ("experiment",),
    "cache": ("cache",),
    "help": ("--help",),
    "help of a command": ("match", "--help"),
    "bad input": ("show", "ewn", "würfel"),
}

SAMPLE = ("games", "players of a game", "show ewn", "analyse", "laws", "match", "game", "help", "bad input")
"""Commands in the default suite: lists, boards, tables, results, help, errors."""


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    return {**kept, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1", **changes}


def run(words: tuple[str, ...], said: str = "", **changes: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "starscout", *words],
        env=environment(**changes),
        input=said.encode(),
        capture_output=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        *((name, "ascii") for name in COMMANDS if name in SAMPLE),
        *(pytest.param(name, "ascii", marks=pytest.mark.slow) for name in COMMANDS if name not in SAMPLE),
        *(pytest.param(name, "cp1252", marks=pytest.mark.slow) for name in COMMANDS if name != "show ewn"),
        *(("show", "C"), ("play", "C"), ("show ewn", "cp1252")),
    ],
)
def test_every_command_prints_in_every_encoding(name: str, encoding: str) -> None:
    ended = run(COMMANDS[name], "help\nlist\nhälp\n1\nquit\n", **ENCODINGS[encoding])
    said = ended.stdout + ended.stderr
    assert b"Traceback" not in ended.stderr, ended.stderr.decode("latin-1")
    assert ended.returncode == (2 if name == "bad input" else 0), ended.stderr.decode("latin-1")
    assert said.decode("cp1252" if encoding == "cp1252" else "ascii")


@pytest.mark.slow
def test_demo_in_ascii() -> None:
    ended = run(("demo",), **ENCODINGS["ascii"], NUMBA_DISABLE_JIT="0")
    assert ended.returncode == 0, ended.stderr.decode("latin-1")
    shown = ended.stdout.decode("ascii")
    assert all(f"\n {name} " in shown for name in ("ewn", "ewn-cyclic", "kari", "othello"))
    assert "red wins 58.7% (value +0.1744) with A2B2" in shown
    assert "200 in 100 pairs" in shown
    assert "The deeper player is stronger: the luck-adjusted 95 % interval of 200 games excludes 50 %" in shown


def test_missing_characters_are_replaced_by_ascii() -> None:
    drawn = run(("show", "othello"), PYTHONIOENCODING="ascii").stdout.decode("ascii")
    assert " 4   .    .    .    O    X    .    .    ." in drawn
    assert "(2-2)" in drawn
    listed = run(("games",), PYTHONIOENCODING="ascii").stdout.decode("ascii")
    assert "EinStein wurfelt nicht!" in listed
    assert "5x5" in listed
    assert "5×5" in run(("games",), PYTHONIOENCODING="cp1252").stdout.decode("cp1252")
    assert "●" in run(("show", "othello"), PYTHONIOENCODING="utf-8").stdout.decode("utf-8")


def on_a_terminal(words: tuple[str, ...], columns: int, said: str = "", **changes: str) -> str:
    """Output of a command on a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = environment(TERM="xterm-256color", COLUMNS=str(columns), **changes)
    variables.pop("NO_COLOR", None) if "NO_COLOR" not in changes else None
    command = [sys.executable, "-m", "starscout", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=follower, env=variables) as process:
        os.close(follower)
        assert process.stdin is not None
        process.stdin.write(said.encode())
        process.stdin.close()
        output = b""
        with contextlib.suppress(OSError):
            while part := os.read(leader, 65536):
                output += part
    os.close(leader)
    return output.decode().replace("\r\n", "\n")


def test_play_without_colors_distinguishes_the_sides() -> None:
    words = ("play", "ewn", "--against", "random", "--seed", "1")
    plain = on_a_terminal(words, 80, "quit\n", NO_COLOR="1")
    assert "\x1b[" not in plain
    assert {f"({cube})" for cube in range(1, 7)} <= set(plain.split())
    assert "\x1b[" in on_a_terminal(words, 80, "quit\n")


@pytest.mark.parametrize("columns", [80, 40, 20, 14])
@pytest.mark.parametrize("colours", [{}, {"NO_COLOR": "1"}])
def test_no_row_of_a_board_is_broken(columns: int, colours: dict[str, str]) -> None:
    import re

    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(("show", "othello"), columns, **colours))
    numbers = [line.split()[0] for line in shown.splitlines() if re.match(r" \d +[·●○]", line)]
    assert numbers == list("12345678")
    assert max(map(len, shown.splitlines())) <= columns


def test_the_dice_to_come_are_shown_where_they_are_known() -> None:
    text = "012..../34...../5....../......f/.....ed/....cba r 340123401234012340123 0"
    assert "die 3, then 4 0 1 2 3 4 0 1 2 3" in run(("show", "ewn-cyclic", text)).stdout.decode()
    played = run(("play", "ewn-cyclic", "--against", "random", "--seed", "1"), "quit\n").stdout.decode()
    assert "red to move, die " in played
    assert len(played.split(", then ")[1].split("…")[0].split()) == 10


def test_die_of_a_user_game_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "named_die.py"
    text = (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")
    named = '    die=lambda position, roll: ("one", "two", "three", "four")[roll - 1] if roll else None,\n'
    file.write_text(text.replace("    typical_plies=14,\n", "    typical_plies=14,\n" + named), encoding="utf-8")
    start = "xxx......ooo x"
    assert "die four: " in run(("show", str(file), f"{start} -")).stdout.decode()
    assert "red to move, die two" in run(("show", str(file), f"{start} 2")).stdout.decode()
    before = run(("analyse", str(file), f"{start} -", "--depth", "1")).stdout.decode()
    assert [word for word in ("one", "two", "three", "four") if word not in before] == []
    assert ", die " in run(("analyse", str(file), f"{start} 2", "--depth", "1")).stdout.decode()
    assert "red to move, die " in run(("play", str(file), "--against", "random"), "quit\n").stdout.decode()


def test_hints_tell_rolls_from_moves() -> None:
    words = ("play", "ewn-3x3-3", "--against", "random", "--depth", "4", "--seed", "1")
    hint = next(line for line in run(words, "hint\nquit\n").stdout.decode().splitlines() if "which wins" in line)
    assert "; then " in hint
    assert all(part[0] in "123" and part[1] == ":" for part in hint.split("then ")[1:])


FULL = "starscout: standard output: No space left on device\n"
CLOSED = "starscout: standard output: Bad file descriptor\n"


@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("line", "code", "complaint"),
    [
        ("games > /dev/full", 1, FULL),
        ("games --json > /dev/full", 1, FULL),
        ("show ewn > /dev/full", 1, FULL),
        ("--help > /dev/full", 1, FULL),
        ("--version > /dev/full", 1, FULL),
        ("games >&-", 1, CLOSED),
        ("games --json >&-", 1, CLOSED),
        ("show ewn --json <&- >&-", 1, CLOSED),
        ("games 2>&- | tail -n +100", 0, ""),
        ("show nothing 2>&-", 2, ""),
        ("show nothing >&-", 2, "starscout: there is no game 'nothing' "),
        ("play ewn --against random <&- > /dev/null", 0, ""),
        ("engine random <&-", 0, ""),
        (
            "engine random <<< 'lab 1' > /dev/full",
            1,
            "starscout: cannot write answers: No space left on device",
        ),
        ("games | true", 1, ""),
        ("games | head -1 > /dev/null", 1, ""),
    ],
)
def test_streams_that_are_full_or_closed(line: str, code: int, complaint: str, unbuffered: str) -> None:
    program = f"{sys.executable} -m starscout {line}; exit ${{PIPESTATUS[0]}}"
    variables = environment(PYTHONUNBUFFERED=unbuffered)
    ended = subprocess.run(["bash", "-c", program], env=variables, capture_output=True, text=True, timeout=PATIENCE)
    if "head" in line or "true" in line:
        # All of it may fit into the pipe before its other end is closed.
        assert ended.returncode in (0, code)
    else:
        assert ended.returncode == code
    assert ended.stdout == ""
    assert ended.stderr[: len(complaint) or None] == complaint
    assert len(ended.stderr.splitlines()) <= 1


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_json_is_one_ascii_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"title": "EinStein würfelt nicht!", "score": 0.5})
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert shown.count("\n") == 1
    assert json.loads(shown) == {"title": "EinStein würfelt nicht!", "score": 0.5}


@pytest.mark.parametrize("text", ["nboard[depth=4 cwd=./x]:./ntest", "[bold]", "lab:./a :smile: b", "[/]"])
def test_brackets_and_colons_are_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Descriptions of players contain both, in messages and in tables."""
    console().print(text)
    table = Table(box=None, show_header=False, title=text, title_justify="left")
    table.add_row(text)
    console().print(table)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [text] * 3


def test_colors_only_on_terminals_that_support_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert console().color_system is None
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert console().color_system is not None
    monkeypatch.setenv("NO_COLOR", "1")
    assert console().color_system is None


def test_a_pipe_is_160_columns_wide(capsys: pytest.CaptureFixture[str]) -> None:
    assert console().width == 160
    console(stderr=True).print("x")
    assert capsys.readouterr() == ("", "x\n")
