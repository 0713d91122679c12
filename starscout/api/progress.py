"""Long work shows how far it is: in a terminal, and below the cell of a notebook."""

import builtins
import contextlib
import os
import sys
from collections.abc import Callable, Generator
from typing import Any, cast

NOTEBOOK_SHELL = "ZMQInteractiveShell"


def in_notebook() -> bool:
    """Whether a notebook shows what this process displays."""
    shell: Any = getattr(builtins, "get_ipython", None)
    return shell is not None and type(shell()).__name__ == NOTEBOOK_SHELL


@contextlib.contextmanager
def redrawn(draw: Callable[[], Any], *, shown: bool = True) -> Generator[Callable[[], None]]:
    """A function that shows anew what `draw` returns; it does nothing where nobody looks, or if not `shown`."""
    if shown and in_notebook():
        yield from _in_notebook(draw)
    elif shown and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        yield from _in_terminal(draw)
    else:
        yield lambda: None


def _in_terminal(draw: Callable[[], Any]) -> Generator[Callable[[], None]]:
    from rich.console import Console
    from rich.live import Live

    colours = None if "NO_COLOR" in os.environ else "auto"
    console = Console(file=sys.stderr, color_system=colours, highlight=False, markup=False, emoji=False)
    with Live(draw(), console=console, refresh_per_second=4, transient=True) as display:
        yield lambda: display.update(draw())


def _in_notebook(draw: Callable[[], Any]) -> Generator[Callable[[], None]]:
    """The display is emptied at the end: the cell then shows its result."""
    import IPython.display  # pyright: ignore[reportMissingImports]

    notebook = cast(Any, IPython.display)  # pyright: ignore[reportUnknownMemberType]
    handle: Any = notebook.display(draw(), display_id=True)
    try:
        yield lambda: handle.update(draw())
    finally:
        handle.update(notebook.HTML(""))
