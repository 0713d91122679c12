"""Build and check of submitted files. Both run isolated, without network.

The engine is the first of these that exists: the SPEC in `engine.txt`, the only Python class with a method `choose`,
the executable `engine` or `agent`, the only executable. With a `Makefile`, `make` runs first, in a copy of the folder.
"""

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

from starscout import games
from starscout.api.check import CheckResult, class_in, examine
from starscout.errors import GameError, printable
from starscout.ladder.archives import files_in, keep_regular
from starscout.players.python_class import PREFIX
from starscout.players.spec import describe, in_folder
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.sandbox import RunLimits, run
from starscout.search.limits import Limit

SPEC_FILE = "engine.txt"
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
NAMES = ("engine", "agent")
CHECK_SECONDS = 1.0
"""Longest time per move in the games of a check."""
LATE = "late answer"
"""Kind of problem after which a check is repeated once."""
MAX_LOG = 256 << 10
"""Maximum bytes of build output to keep."""
MAX_BUILT = 256 << 20
"""Maximum size of the built files, in bytes."""
MAX_BUILT_FILES = 10_000


class BuildError(GameError):
    """A submission that cannot be built or does not work; `transcript` is for its owner."""

    def __init__(self, message: str, transcript: str = "") -> None:
        super().__init__(message)
        self.transcript = transcript


def is_built(folder: Path) -> bool:
    """Whether the files have to be built."""
    return any((folder / name).is_file() for name in MAKEFILES)


def build(source: Path, target: Path, seconds: float) -> None:
    """Run `make` on a copy of the files in a new folder, isolated; raises BuildError."""
    shutil.copytree(source, target)
    result = run(["make"], target, RunLimits(folder=MAX_BUILT, output=MAX_LOG), seconds)
    log = result.output
    if result.timed_out:
        raise BuildError(f"the build took more than {seconds:g} s", log)
    if result.overfull:
        raise BuildError(f"the build wrote more than {MAX_BUILT >> 20} MiB", log)
    if result.code != 0:
        raise BuildError(f"the build failed: {printable(_first_error(log), 200) or f'exit code {result.code}'}", log)
    keep_regular(target)
    if sum(1 for _ in files_in(target)) > MAX_BUILT_FILES:
        raise BuildError(f"the build created more than {MAX_BUILT_FILES} files", log)


def _first_error(log: str) -> str:
    """The first error message of a compiler, else the last line."""
    written = [line.strip() for line in log.splitlines() if line.strip()]
    return next(
        (line for line in written if re.search(r"\berror\b", line, re.IGNORECASE)), written[-1] if written else ""
    )


def find_engine(folder: Path) -> str:
    """The SPEC or the command of the engine in a folder, relative to it; raises BuildError."""
    if (folder / SPEC_FILE).is_file():
        return _written_spec(folder)
    sources = [path for path in sorted(folder.glob("*.py")) if not os.access(path, os.X_OK)]
    classes: list[str] = []
    for path in sources:
        try:
            found = class_in(str(path))
        except GameError as error:
            raise BuildError(_relative(str(error), folder)) from error
        if found is not None:
            classes.append(f"{PREFIX}:{path.name}:{found.rpartition(':')[2]}")
    named = [spec for spec in classes if spec.split(":")[1] in ("agent.py", "engine.py")]
    if len(named or classes) == 1:
        return (named or classes)[0]
    programs = [path.name for path in sorted(folder.iterdir()) if path.is_file() and os.access(path, os.X_OK)]
    for name in NAMES:
        if name in programs:
            return f"./{name}"
    if len(programs) == 1 and not classes:
        return f"./{programs[0]}"
    found = ", ".join(classes or programs) or "none"
    raise BuildError(
        f"no engine found: expected a Python file with one class with a method `choose`, an executable `engine`, or a "
        f"file {SPEC_FILE} with a SPEC such as lab:./engine (found: {found})"
    )


def _written_spec(folder: Path) -> str:
    """The SPEC in `engine.txt`: a program or class among the submitted files; raises BuildError."""
    text = (folder / SPEC_FILE).read_bytes()[:1000].decode("utf-8", "replace").strip()
    if not text or not text.isprintable():
        raise BuildError(f"{SPEC_FILE}: expected one line")
    kind, _, rest = text.partition(":")
    if "[" in kind or kind not in (*PROTOCOLS, PREFIX):
        raise BuildError(f"{SPEC_FILE}: expected python:FILE:CLASS or PROTOCOL:COMMAND, got {text[:100]!r}")
    if rest.startswith("/") or ".." in rest:
        raise BuildError(f"{SPEC_FILE}: paths are relative to the submitted files")
    return text


def placed(spec: str, folder: Path) -> str:
    """The SPEC of an engine in a folder."""
    return in_folder(spec, str(folder))


def check_engine(game: str, folder: Path, limit: Limit, seed: int) -> str:
    """Find the engine in a folder and play two games with it; returns its SPEC, relative to the folder.

    Raises BuildError.
    """
    rules = games.load(game)
    found = find_engine(folder)
    program = ":" not in found.split()[0]
    if limit.time is not None:
        limit = replace(limit, time=min(limit.time, CHECK_SECONDS))
    try:
        if not program:
            describe(placed(found, folder), rules)
        engine, place = (found, str(folder)) if program else (placed(found, folder), "")
        result = examine(rules, engine, limit, seed, place)
        if limit.time is not None and not result.ok and all(problem.kind == LATE for problem in result.problems):
            # The machine may have been busy for a moment.
            result = examine(rules, engine, limit, seed, place)
    except GameError as error:
        raise BuildError(_relative(str(error), folder)) from error
    if not result.ok:
        problem = result.problems[0]
        message = f"{problem.kind}: {problem.message}"
        raise BuildError(_relative(message, folder), _relative(_transcript(result), folder))
    if not program:
        return found
    return f"{result.protocol}:{found}"


def _relative(text: str, folder: Path) -> str:
    """Remove the path of the folder from a message."""
    return text.replace(f"[cwd={folder}]", "").replace(f"{folder}/", "").replace(str(folder), ".")


def _transcript(result: CheckResult) -> str:
    """The problems of a check as text; empty if the message of the first one is sufficient."""
    if len(result.problems) == 1 and not result.problems[0].transcript:
        return ""
    lines: list[str] = []
    for problem in result.problems:
        lines += [f"{problem.kind}: {problem.message}", *(f"  {line}" for line in problem.transcript)]
    return "\n".join(lines)
