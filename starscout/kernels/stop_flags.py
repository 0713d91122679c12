"""Stop flags: end a running kernel from outside.

A flag is an array; if its first number is not 0, the kernel must return. Kernels release the GIL and poll the flag
with `raised(flag)`; the caller registers the flag while the kernel runs:

    with stoppable() as flag:
        kernel(…, flag)

`raise_flags` then ends all registered kernels of the process: on Ctrl-C, or if an engine receives a stop command.
`raise_flags_of` ends those of one thread: a search whose result is no longer needed.
"""

import contextlib
import threading
from collections.abc import Iterator

import numpy

from starscout.kernels.kernel import first_number

RAISED = 1
"""The value of a raised flag; 0 if it is not raised."""

Flags = tuple[numpy.ndarray, ...]

raised = first_number
"""*kernel* (flag) → not 0 if the flag is raised; reads memory at every call."""

RUNNING: dict[object, tuple[int, Flags]] = {}
"""The flags of running kernels, and the thread that registered them."""


def new_flag() -> numpy.ndarray:
    """A flag that is not raised. Any int64 array can be a flag; only its first number is used."""
    return numpy.zeros(1, dtype=numpy.int64)


@contextlib.contextmanager
def announced(*flags: numpy.ndarray) -> Iterator[None]:
    """Register flags for `raise_flags` inside the block."""
    ticket = object()
    RUNNING[ticket] = threading.get_ident(), flags
    try:
        yield
    finally:
        del RUNNING[ticket]


@contextlib.contextmanager
def stoppable(flag: numpy.ndarray | None = None) -> Iterator[numpy.ndarray]:
    """A flag for the kernels in the block, a new one if none is given.

    Raises KeyboardInterrupt if the flag was raised, because the results of the kernels are then incomplete.
    """
    flag = new_flag() if flag is None else flag
    with announced(flag):
        yield flag
    if flag[0] != 0:
        raise KeyboardInterrupt


def raise_flags(flags: Flags | None = None) -> None:
    """Raise these flags; by default those of all registered kernels, in all threads."""
    for group in [flags] if flags is not None else [group for _, group in list(RUNNING.values())]:
        for flag in group:
            flag[0] = RAISED


def raise_flags_of(thread: int) -> None:
    """Raise the flags of all kernels that a thread has registered; `thread` is its `threading.get_ident`."""
    for announcer, flags in list(RUNNING.values()):
        if announcer == thread:
            raise_flags(flags)
