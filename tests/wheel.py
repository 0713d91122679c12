"""The wheel of this source tree, built once per test run and installed beside the packages of this environment."""

import functools
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from tests.blocks import ROOT


@functools.cache
def build(*, sdist: bool = False) -> Path:
    """Return a folder with the wheel; with `sdist`, also with the sdist that the wheel was built from."""
    folder = Path(tempfile.mkdtemp(prefix="starscout-dist-"))
    source = Path(tempfile.mkdtemp(prefix="starscout-source-")) / "starscout"
    # The build writes beside the sources: it gets its own copy of what is under version control.
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.splitlines():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    only = () if sdist else ("--wheel",)
    command = [sys.executable, "-m", "build", *only, "--outdir", str(folder), str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    shutil.rmtree(source.parent)
    return folder


@functools.cache
def installed() -> Path:
    """Return the `bin` folder of an environment with the wheel and the other packages of this environment."""
    venv = Path(tempfile.mkdtemp(prefix="starscout-wheel-"))
    (wheel,) = build().glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    target = venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    # A .pth file adds the folder without the .pth files in it, such as that of the editable installation.
    folders = dict.fromkeys([sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("-packages"))])
    (target / "development.pth").write_text("".join(f"{folder}\n" for folder in folders))
    pip = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed"]
    subprocess.run([*pip, wheel], check=True, env=environment())
    return venv / "bin"


def environment() -> dict[str, str]:
    """Return the variables of this process without those that would find the source tree."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(*words: str | Path, folder: Path, timeout: float = 300.0) -> "subprocess.CompletedProcess[str]":
    """Run a program of the environment, such as `starscout` or `python`, in a folder."""
    variables = environment()
    variables["PATH"] = f"{installed()}{os.pathsep}{variables['PATH']}"
    command = [str(installed() / words[0]), *map(str, words[1:])]
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=timeout, check=False
    )
