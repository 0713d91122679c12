"""The hard stop: a thread that raises a flag when the time is up, which kernels poll while they search.

Kernels release the GIL and never read the clock themselves. They look at `flag[0]` every few hundred nodes and return
as soon as it is not 0:

    flag = new_flag()
    with stop_after(limit.time, flag):
        kernel(…, flag)

The compiler may read the flag once and for all in a loop that writes no memory or provably other memory: searches
write their counters and rows between two looks, a loop that only computes has to be ended otherwise.
"""

import contextlib
import threading
from collections.abc import Iterator

import numpy

RAISED = 1
"""What a flag holds once the search has to end; 0 before."""

_running: "dict[object, tuple[numpy.ndarray, ...]]" = {}
"""The flags of the searches that are inside of `stop_after` now."""


def new_flag() -> numpy.ndarray:
    """A flag that is not raised. Any int64 array serves as one: its first number is the flag."""
    return numpy.zeros(1, dtype=numpy.int64)


@contextlib.contextmanager
def stop_after(seconds: float | None, *flags: numpy.ndarray) -> Iterator[None]:
    """Raise the flags `seconds` after the block is entered, unless it has been left by then; None never does.

    Lower the flags before the block: they are left as they are. Time that is already over raises them at once.
    """
    search = object()
    _running[search] = flags
    timer = None
    if seconds is not None and seconds <= 0:
        _raise(flags)
    elif seconds is not None:
        timer = threading.Timer(seconds, _raise, (flags,))
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        del _running[search]
        if timer is not None:
            timer.cancel()
            timer.join()


def stop_searches() -> None:
    """Raise the flags of every search that runs now, in whatever thread: somebody wants an answer at once."""
    for flags in list(_running.values()):
        _raise(flags)


def _raise(flags: tuple[numpy.ndarray, ...]) -> None:
    for flag in flags:
        flag[0] = RAISED
