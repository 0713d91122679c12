"""Hooks that a front end installs to report slow operations. Free of Numba, so that imports stay fast."""

import sys
from collections.abc import Callable

COMPILING_SECONDS = 1.0
"""Seconds of compilation before the user is notified."""

compiling: Callable[[], None] | None = None
"""Called once a compilation has taken COMPILING_SECONDS."""

WAITING_SECONDS = 10.0
"""Seconds without output of an engine before the user is notified."""

waiting: Callable[[str], None] | None = None
"""Called with a message if an engine has sent nothing for WAITING_SECONDS."""


def print_notice(message: str) -> None:
    """Print a message to standard error, as the command line and its workers do."""
    print(f"starscout: {message}", file=sys.stderr, flush=True)
