"""Errors in game files: function, line and reason, exit code 2, no traceback, in every command."""

import subprocess
from pathlib import Path

import pytest

import starscout
from tests.command_line import run as run_command

ROOT = Path(starscout.__file__).parents[1]
TEXT = (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")
START = "xxx......ooo x 3"
QUICK = ("--pairs", "2", "--workers", "1", "--store", ":memory:")


def written(folder: Path, old: str, new: str) -> tuple[Path, int]:
    """A copy of the example with one change, and the number of the line with `# here`."""
    assert old in TEXT
    file = folder / "mine.py"
    text = TEXT.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return file, next((n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here")), 0)


def run(folder: Path, *words: str, said: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    return run_command(words, environment=environment, folder=folder, given=said)


def refused(ended: "subprocess.CompletedProcess[str]", *parts: str) -> None:
    assert ended.returncode == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stderr.startswith("starscout: ")
    assert len(ended.stderr.splitlines()) == 1
    assert [part for part in parts if part not in ended.stderr] == []


COMMANDS = {
    "laws": ("laws", "mine.py"),
    "show": ("show", "mine.py", START),
    "perft": ("perft", "mine.py", "3", "--position", START),
    "playouts": ("playouts", "mine.py", "--seconds", "0.05"),
    "analyse": ("analyse", "mine.py", START, "--depth", "2"),
    "rollout": ("rollout", "mine.py", START, "--trials", "36"),
    "solve": ("solve", "mine.py", START, "--time", "1"),
    "match": ("match", "mine.py", "random", "random", *QUICK),
    "tournament": ("tournament", "mine.py", "random", "random", "--round-robin", *QUICK),
    "play": ("play", "mine.py", "--against", "random", "--seed", "1"),
    "tune": ("tune", "mine.py", "mcts simulations=20", "--parameters", "c=1:0.2:2", "--steps", "1", *QUICK),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_rules_that_raise(tmp_path: Path, words: tuple[str, ...]) -> None:
    """In plain Python, where commands start faster; `test_compiled_rules` covers compiled kernels."""
    legal = "    count = 0\n    for square in range(LENGTH):"
    file, line = written(tmp_path, legal, '    raise KeyError("lane")  # here\n' + legal)
    ended = run(tmp_path, *words, said="1\n1\n1\n", NUMBA_DISABLE_JIT="1")
    refused(ended, f"{file}:{line} in moves: KeyError: 'lane'")


@pytest.mark.parametrize(
    "words", [COMMANDS[name] for name in ("show", "laws", "analyse", "match", "play")], ids=lambda words: words[0]
)
def test_texts_that_raise(tmp_path: Path, words: tuple[str, ...]) -> None:
    file, line = written(
        tmp_path,
        "def square_name(position: Position, square: int) -> str:\n",
        'def square_name(position: Position, square: int) -> str:\n    square = int("A")  # here\n',
    )
    ended = run(tmp_path, *words, said="1\n1\n", NUMBA_DISABLE_JIT="1")
    refused(ended, f"{file}:{line} in square_name: ValueError: invalid literal")


def test_a_rule_that_raises_only_in_a_worker(tmp_path: Path) -> None:
    raising = (
        "    import multiprocessing\n\n    if multiprocessing.parent_process() is not None:\n"
        '        raise RuntimeError("not here")  # here\n'
    )
    head = "def square_name(position: Position, square: int) -> str:\n"
    file, line = written(tmp_path, head, head + raising)
    ended = run(tmp_path, *COMMANDS["match"], NUMBA_DISABLE_JIT="1")
    refused(ended, f"{file}:{line} in square_name: RuntimeError: not here")


@pytest.mark.parametrize(
    "words",
    [
        COMMANDS["match"],
        (*COMMANDS["match"], "--workers", "0"),
        COMMANDS["play"],
        ("analyse", "mine.py", "xx.x.....ooo x 3", "--player", "random"),
        ("analyse", "mine.py", "xx.x.....ooo x -", "--player", "random"),
    ],
    ids=["match", "match in this process", "play", "analyse", "analyse every roll"],
)
def test_rules_without_moves_are_not_a_forfeit(tmp_path: Path, words: tuple[str, ...]) -> None:
    file, _ = written(tmp_path, "    return count\n", "    return count if position.own == START else 0\n")
    ended = run(tmp_path, *words, said="1\n1\n1\n", NUMBA_DISABLE_JIT="1")
    refused(ended, f"{file}: moves returned none for the roll ", "outcome returned ONGOING", f"`starscout laws {file}`")


def test_failing_evaluation_is_not_a_forfeit(tmp_path: Path) -> None:
    file, line = written(
        tmp_path,
        "    square = END\n    while",
        '    square = END\n    if side == START + WORD_ONE:\n        raise ValueError("odd")  # here\n    while',
    )
    assert line
    text = file.read_text(encoding="utf-8").replace("side == START + WORD_ONE", "side != START")
    file.write_text(text, encoding="utf-8")
    words = ("match", "mine.py", "negascout depth=2", "random", *QUICK)
    refused(run(tmp_path, *words, NUMBA_DISABLE_JIT="1"), f"{file}:{line} in front: ValueError: odd")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("            count += 1", "            count += one  # here",
         "{file}:{line} in moves: cannot be compiled: NameError: name 'one' is not defined"),
        ("            count += 1", '            count += "1"  # here',
         "{file}:{line} in moves: cannot be compiled: there is no "),
        ("    count = 0\n", '    if roll > 2:\n        raise KeyError("r")  # here\n    count = 0\n',
         "{file}:{line} in moves: KeyError: 'r'"),
    ],
    ids=["name", "type", "raise"],
)  # fmt: skip
def test_compiled_rules(tmp_path: Path, old: str, new: str, told: str) -> None:
    file, line = written(tmp_path, old, new)
    refused(run(tmp_path, *COMMANDS["perft"]), told.format(file=file, line=line))


def test_a_compiled_evaluation(tmp_path: Path) -> None:
    file, line = written(tmp_path, "    return VALUES[END +", "    return VALUES[END + position +")
    refused(run(tmp_path, *COMMANDS["analyse"]), f"{file}:", " in lead: cannot be compiled")
    assert line == 0


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max_moves=RUNNERS", "max_moves=0", "max_moves: expected a whole number, 1 or more, got 0"),
        (
            "LENGTH, RUNNERS, FACES = 12, 3, 4",
            "LENGTH, RUNNERS, FACES = 12, 3",
            "line 22: ValueError: not enough values",
        ),
        ("@kernel(inline=True)\ndef play", "def play", "play: expected a kernel"),
    ],
)
def test_load_errors_name_file_and_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    file, _ = written(tmp_path, old, new)
    refused(run(tmp_path, "show", "mine.py"), f"the game file {file} fails: line ", told)


def test_too_small_max_moves_violates_a_law(tmp_path: Path) -> None:
    written(tmp_path, "max_moves=RUNNERS", "max_moves=1")
    ended = run(tmp_path, "laws", "mine.py")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "writes beyond max_moves = 1 (up to" in ended.stderr
