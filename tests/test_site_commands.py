"""Parse all commands of the documentation, and run the shell blocks of every page.

The lines of a page run in order in one folder that contains the files of its reader. Commands that take too long are
interrupted and must exit as after Ctrl-C.
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from starscout.cli.main import COMMANDS, _application, _escaped
from tests.blocks import ROOT, blocks_of, original_of

DOCS = ROOT / "docs"
SECONDS = 20.0
"""Time limit before a command is interrupted."""
LONGER = {"starscout learn": 300.0}
"""Time limits of commands whose result the next line needs."""
ENDING_SECONDS = 60.0
STAND_INS = {"dot": "cat tree.dot", "gtp-rhino": "starscout engine random --protocol gtp"}
"""Third-party program → substitute if it is not installed."""
SILENT = re.compile(r"chmod|gcc|sleep|.* --output |.* --connect ")
FIRST_INPUT = {"nboard": "nboard 2\nping 1\nquit\n", "tcg-raw": "012345012345" + "0" * 21 + "f"}
"""Protocol → first input of an engine."""
INTERRUPTED = (0, 130, -signal.SIGINT)
SHELL = ("sh", "console")
NOT_RUN = {
    "python3 -m pip install .": "tests/test_package.py builds the wheel and installs it",
    "pip install 'starscout[cluster]'": "the extra is installed where the tests run",
    **dict.fromkeys(
        (
            "starscout ladder course --game ewn-3x3-3 &",
            "sleep 15",
            "cat course/teacher.token",
            "starscout ladder tokens class.csv --folder course",
            "export STARSCOUT_TOKEN=PASTE-YOUR-TOKEN",
            "starscout submit agent.py --to http://localhost:8020",
        ),
        "tests/ladder/test_documentation.py runs it",
    ),
}
"""Line → why it is not run here."""
PORT, SCHEDULER = "7122", "tcp://scheduler:8786"
REPLACED = {"--minutes 10": "--minutes 0.1"}
"""Text → shorter replacement."""
CLIENTS = """
import contextlib, sys, threading
import starscout

count, protocol, address, token = sys.argv[1:]

def play(number):
    # An interrupted judge closes its connections.
    with contextlib.suppress(starscout.WorkError):
        starscout.engine("random", protocol=protocol, connect=address, token=token, name=f"engine-{number}")

engines = [threading.Thread(target=play, args=(number,)) for number in range(int(count))]
for engine in engines:
    engine.start()
for engine in engines:
    engine.join()
