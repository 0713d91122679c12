"""Match identity: only changes of code, engines and game files start a new match."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.arena.plan import digest, file_digest, make_plan, playing_files, program_digest
from starscout.game.source_files import content_digest
from starscout.players.spec import describe
from starscout.search.limits import Limit
from tests.command_line import run as run_command

PACKAGE = Path(starscout.__file__).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder with a program, a script, weights and an unrelated file."""
    for name in ("agent", "script.py", "weights.bin", "unrelated.txt"):
        (tmp_path / name).write_text(f"#!/bin/sh\n# {name}\n")
    (tmp_path / "agent").chmod(0o755)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "openings").write_text("f5d6")
    return tmp_path


def edit(file: Path) -> None:
    file.write_text(file.read_text() + "# edited\n")


@pytest.mark.parametrize(
    ("command", "more", "edited"),
    [
        ("./agent", (), "agent"),
        ("sh script.py --fast", (), "script.py"),
        ("./agent --weights weights.bin", (), "weights.bin"),
        ("./agent --weights=weights.bin", (), "weights.bin"),
        ("./agent", ("weights.bin",), "weights.bin"),
        ("./agent", ("book",), "book/openings"),
    ],
)
def test_edited_file_changes_program_digest(command: str, more: tuple[str, ...], edited: str, folder: Path) -> None:
    before = program_digest(command, str(folder), more)
    edit(folder / "unrelated.txt")
    assert program_digest(command, str(folder), more) == before
    edit(folder / edited)
    assert program_digest(command, str(folder), more) != before


def test_new_file_in_a_folder_changes_program_digest(folder: Path) -> None:
    before = program_digest("./agent", str(folder), ("book",))
    (folder / "book" / "__pycache__").mkdir()
    (folder / "book" / "__pycache__" / "x.pyc").write_text("compiled")
    assert program_digest("./agent", str(folder), ("book",)) == before
    (folder / "book" / "endings").write_text("")
    assert program_digest("./agent", str(folder), ("book",)) != before


def test_overlong_argument_is_not_a_path(folder: Path) -> None:
    assert program_digest(f"./agent {'x' * 5000}", str(folder), ()) == program_digest("./agent", str(folder), ())


def test_version_option_changes_identity(folder: Path) -> None:
    plans = [
        make_plan("kari", f"lab[cwd={folder}{version}]:./agent", "random", Limit(), 0, luck="off")
        for version in ("", " version=1", " version=2")
    ]
    assert len({plan.identity for plan in plans}) == 3
    assert describe(plans[1].first, games.load("kari")).options.version == "1"


GAME = """
import {imported}
from starscout.games.ewn import rules

GAME = rules.build(3, 3, 3)
"""


def game_digest(file: Path) -> str:
    return content_digest(str(file))


@pytest.mark.parametrize(
    ("imported", "edited"),
    [
        ("tables", "tables.py"),
        ("json, tables", "tables.py"),
        ("tables", "numbers_of_tables.py"),
        ("rules.board", "rules/board.py"),
        ("rules.board as board", "rules/__init__.py"),
    ],
)
def test_game_digest_covers_imported_modules(imported: str, edited: str, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    for name in ("tables.py", "numbers_of_tables.py", "unrelated.py", "rules/__init__.py", "rules/board.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "tables.py").write_text("from numbers_of_tables import *\n")
    file = tmp_path / "game.py"
    file.write_text(GAME.format(imported=imported))
    before = game_digest(file)
    edit(tmp_path / "unrelated.py")
    assert game_digest(file) == before
    edit(tmp_path / edited)
    changed = game_digest(file)
    assert changed != before
    edit(file)
    assert game_digest(file) not in (before, changed)


def test_file_digest_of_files_folders_and_missing_paths(tmp_path: Path) -> None:
    assert file_digest(tmp_path / "nothing") == digest([])
    (tmp_path / "file").write_bytes(b"content")
    assert file_digest(tmp_path / "file") == digest([b"content"])
    # The division into parts matters.
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"]) != digest([b"abc"])


PLAY = """
import json, os, sys
opened = set()
sys.addaudithook(lambda event, arguments: opened.add(str(arguments[0])) if event == "open" else None)
from starscout.arena.batch import play_pair
from starscout.arena.plan import make_plan
from starscout.search.limits import Limit
for game, first, second in (
    ("ewn-3x3-3", "negascout depth=1", "mcts simulations=2 nodes=1000"),
    ("kari", "kari-baseline", "lab:/bin/false"),
    ("ewn-cyclic", "negascout depth=1", "random"),
    ("othello-4x4", "negascout depth=1", "random"),
):
    play_pair(make_plan(game, first, second, Limit(), 0, 0 if "ewn" in game else 2), 0)
modules = [module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "starscout"]
print(json.dumps({"modules": modules, "opened": sorted(opened)}))
"""


def test_code_digest_covers_code_that_plays_a_pair() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", PLAY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    used = json.loads(done.stdout)
    covered = {str(path) for path in playing_files(PACKAGE)}
    assert len(used["modules"]) > 60
    # The top-level package only re-exports names.
    assert set(used["modules"]) - covered == {starscout.__file__}
    read = {path for path in used["opened"] if path.startswith(str(PACKAGE)) and "__pycache__" not in path}
    assert {Path(path).suffix for path in read} >= {".csv", ".toml"}
    # Python reads a source only if there is no byte code yet.
    assert read - covered <= {starscout.__file__}


def test_code_digest_covers_data_files_but_not_presentation() -> None:
    covered = {str(path.relative_to(PACKAGE)) for path in playing_files(PACKAGE)}
    found = {path.relative_to(PACKAGE) for kind in ("*.csv", "*.toml", "*.weights") for path in PACKAGE.rglob(kind)}
    data = {str(path) for path in found if path.parts[0] != "experiments"}
    assert {Path(name).suffix for name in data} == {".csv", ".toml", ".weights"}
    assert data <= covered
    # Experiment files only name matches.
    for shown in ("arena/tally.py", "arena/store.py", "cli/matches.py", "api/bench.py", "experiments/000-depth.toml"):
        assert (PACKAGE / shown).is_file()
        assert shown not in covered


AGENT = """#!/bin/sh
echo started >> {log}
while read -r word rest; do
    case $word in
        lab) echo labok ;;
        isready) echo readyok ;;
        go) {answer} ;;
        quit) exit 0 ;;
    esac
done
"""


def test_edited_agent_starts_a_new_match(tmp_path: Path) -> None:
    agent, log = tmp_path / "agent", tmp_path / "log"

    def play(answer: str) -> tuple[dict, int]:
        """Run the same command; return its result and the number of agent starts so far."""
        agent.write_text(AGENT.format(log=log, answer=answer))
        agent.chmod(0o755)
        words = ["match", "kari", "lab:./agent", "random", "--pairs", "1", "--opening-plies", "0", "--workers", "1"]
        words += ["--luck", "off", "--store", "a.sqlite", "--json", "--trust"]
        done = run_command(words, environment={"NUMBA_DISABLE_JIT": "1"}, folder=tmp_path)
        assert done.returncode == 1, done.stderr
        assert "forfeited every game" in done.stderr
        return json.loads(done.stdout), log.read_text().count("started")

    first, started = play("echo bestmove nowhere")
    assert first["forfeits"]["A"] == {"illegal move": 2}
    assert started > 0
    assert play("echo bestmove nowhere") == (first, started)
    edited, started_again = play("exit 1")
    assert edited["forfeits"]["A"] == {"crash": 2}
    assert edited["match"] != first["match"]
    assert started_again > started
