"""The wheel, installed into an empty environment outside the source tree."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import starscout
from tests import wheel
from tests.blocks import ROOT, check_output, programs_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MISSING = """
import starscout
for use in (
    lambda: starscout.results(store="plies.sqlite").frame(),
    lambda: starscout.results(store="plies.sqlite").export("plies.parquet"),
    lambda: starscout.match("ewn-3x3-3", "random", "random", pairs=1, store=":memory:", cluster="local"),
    lambda: starscout.pettingzoo_env("ewn"),
    lambda: starscout.vector_env("ewn", 2),
):
    try:
        use()
    except starscout.GameError as error:
        print(error)
"""
EXPECTED_MESSAGES = """DataFrames need pandas: pip install 'starscout[data]'
Parquet export needs pyarrow: pip install 'starscout[data]', or export to .csv
cluster needs Dask: pip install 'starscout[cluster]'
pettingzoo_env needs PettingZoo: pip install pettingzoo gymnasium
vector_env needs Gymnasium: pip install gymnasium
"""
TUTORIALS = ("student", "teacher", "engine-author", "researcher")


def python_of(version: str) -> str | None:
    """Find a Python of this version that can create virtual environments, on the path or from pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    for program in filter(None, found):
        # pyenv installs shims for inactive versions, which fail.
        if subprocess.run([program, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            return program
    return None


def test_versions_agree() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", starscout.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {starscout.__version__}\n" in citation
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = [name for name in re.findall(r"^## (\S+)", changes, re.MULTILINE) if name != "Unreleased"]
    assert released[0] == starscout.__version__


def test_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    assert {"cluster", "data", "dev"} <= set(extras)
    needed = {re.split(r"[<>=\[]", name)[0] for name in PROJECT["dependencies"]}
    assert not needed & {"pandas", "pyarrow", "distributed", "pytest", "mkdocs-material"}
    assert (Path(starscout.__file__).parent / "py.typed").is_file()


def test_import_is_fast_and_loads_no_compiler() -> None:
    """Importing takes less than 0.1 s of processor time on top of the start of Python."""
    code = (
        "import time; began = time.process_time(); import starscout; took = time.process_time() - began\n"
        "import sys, json; heavy = [n for n in ('numba', 'numpy', 'rich', 'typer') if n in sys.modules]\n"
        "print(json.dumps([took, heavy]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    seconds, heavy = json.loads(ended.stdout)
    assert heavy == []
    assert seconds < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_wheel_runs_the_tutorials(version: str, tmp_path: Path) -> None:
    python = python_of(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    built = wheel.build(sdist=True)
    (package,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    assert starscout.__version__ in package.name
    assert starscout.__version__ in sdist.name
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    venv, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()

    def run(*words: str | Path) -> str:
        ended = subprocess.run(words, cwd=empty, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    run(python, "-m", "venv", venv)
    program, command = venv / "bin" / "python", venv / "bin" / "starscout"
    pip = (program, "-m", "pip", "install", "--quiet", "--no-compile", "--constraint", ROOT / "constraints.txt")
    run(*pip, package)
    assert run(command, "--version").strip() == f"starscout {starscout.__version__}"
    assert run(program, "-c", "import starscout; print(starscout.__file__)").startswith(str(venv))
    for name in TUTORIALS:
        ((text, expected),) = programs_of(ROOT / "docs" / "tutorials" / f"{name}.md")
        (empty / "script.py").write_text(text, encoding="utf-8")
        check_output(expected, run(program, "script.py"))
    assert run(program, "-c", MISSING) == EXPECTED_MESSAGES
    # The sdist has what the wheel has.
    run(*pip, "--no-deps", "--target", tmp_path / "other", sdist)
    assert files_of(tmp_path / "other" / "starscout") == files_of(
        Path(run(program, "-c", "import starscout; print(starscout.__file__)").strip()).parent
    )


def files_of(folder: Path) -> set[str]:
    """List the files of an installed package, without bytecode."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}
