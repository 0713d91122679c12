"""StarScout in a process of its own, isolated: no file in the working directory can replace a library."""

import os
import sys
from pathlib import Path

import starscout

_BEGIN = """
import os, sys
sys.path += [path for path in sys.argv.pop(1).split(os.pathsep) if path not in sys.path]
from starscout.cli.main import main
main()
"""


def own_command(*words: str) -> list[str]:
    """The command that runs `starscout WORDS…` with this interpreter, this package and these libraries.

    Python starts isolated (-I): neither the working directory nor PYTHONPATH is on its path; ours comes after the
    standard library.
    """
    package = str(Path(starscout.__file__).parents[1])
    here = {"", os.getcwd()} - {package}
    paths = [path for path in (*sys.path, package) if path not in here]
    return [sys.executable, "-I", "-c", _BEGIN, os.pathsep.join(paths), *words]


def compiled_environment() -> dict[str, str]:
    """Our environment with the compiler switched on."""
    return {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
