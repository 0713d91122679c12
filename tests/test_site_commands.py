"""The commands of the site: all of them are understood, and every line of a shell block does its work.

A page is followed from its first line to its last in one folder, with the files that its reader has. What would take
longer than a test may, is interrupted, and has to end as Ctrl-C ends it.
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

from starscout.cli.main import COMMANDS, _application, _shielded
from tests.blocks import ROOT, blocks_of

DOCS = ROOT / "docs"
SECONDS = 20.0
"""How long a command may work before it is interrupted."""
LONGER = {"starscout learn": 300.0}
"""Commands whose result the next line needs."""
ENDING_SECONDS = 60.0
STAND_INS = {"dot": "cat tree.dot", "gtp-rhino": "starscout engine random --protocol gtp"}
"""Programs of others → what takes their place where they are not installed."""
SILENT = re.compile(r"chmod|gcc|sleep|.* --output |.* --connect ")
GREETINGS = {"nboard": "nboard 2\nping 1\nquit\n", "tcg-raw": "012345012345" + "0" * 21 + "f"}
"""Protocol → what a referee says first to an engine on its standard input."""
INTERRUPTED = (0, 130, -signal.SIGINT)
SHELL = ("sh", "console")
NOT_RUN = {
    "pip install starscout": "tests/test_package.py builds the wheel and installs it",
    "pip install 'starscout[cluster]'": "the extra is installed where the tests run",
}
"""Line → why no test runs it here."""
PORT, SCHEDULER = "7122", "tcp://scheduler:8786"
REPLACED = {"--minutes 10": "--minutes 0.1"}
"""What a test has no time for."""
VISITORS = """
import sys, threading
import starscout

count, protocol, address, token = sys.argv[1:]
told = {"protocol": protocol, "connect": address, "token": token}
engines = [threading.Thread(target=starscout.engine, args=("random",), kwargs=told) for _ in range(int(count))]
for engine in engines:
    engine.start()
"""
"""As many engines as a judge waits for, in one process."""


def shell_blocks(page: Path) -> list[list[str]]:
    """The commands in each shell block of a page; what a console block shows below `$ ` is their output."""
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
    """The words of every `starscout` command in the shell blocks of a page."""
    words = [shlex.split(line, comments=True) for line in lines_of(page) if line.startswith("starscout ")]
    # What follows & or && is another command's.
    ends = [next((place for place, word in enumerate(line) if word in ("&", "&&")), len(line)) for line in words]
    return [line[:end] for line, end in zip(words, ends, strict=True)]


GROUP: Any = typer.main.get_command(cast(typer.Typer, _application()))
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if lines_of(page)]
FOUND = [(page, words) for page in PAGES for words in commands_of(page)]


def named(part: object) -> str:
    return part.stem if isinstance(part, Path) else " ".join(part) if isinstance(part, list) else str(part)


@pytest.mark.parametrize(("page", "words"), FOUND, ids=named)
def test_a_command_of_the_site_is_understood(page: Path, words: list[str]) -> None:
    assert words[1] in COMMANDS, page
    # Names of options, number and kinds of arguments; nothing is run.
    GROUP.commands[words[1]].make_context(" ".join(words[:2]), [*map(_shielded, words[2:])])


class Reader:
    """Somebody who types what stands on a page, in a folder with the files that the page speaks of."""

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
        """Start a line of the page in a group of its own."""
        # A single command takes the place of the shell, and so hears the interruption itself.
        text = line if "&&" in line else f"exec {line}"
        spoken = re.findall(r"^starscout engine .*--protocol (\S+)", line)
        (self.folder / "input").write_text(GREETINGS.get(spoken[0], "") if spoken else "")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with (self.folder / "input").open() as said:
            return subprocess.Popen(
                ["bash", "-c", text], cwd=self.folder, env=self.environment, stdin=said, start_new_session=True, **pipes
            )

    def type(self, line: str) -> None:
        """Run a line as a person does; a line that ends with & is waited for by `wait`."""
        if "--connect" in line and not self.background:
            self._open_judge(line)
        running = self.start(line.removesuffix(" &"))
        if line.endswith(" &"):
            self.background.append(running)
            return
        visits = self._follow_invitation(running, line) if line.startswith("starscout judge") else ""
        shown, errors = self._finish(running, line)
        assert re.search(r"\w", shown + errors + visits) or SILENT.match(line), line

    def wait(self) -> None:
        """Wait for what runs in the background."""
        for running in self.background:
            self._finish(running, " ".join(map(str, cast(list[str], running.args))))
        self.background.clear()

    def close(self) -> None:
        """End what still runs in the background."""
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
        """Start the judge that an engine of the page connects to, and an opponent."""
        connection = re.findall(r"--connect \S+", line)[0]
        port = connection.rpartition(":")[2]
        for waiting in (
            f"starscout judge othello {port} --protocol otp --wait 60 --store :memory:",
            f"starscout engine random --protocol otp {connection}",
        ):
            self.background.append(self.start(waiting))

    def _follow_invitation(self, judge: "subprocess.Popen[str]", line: str) -> str:
        """Let as many engines visit a judge as it waits for, by the words in which it invites them."""
        assert judge.stderr is not None
        invitation = judge.stderr.readline()
        told = re.fullmatch(r"waiting at \S+ for: (starscout engine .*)\n", invitation)
        assert told is not None, invitation
        words = told[1].split()
        wanted = [name for name in ("--protocol", "--connect", "--token") if name in words]
        options = {name: words[words.index(name) + 1] for name in wanted}
        count = re.findall(r"--engines (\d+)", line) or ["2"]
        given = [*count, options["--protocol"], options["--connect"], options.get("--token", "-")]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        visitors = subprocess.Popen(
            [sys.executable, "-c", VISITORS, *given], env=self.environment, start_new_session=True, **pipes
        )
        self.background.append(visitors)
        return invitation


def own_files(reader: Reader) -> None:
    """The files that the reader of a page has: a game, a class of players, an agent, records."""
    folder, text = reader.folder, reader.page.read_text(encoding="utf-8")
    race = (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")
    (folder / "my_game.py").write_text(race.replace('"dice-race"', '"my-game"'), encoding="utf-8")
    students = "".join(f"student {number},random,\n" for number in range(1, 11))
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
    """A real Dask cluster on this machine, where a page speaks of one."""
    if SCHEDULER not in page.read_text(encoding="utf-8"):
        yield SCHEDULER
        return
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_commands_of_a_page_do_their_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    if "gcc" in page.read_text(encoding="utf-8") and shutil.which("gcc") is None:
        pytest.skip("there is no C compiler")
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


def test_what_is_not_run_stands_on_a_page() -> None:
    lines = {line for page in PAGES for line in lines_of(page)}
    assert set(NOT_RUN) <= lines
    assert all(any(text in line for line in lines) for text in (*REPLACED, PORT, SCHEDULER))
