"""Run the notebooks of examples/ in a Jupyter kernel and check the kinds of their outputs."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SHOWN = {
    "own_game": ("image/svg+xml", "text/html"),
    "own_engine": ("image/svg+xml", "text/html"),
    "experiment": ("image/svg+xml", "text/html"),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SHOWN)
def test_notebook_runs_and_shows_its_outputs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient: Any = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    nbformat: Any = pytest.importorskip("nbformat")
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    # `!starscout` finds the script of this environment.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert all(output.output_type != "error" for output in outputs)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert set(SHOWN[name]) <= kinds


@pytest.mark.parametrize("name", SHOWN)
def test_notebook_is_stored_without_outputs(name: str) -> None:
    import json

    cells = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
