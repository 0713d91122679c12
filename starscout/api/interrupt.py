"""Ctrl-C: stops compiled kernels in a script or a notebook, and `Interrupted` carries the result so far.

Python runs signal handlers between bytecode instructions of the main thread, and a kernel call is one instruction. A
thread therefore reads the signal wakeup descriptor and raises the stop flags: the kernel returns, and KeyboardInterrupt
follows. Signals are forwarded to the previous descriptor, which may belong to a notebook or to the command line.
"""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Generator
from typing import Any

from starscout.kernels.stop_flags import raise_flags

NO_DESCRIPTOR = -1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. Finished work is stored and available as `result`; the same call resumes the run.

    >>> stop = Interrupted("result so far")
    >>> stop.result
    'result so far'
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted: finished work is stored, and the same call resumes the run")
        self.result = result


@contextlib.contextmanager
def interruptible_kernels() -> Generator[None]:
    """Let Ctrl-C stop the kernels that run inside the block; has no effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    written, read = socket.socketpair()
    written.setblocking(False)
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    listener = threading.Thread(target=_listen, args=(read, before), name="starscout interrupt", daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        written.close()
        listener.join()


def _listen(wakeups: socket.socket, before: int) -> None:
    with wakeups:
        while numbers := wakeups.recv(64):
            if before != NO_DESCRIPTOR:
                with contextlib.suppress(OSError):
                    os.write(before, numbers)
            if signal.SIGINT in numbers:
                raise_flags()
