"""Progress is shown in terminals and notebooks, and nowhere else."""

import builtins
import io
import sys
import types
from typing import Any

import pytest

from starscout.api.progress import in_notebook, progress_bar, redrawn


def test_nothing_is_drawn_without_a_display(capsys: pytest.CaptureFixture[str]) -> None:
    drawn: list[int] = []
    with redrawn(lambda: drawn.append(1)) as redraw:
        redraw()
    assert drawn == []
    assert capsys.readouterr() == ("", "")
    assert not in_notebook()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_latest_and_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    steps = iter(("one of two", "two of two"))
    with redrawn(lambda: next(steps)) as redraw:
        redraw()
    assert "two of two" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_progress_bar_needs_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with progress_bar("playing") as show:
        show(0.5)
    assert capsys.readouterr() == ("", "")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("playing", shown=False) as show:
        show(0.5)
    assert terminal.getvalue() == ""
    with progress_bar("playing") as show:
        show(0.5)
    assert "playing" in terminal.getvalue()


def test_progress_false_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with redrawn(lambda: "one", shown=False) as redraw:
        redraw()
    assert terminal.getvalue() == ""


class ZMQInteractiveShell:
    """The name of a notebook's shell in IPython."""


def test_a_notebook_updates_one_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebooks of examples/ run in a real kernel: this shows the order of the updates."""
    updates: list[Any] = []
    handle = types.SimpleNamespace(update=updates.append)

    def display(shown: object, *, display_id: bool) -> object:
        updates.append(shown)
        return handle

    module: Any = types.ModuleType("IPython.display")
    module.display, module.HTML = display, lambda text: ("html", text)
    package: Any = types.ModuleType("IPython")
    package.display = module
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    steps = iter(("one", "two"))
    with redrawn(lambda: next(steps)) as redraw:
        redraw()
    assert updates == ["one", "two", ("html", "")]
    updates.clear()
    with progress_bar("playing") as show:
        show(0.5)
    assert updates == ["playing: 0%", "playing: 50%", ("html", "")]
