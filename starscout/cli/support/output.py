"""What every command shares: one JSON object for programs, a console for people."""

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """Exactly one JSON object on standard output, in ASCII: every locale can print it."""
    sys.stdout.write(json.dumps(value) + "\n")


def console(*, stderr: bool = False) -> "Console":
    """The console for people: colours only on a terminal that wants them; brackets and colons are text."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    colourful = stream.isatty() and "NO_COLOR" not in os.environ
    width = None if stream.isatty() else 160
    colours = "auto" if colourful else None
    return Console(file=stream, color_system=colours, highlight=False, markup=False, emoji=False, width=width)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error when it is a terminal; yields a function that takes the finished part, 0 to 1."""
    if not sys.stderr.isatty():
        yield lambda finished: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda finished: bar.update(task, completed=finished)
