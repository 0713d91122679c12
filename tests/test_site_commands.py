"""The commands of the site: all of them are understood, and those of the pages below do their work."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from starscout.cli.main import COMMANDS, _application, _shielded
from tests.blocks import ROOT, blocks_of

DOCS = ROOT / "docs"
SECONDS = 60.0
"""How long a command may work before it is interrupted."""
# The other pages name files of the reader's, or are followed step by step by tests of their own.
RUN = ("index.md", "search.md", "mcts.md", "endgame.md", "performance.md")


def commands_of(page: Path) -> list[list[str]]:
    """The words of every `starscout` command in the shell blocks of a page."""
    lines = [
        line.removeprefix("$ ")
        for language, block in blocks_of(page)
        if language in ("sh", "console")
        for line in block.splitlines()
    ]
    words = [shlex.split(line, comments=True) for line in lines if line.startswith("starscout ")]
    # What follows && is another command's.
    return [line[: line.index("&&")] if "&&" in line else line for line in words]


GROUP: Any = typer.main.get_command(cast(typer.Typer, _application()))
FOUND = [(page, words) for page in sorted(DOCS.rglob("*.md")) for words in commands_of(page)]


def named(part: object) -> str:
    return part.stem if isinstance(part, Path) else " ".join(part) if isinstance(part, list) else str(part)


@pytest.mark.parametrize(("page", "words"), FOUND, ids=named)
def test_a_command_of_the_site_is_understood(page: Path, words: list[str]) -> None:
    assert words[1] in COMMANDS, page
    # Names of options, number and kinds of arguments; nothing is run.
    GROUP.commands[words[1]].make_context(" ".join(words[:2]), [*map(_shielded, words[2:])])


@pytest.mark.slow
@pytest.mark.parametrize(("page", "words"), [(page, words) for page, words in FOUND if page.name in RUN], ids=named)
def test_a_command_of_the_site_does_its_work(page: Path, words: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen([sys.executable, "-m", *words], cwd=tmp_path, env=environment, **pipes)
    try:
        shown, errors = running.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGINT)
        shown, errors = running.communicate(timeout=SECONDS)
        assert running.returncode in (0, 130), errors
    else:
        assert running.returncode == 0, errors
    assert re.search(r"\w", shown + errors)
    assert "Traceback" not in errors
