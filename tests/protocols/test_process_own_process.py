"""Child processes of StarScout run isolated: files in the working directory do not shadow libraries."""

import subprocess
from pathlib import Path

import starscout
from starscout.protocols.process import compiled_environment, own_command
from tests.patience import PATIENCE


def test_files_in_the_folder_do_not_shadow_libraries(tmp_path: Path, monkeypatch) -> None:
    for name in ("queue", "json", "numpy", "typer", "random", "starscout"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name}.py of the working directory was imported')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = subprocess.run(own_command("--version"), cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (0, f"starscout {starscout.__version__}\n"), done.stderr


def test_the_compiler_is_enabled(monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("KEPT", "yes")
    environment = compiled_environment()
    assert "NUMBA_DISABLE_JIT" not in environment
    assert environment["KEPT"] == "yes"
