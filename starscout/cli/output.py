"""What every command shares: one JSON object for programs, a console for people."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """Exactly one JSON object on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def console(*, stderr: bool = False) -> "Console":
    """The console for people: colours only on a terminal that wants them."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    colourful = stream.isatty() and "NO_COLOR" not in os.environ
    width = None if stream.isatty() else 160
    return Console(file=stream, no_color=not colourful, highlight=False, width=width)
