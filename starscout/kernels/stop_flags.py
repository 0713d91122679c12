"""Stop flags: how somebody outside ends a kernel that runs for long.

A flag is an array, and its first number says whether the kernel has to end. Kernels release the GIL and poll the flag
with `raised(flag)`; the caller announces the flag for as long as the kernel runs:

    with stoppable() as flag:
        kernel(…, flag)

`raise_flags` then ends every kernel of the process that is announced: on Ctrl-C, or when an engine is told to stop.
`raise_flags_of` ends those of one thread: a search that nobody waits for any more.
"""

import contextlib
import threading
from collections.abc import Iterator

import numpy

from starscout.kernels.kernel import first_number

RAISED = 1
"""The value of a flag when the kernel has to end; 0 before."""

Flags = tuple[numpy.ndarray, ...]

raised = first_number
"""*kernel* (flag) → not 0 when the flag is raised; it is read anew at every call."""

_announced: dict[object, tuple[int, Flags]] = {}
"""The flags of running kernels, and the thread that announced them."""


def new_flag() -> numpy.ndarray:
    """A flag that is not raised. Any int64 array can be a flag: its first number counts."""
    return numpy.zeros(1, dtype=numpy.int64)


@contextlib.contextmanager
def announced(*flags: numpy.ndarray) -> Iterator[None]:
    """Let `raise_flags` raise these flags inside the block."""
    ticket = object()
    _announced[ticket] = threading.get_ident(), flags
    try:
        yield
    finally:
        del _announced[ticket]


@contextlib.contextmanager
def stoppable(flag: numpy.ndarray | None = None) -> Iterator[numpy.ndarray]:
    """A flag for the kernels in the block, a new one if none is given.

    If it is raised, what the kernels return is worthless: KeyboardInterrupt.
    """
    flag = new_flag() if flag is None else flag
    with announced(flag):
        yield flag
    if flag[0] != 0:
        raise KeyboardInterrupt


def raise_flags(flags: Flags | None = None) -> None:
    """Raise these flags; without any, those of every kernel that is announced now, in all threads."""
    for group in [flags] if flags is not None else [group for _, group in list(_announced.values())]:
        for flag in group:
            flag[0] = RAISED


def raise_flags_of(thread: int) -> None:
    """Raise the flags of every kernel that this thread has announced (`threading.get_ident`)."""
    for announcer, flags in list(_announced.values()):
        if announcer == thread:
            raise_flags(flags)
