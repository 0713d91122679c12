"""How a command that plays with programs ends."""

import signal


def kill_child_processes() -> None:
    """Make a termination of this process end its engines too, as Ctrl-C does."""
    from starscout.protocols.process import adopt_orphans

    adopt_orphans()
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, frame: object) -> None:
    from starscout.errors import Terminated

    raise Terminated(128 + number)
