"""Ctrl-C, from the first moment to the last: a short word and exit code 130.

    leave_at_once   while modules are imported: there is nothing to store, and no library expects an exception
    raising         while a command works: KeyboardInterrupt, and the kernels that run now are stopped
    ignore          while the process ends

Python runs signal handlers between two instructions of the main thread, and a kernel is one instruction. So a thread
listens too: it raises the stop flags of the kernels. A second Ctrl-C leaves at once, whatever is running.

This file is loaded before Ctrl-C means anything, so it imports almost nothing.
"""

import os
import signal
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from socket import socket
    from sys import UnraisableHookArgs

WORD = "interrupted"
EXIT_CODE = 130


def leave_at_once() -> None:
    """Let Ctrl-C end the process without an exception."""
    if _wanted():
        signal.signal(signal.SIGINT, lambda number, frame: _leave())


def ignore() -> None:
    """Let Ctrl-C do nothing: the process ends by itself."""
    if _wanted():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def say_so() -> None:
    """The word for a person."""
    print(WORD, file=sys.stderr)


@contextmanager
def raising() -> "Iterator[None]":
    """Let Ctrl-C raise KeyboardInterrupt inside the block, and stop the kernels that run."""
    import threading
    from socket import socketpair

    if not _wanted() or threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, listened = socketpair()
    ours.setblocking(False)
    threading.Thread(target=_listen, args=(listened,), name="starscout interrupt", daemon=True).start()
    before, hook = signal.set_wakeup_fd(ours.fileno(), warn_on_full_buffer=False), sys.unraisablehook
    sys.unraisablehook = _raise_again
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        # From here on the process ends.
        ignore()
        sys.unraisablehook = hook
        signal.set_wakeup_fd(before)
        ours.close()


def _wanted() -> bool:
    """Whether Ctrl-C should end this process: whoever started it may have decided that it does not."""
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


_REPEAT_SECONDS = 0.02

_repeats = 0
"""How many of the interrupts are repeats of one that got lost."""


def _raise_again(lost: "UnraisableHookArgs") -> None:
    """Repeat an interrupt that came where no exception can leave, as in a function that the compiler calls back.

    No exception can leave from here either, so the repeat comes a moment later.
    """
    import threading

    global _repeats
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _repeats += 1
        main = threading.main_thread().ident
        timer = threading.Timer(_REPEAT_SECONDS, signal.pthread_kill, (main, signal.SIGINT))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(lost)


def _listen(wakeups: "socket") -> None:
    """Raise the stop flags at the first signal, leave at the second."""
    with wakeups:
        interrupts = 0
        while numbers := wakeups.recv(64):
            interrupts += numbers.count(signal.SIGINT)
            if interrupts > 1 + _repeats:
                _leave()
            if interrupts:
                _stop_kernels()


def _interrupt(number: int, frame: object) -> None:
    """KeyboardInterrupt here and now, or at the compiler's next step if it is at work."""
    # A module that is not loaded yet does not compile.
    compiler = sys.modules.get("starscout.kernels.compiler")
    if compiler is None or not compiler.postpone_interrupt():
        raise KeyboardInterrupt


def _stop_kernels() -> None:
    # A module that is not loaded yet has announced no kernel.
    flags = sys.modules.get("starscout.kernels.stop_flags")
    if flags is not None:
        flags.raise_flags()


def _leave() -> None:
    os.write(2, f"{WORD}\n".encode())
    os._exit(EXIT_CODE)
