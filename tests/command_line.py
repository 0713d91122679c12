"""Run `starscout` commands and scripts in forks of one process that has imported the package.

A command spends most of its time importing NumPy, Numba and Typer. `run` starts a server on first use; every command
is a child process of it, with its own arguments, environment, working directory and standard streams. Variables that
matter while Python starts need a new process, and `run` starts one.
"""

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

IMPORTED = (
    "typer", "rich.console", "rich.table", "rich.progress", "starscout.cli.main", "starscout.cli.output",
    "starscout.cli.games", "starscout.cli.matches", "starscout.cli.positions", "starscout.cli.records",
    "starscout.api.match", "starscout.api.analyse", "starscout.api.games", "starscout.players.spec",
)  # fmt: skip
"""Modules that most commands import."""

FREE = (
    "STARSCOUT_STORE", "STARSCOUT_CACHE", "STARSCOUT_ENGINE_WATCHDOG", "STARSCOUT_ENGINE_MEMORY", "COLUMNS",
    "PYTEST_CURRENT_TEST", "NUMBA_DISABLE_JIT",
)  # fmt: skip
"""Variables that a command reads when it runs. The last one is read at import: each value has a server of its own."""

SERVER = """
import importlib, json, os, runpy, sys
requests, answers = int(sys.argv[1]), int(sys.argv[2])
sys.path.pop(0)
for name in sys.argv[3:]:
    importlib.import_module(name)
if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
    # The first compilation of a process, or the first kernel that it loads, takes half a second longer than others.
    import numba, numpy
    numba.njit(lambda array: array[0] + 1)(numpy.zeros(1))
for line in os.fdopen(requests, closefd=False):
    request = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    os.write(answers, b"%d\\n" % child)
    os.write(answers, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
else:
    sys.exit()
os.close(requests)
os.close(answers)
os.environ.clear()
os.environ.update(request["environment"])
os.chdir(request["folder"])
for number, file in enumerate(request["streams"]):
    opened = os.open(file, os.O_RDONLY if number == 0 else os.O_WRONLY)
    os.dup2(opened, number)
    os.close(opened)
sys.argv = ["starscout", *request["arguments"]]
sys.path.insert(0, request["folder"])
if request["script"]:
    runpy.run_path(request["script"], run_name="__main__")
else:
    runpy.run_module("starscout", run_name="__main__", alter_sys=True)
"""


class _Server:
    """A process that has imported the package."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        requests, sent = os.pipe()
        received, answers = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(requests), str(answers), *IMPORTED],
            pass_fds=(requests, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        os.close(requests)
        os.close(answers)
        self._requests, self._answers = os.fdopen(sent, "w"), os.fdopen(received, "rb", buffering=0)
        atexit.register(self.close)

    def run(self, request: object, timeout: float) -> int | None:
        """The exit code of a command; None if it was killed after `timeout` seconds."""
        self._requests.write(json.dumps(request) + "\n")
        self._requests.flush()
        child = int(self._answers.readline())
        ended, _, _ = select.select([self._answers], [], [], timeout)
        if not ended:
            os.kill(child, signal.SIGKILL)
        code = int(self._answers.readline())
        return code if ended else None

    def close(self) -> None:
        """End the server."""
        self._requests.close()
        self._process.wait()
        self._answers.close()


@functools.cache
def _server(environment: tuple[tuple[str, str], ...]) -> _Server:
    return _Server(dict(environment))


def run(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    folder: str | Path | None = None,
    given: str = "",
    timeout: float = 300.0,
    script: str | Path | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a command; the result is that of `subprocess.run` with text. `given` is its standard input.

    `environment` is added to the variables of this process. `script`: run this Python file instead of `starscout`.
    """
    chosen = {**os.environ, **(environment or {})}
    folder = Path.cwd() if folder is None else folder
    if any(name not in FREE for name in environment or {}):
        command = [sys.executable, *(["-m", "starscout"] if script is None else [str(script)]), *arguments]
        return subprocess.run(
            command, env=chosen, cwd=folder, input=given, capture_output=True, text=True, timeout=timeout, check=False
        )
    server = _server(tuple((name, value) for name, value in sorted(chosen.items()) if name not in FREE[:-1]))
    with tempfile.TemporaryDirectory() as streams:
        files = [Path(streams, name) for name in ("input", "output", "errors")]
        for file, text in zip(files, (given, "", ""), strict=True):
            file.write_text(text, encoding="utf-8")
        paths = [str(file) for file in files]
        request = {
            "arguments": list(arguments), "environment": chosen, "folder": str(folder), "streams": paths,
            "script": None if script is None else str(script),
        }  # fmt: skip
        code = server.run(request, timeout)
        output, errors = (file.read_text(encoding="utf-8") for file in files[1:])
    if code is None:
        raise subprocess.TimeoutExpired(list(arguments), timeout, output, errors)
    return subprocess.CompletedProcess(list(arguments), code, output, errors)