"""
"""Script that connects N engines to a judge from one process."""


def shell_blocks(page: Path) -> list[list[str]]:
    """The commands of each shell block of a page, without the output in console blocks."""
    return [
        [
            line.removeprefix("$ ")
            for line in block.splitlines()
            if line.strip() and (language == "sh" or line.startswith("$ "))
        ]
        for language, block in blocks_of(page)
        if language in SHELL
    ]


def lines_of(page: Path) -> list[str]:
    """The commands of all shell blocks of a page."""
    return [line for lines in shell_blocks(page) for line in lines]


def commands_of(page: Path) -> list[list[str]]:
    """The arguments of every `starscout` command in the shell blocks of a page."""
    words = [shlex.split(line, comments=True) for line in lines_of(page) if line.startswith("starscout ")]
    # Another command follows & and &&.
    ends = [next((place for place, word in enumerate(line) if word in ("&", "&&")), len(line)) for line in words]
    return [line[:end] for line, end in zip(words, ends, strict=True)]


GROUP: Any = typer.main.get_command(cast(typer.Typer, _application()))
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if lines_of(page) and original_of(page) is None]
FOUND = [(page, words) for page in PAGES for words in commands_of(page)]


def named(part: object) -> str:
    return part.stem if isinstance(part, Path) else " ".join(part) if isinstance(part, list) else str(part)


@pytest.mark.parametrize(("page", "words"), FOUND, ids=named)
def test_command_is_accepted_by_the_parser(page: Path, words: list[str]) -> None:
    assert words[1] in COMMANDS, page
    # Parses options and arguments without running the command.
    GROUP.commands[words[1]].make_context(" ".join(words[:2]), [*map(_escaped, words[2:])])


class Reader:
    """Run the lines of a page in a folder with the files that it mentions."""

    def __init__(self, folder: Path, page: Path) -> None:
        self.folder, self.page = folder, page
        own = folder / "bin"
        own.mkdir()
        for name, words in (("starscout", f"{sys.executable} -m starscout"), ("python", sys.executable)):
            (own / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
            (own / name).chmod(0o755)
        for name, words in STAND_INS.items():
            if shutil.which(name) is None:
                (own / name).write_text(f"#!/bin/sh\nexec {words}\n")
                (own / name).chmod(0o755)
        path = f"{own}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        self.background: list[subprocess.Popen[str]] = []

    def start(self, line: str) -> "subprocess.Popen[str]":
        """Start a line in its own process group."""
        # A single command replaces the shell, so that it receives SIGINT itself.
        text = line if "&&" in line else f"exec {line}"
        spoken = re.findall(r"^starscout engine .*--protocol (\S+)", line)
        (self.folder / "input").write_text(FIRST_INPUT.get(spoken[0], "") if spoken else "")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with (self.folder / "input").open() as said:
            return subprocess.Popen(
                ["bash", "-c", text], cwd=self.folder, env=self.environment, stdin=said, start_new_session=True, **pipes
            )

    def type(self, line: str) -> None:
        """Run a line; `wait` waits for lines that end with &."""
        if "--connect" in line and not self.background:
            self._open_judge(line)
        running = self.start(line.removesuffix(" &"))
        if line.endswith(" &"):
            self.background.append(running)
            return
        shown_address = self._connect_engines(running, line) if line.startswith("starscout judge") else ""
        shown, errors = self._finish(running, line)
        assert re.search(r"\w", shown + errors + shown_address) or SILENT.match(line), line

    def wait(self) -> None:
        """Wait for background processes."""
        for running in self.background:
            self._finish(running, " ".join(map(str, cast(list[str], running.args))))
        self.background.clear()

    def close(self) -> None:
        """Kill background processes."""
        for running in self.background:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)

    def _finish(self, running: "subprocess.Popen[str]", line: str) -> tuple[str, str]:
        try:
            seconds = next((longer for start, longer in LONGER.items() if line.startswith(start)), SECONDS)
            shown, errors = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            shown, errors = running.communicate(timeout=ENDING_SECONDS)
            assert running.returncode in INTERRUPTED, f"{line}\n{errors}"
        else:
            assert running.returncode == 0, f"{line}\n{errors}"
        assert "Traceback" not in errors, f"{line}\n{errors}"
        return shown, errors

    def _open_judge(self, line: str) -> None:
        """Start the judge that an engine connects to, and an opponent."""
        connection = re.findall(r"--connect \S+", line)[0]
        port = connection.rpartition(":")[2]
        for waiting in (
            f"starscout judge othello {port} --protocol otp --wait 60 --store :memory:",
            f"starscout engine random --protocol otp {connection}",
        ):
            self.background.append(self.start(waiting))

    def _connect_engines(self, judge: "subprocess.Popen[str]", line: str) -> str:
        """Connect as many engines as the judge waits for, with the command that it prints."""
        assert judge.stderr is not None
        announcement = judge.stderr.readline()
        match = re.fullmatch(r"waiting at \S+ for: (starscout engine .*)\n", announcement)
        assert match is not None, announcement
        words = match[1].split()
        wanted = [name for name in ("--protocol", "--connect", "--token") if name in words]
        options = {name: words[words.index(name) + 1] for name in wanted}
        count = re.findall(r"--engines (\d+)", line) or ["2"]
        given = [*count, options["--protocol"], options["--connect"], options.get("--token", "-")]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        clients = subprocess.Popen(
            [sys.executable, "-c", CLIENTS, *given], env=self.environment, start_new_session=True, **pipes
        )
        self.background.append(clients)
        return announcement


def own_files(reader: Reader) -> None:
    """Create the files that a page assumes: a game, a class list, an agent, records."""
    folder, text = reader.folder, reader.page.read_text(encoding="utf-8")
    race = (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")
    (folder / "my_game.py").write_text(race.replace('"dice-race"', '"my-game"'), encoding="utf-8")
    names = ("Bert", "Kim", *(f"student {number}" for number in range(3, 11)))
    students = "".join(f"{name},random,\n" for name in names)
    (folder / "class.csv").write_text(f"name,command,folder\n{students}")
    for name, content in re.findall(r"[Ss]ave as `([\w.]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL):
        (folder / name).write_text(content)
    for content in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
        (folder / "mine.toml").write_text(content)
    if reader.page.name == "referee.md":
        quick = "--seed 1 --store :memory:"
        for line in (
            "starscout engine random --protocol tcg-raw --game ewn-cyclic --write ./agent",
            f"starscout game --game ewn -p0 random -p1 random --records games.jsonl {quick}",
            f"starscout game --game othello -p0 random -p1 random --records othello.jsonl {quick}",
            "bash -c 'printf \"save game.json\\nquit\\n\" | starscout play ewn --against random'",
        ):
            reader.type(line)


@contextlib.contextmanager
def scheduler(page: Path) -> Iterator[str]:
    """A local Dask cluster, if the page mentions a scheduler."""
    if SCHEDULER not in page.read_text(encoding="utf-8"):
        yield SCHEDULER
        return
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_shell_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    if "gcc" in page.read_text(encoding="utf-8") and shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    reader = Reader(tmp_path, page)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    with contextlib.closing(reader), scheduler(page) as address:
        own_files(reader)
        for lines in shell_blocks(page):
            for line in lines:
                if line in NOT_RUN:
                    continue
                for text, replacement in {**REPLACED, PORT: port, SCHEDULER: address}.items():
                    line = line.replace(text, replacement)
                reader.type(line)
            reader.wait()


def test_exceptions_occur_on_a_page() -> None:
    lines = {line for page in PAGES for line in lines_of(page)}
    assert set(NOT_RUN) <= lines
    assert all(any(text in line for line in lines) for text in (*REPLACED, PORT, SCHEDULER))
