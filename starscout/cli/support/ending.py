"""How a command that plays with programs ends."""

import signal
import sys


def leave_nobody_behind() -> None:
    """Make a termination of this process end its engines too, as Ctrl-C does."""
    from starscout.protocols.process import adopt_orphans

    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
