"""`starscout play` with typed input."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import starscout
from tests.command_line import run as run_command

ROOT = Path(starscout.__file__).parents[1]


@pytest.fixture(autouse=True)
def quick_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run child processes in plain Python: they start faster, and random players need no kernels."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def play(typed: str, *words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return run_command(["play", *words], folder=folder, given=typed)


def test_a_session_with_every_command(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    typed = f"help\nlist\n\nnonsense\n1\nback\n2\nsave {file}\nsave\nquit\n"
    done = play(typed, "ewn", "--against", "random", "--as", "blue", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert "You are blue, random is red." in done.stdout
    assert "'nonsense' is not a legal move" in done.stdout
    assert "take your last move back" in done.stdout
    assert "save needs a file name" in done.stdout
    assert done.stdout.count("random plays ") == 3
    again = play("resign\n", "--resume", str(file))
    assert again.returncode == 0, again.stderr
    assert "You are blue, random is red." in again.stdout
    assert again.stdout.endswith("The game is over: you lose (resigned).\n")


def test_the_command_after_save_resumes_a_user_defined_game(tmp_path: Path) -> None:
    (tmp_path / "my games").mkdir()
    for file in (tmp_path / "dice_race.py", tmp_path / "my games" / "dice_race.py"):
        shutil.copy(ROOT / "examples" / "dice_race.py", file)
    for file, shown in (("./dice_race.py", "./dice_race.py"), ("my games/dice_race.py", "'./my games/dice_race.py'")):
        done = play("save 'x.json\nquit\n", file, "--against", "random", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (words,) = (line.partition(": ")[2] for line in done.stdout.splitlines() if "saved; continue with: " in line)
        assert words == f"starscout play {shown} --resume ''\"'\"'x.json'"
        again = play("quit\n", *shlex.split(words)[2:], folder=tmp_path)
        assert (again.returncode, again.stderr) == (0, "")
        assert "You are " in again.stdout


def test_a_hint_and_a_whole_game() -> None:
    done = play("hint\n" + "1\n" * 40, "ewn-3x3-1", "--against", "random", "--depth", "1", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert ", which wins " in done.stdout
    assert "The game is over: you " in done.stdout


def test_invalid_input_is_reported() -> None:
    done = play("", "ewn", "--as", "green")
    assert (done.returncode, done.stderr) == (2, "starscout: --as: expected red or blue, got 'green'\n")
    assert play("", "--resume", "/no/such/file").returncode == 2
    assert play("").returncode == 2


REVEAL = ROOT / "tests" / "reveal_game.py"


def test_repeated_turns_and_events_in_the_notation_of_the_game() -> None:
    done = play("back\n" + "1\n" * 10, str(REVEAL), "--against", "random", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert "nothing to take back" in done.stdout
    assert "one to move, event " in done.stdout
    assert "random plays s" in done.stdout
    assert re.search(r"The game is over: (you (win|lose) \d points?|a draw) \(all revealed\)\.\n$", done.stdout)


def test_pig_is_played_to_its_end() -> None:
    """Rolling continues until a 1 is rolled; a saved game continues with the same dice."""
    pig = str(ROOT / "examples" / "pig.py")
    done = play("roll\nroll\nhold\n" * 60, pig, "--against", "random", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "random plays roll after " in done.stdout
    assert re.search(r"The game is over: you (win|lose) \(100 points\)\.\n$", done.stdout)


def test_a_game_with_reveals_is_saved_and_resumed(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    done = play(f"1\nsave {file}\nquit\n", str(REVEAL), "--against", "random", "--seed", "5")
    assert done.returncode == 0, done.stderr
    board = done.stdout.rpartition("saved;")[0].rpartition("moves  ")[2].splitlines()[0]
    again = play("quit\n", str(REVEAL), "--resume", str(file))
    assert (again.returncode, again.stderr) == (0, "")
    assert board in again.stdout
