"""The command line: a process for each call."""

import subprocess
from collections.abc import Callable

import pytest

from tests.command_line import run as run_command

CommandLine = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """command_line("perft", "ewn", "3", STARSCOUT_CACHE="...") → the finished process, its output as text."""

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return run_command(arguments, environment=environment)

    return run


@pytest.fixture(scope="session")
def plain_command_line(command_line: CommandLine) -> CommandLine:
    """The command line in plain Python, which starts in half the time, for commands that hardly search."""

    def run(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return command_line(*arguments, NUMBA_DISABLE_JIT="1", **environment)

    return run
