"""Ctrl-C in a script or a notebook, while a kernel runs.

Python runs signal handlers between two instructions of the main thread, and a kernel is one instruction. So a thread
listens, and raises the stop flags of the kernels: the kernel ends, and KeyboardInterrupt comes as usual. Whoever
listened before, like the loop of a notebook or the command line, hears every signal too.
"""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Generator

from starscout.kernels.stop_flags import raise_flags

NOBODY = -1


@contextlib.contextmanager
def interruptible_kernels() -> Generator[None]:
    """Let Ctrl-C end the kernels that run inside the block; only the main thread hears signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, listened = socket.socketpair()
    ours.setblocking(False)
    before = signal.set_wakeup_fd(ours.fileno(), warn_on_full_buffer=False)
    listener = threading.Thread(target=_listen, args=(listened, before), name="starscout Ctrl-C", daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        ours.close()
        listener.join()


def _listen(wakeups: socket.socket, before: int) -> None:
    with wakeups:
        while numbers := wakeups.recv(64):
            if before != NOBODY:
                with contextlib.suppress(OSError):
                    os.write(before, numbers)
            if signal.SIGINT in numbers:
                raise_flags()
