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


def new_flag() -> numpy.ndarray:
    """A flag that is not raised. Any int64 array serves as one: its first number is the flag."""
    return numpy.zeros(1, dtype=numpy.int64)


@contextlib.contextmanager
def stop_after(seconds: float | None, *flags: numpy.ndarray) -> Iterator[None]:
    """Raise the flags `seconds` after the block is entered, unless it has been left by then; None never does.

    Lower the flags before the block: they are left as they are. Time that is already over raises them at once.
    """
    if seconds is None:
        yield
        return
    if seconds <= 0:
        _raise(flags)
        yield
        return
    timer = threading.Timer(seconds, _raise, (flags,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _raise(flags: tuple[numpy.ndarray, ...]) -> None:
    for flag in flags:
        flag[0] = RAISED
