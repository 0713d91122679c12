"""The package as users get it: the wheel and nothing else, in an empty environment outside the source tree."""

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
from tests.blocks import ROOT, check_output, programs_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FRAME = """
import starscout
try:
    starscout.results(store="plies.sqlite").frame()
except starscout.GameError as error:
    print(error)
"""
TUTORIALS = ("student", "teacher", "engine-author", "researcher")


def pythons() -> list[str]:
    """Every Python from 3.11 on that this machine has, one of each version."""
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    for minor in range(11, 20):
        program = shutil.which(f"python3.{minor}")
        if (
            program is not None
            and subprocess.run([program, "-m", "venv", "--help"], capture_output=True).returncode == 0
        ):
            found.setdefault(f"3.{minor}", program)
    return list(found.values())


def test_one_version_everywhere() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", starscout.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {starscout.__version__}\n" in citation
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == starscout.__version__


def test_the_extras() -> None:
    extras = PROJECT["optional-dependencies"]
    assert {"cluster", "data", "dev"} <= set(extras)
    needed = {re.split(r"[<>=\[]", name)[0] for name in PROJECT["dependencies"]}
    assert not needed & {"pandas", "pyarrow", "distributed", "pytest", "mkdocs-material"}
    assert (Path(starscout.__file__).parent / "py.typed").is_file()


def test_importing_is_quick_and_loads_no_compiler() -> None:
    """Below 0.1 s of processor time, without the start of Python itself."""
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


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source") / "starscout"
    # The build writes beside the sources: it gets its own copy of what is under version control.
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for name in files:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("python", pythons())
def test_the_wheel_alone_does_what_the_tutorials_do(built: Path, python: str, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    assert starscout.__version__ in wheel.name
    assert starscout.__version__ in sdist.name
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    venv, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    program = venv / "bin" / "python"
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([str(program), "-m", "pip", "install", "--quiet", *constraints, str(wheel)], check=True)

    def run(*words: str) -> str:
        ended = subprocess.run(words, cwd=empty, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert run(str(venv / "bin" / "starscout"), "--version").strip() == f"starscout {starscout.__version__}"
    assert run(str(program), "-c", "import starscout; print(starscout.__file__)").startswith(str(venv))
    for name in TUTORIALS:
        ((text, expected),) = programs_of(ROOT / "docs" / "tutorials" / f"{name}.md")
        (empty / "script.py").write_text(text, encoding="utf-8")
        check_output(expected, run(str(program), "script.py"))
    assert run(str(program), "-c", FRAME).strip() == "a DataFrame needs pandas: pip install 'starscout[data]'"
