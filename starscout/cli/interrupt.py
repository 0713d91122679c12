"""Signals of the command line: Ctrl-C prints a message and exits with code 130, SIGTERM ends child processes too.

    exit_on_interrupt   during imports: nothing is to be stored, and libraries do not expect exceptions
    raising             while a command runs: raises KeyboardInterrupt and stops running kernels
    ignore              while the process exits

Python runs signal handlers between bytecode instructions of the main thread, and a kernel call is one instruction. A
thread therefore reads the signals too and raises the stop flags of the kernels. A second Ctrl-C exits immediately.

This module is loaded before the SIGINT handler is installed, so it imports almost nothing.
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

MESSAGE = "interrupted"
EXIT_CODE = 130


def exit_on_interrupt() -> None:
    """Let Ctrl-C end the process without an exception."""
    if _enabled():
        signal.signal(signal.SIGINT, lambda number, frame: _exit())


def ignore() -> None:
    """Ignore Ctrl-C while the process exits."""
    if _enabled():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def print_message() -> None:
    """Report the interrupt on standard error."""
    print(MESSAGE, file=sys.stderr)


@contextmanager
def raising() -> "Iterator[None]":
    """Let Ctrl-C raise KeyboardInterrupt inside the block and stop running kernels."""
    import threading
    from socket import socketpair

    if not _enabled() or threading.current_thread() is not threading.main_thread():
        yield
        return
    written, read = socketpair()
    written.setblocking(False)
    threading.Thread(target=_listen, args=(read,), name="starscout interrupt", daemon=True).start()
    before, hook = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False), sys.unraisablehook
    sys.unraisablehook = _raise_again
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        ignore()
        sys.unraisablehook = hook
        signal.set_wakeup_fd(before)
        written.close()


def _enabled() -> bool:
    """Whether Ctrl-C should end this process; its parent may have disabled SIGINT."""
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


_REPEAT_SECONDS = 0.02

_repeats = 0
"""Number of interrupts sent to repeat a lost one."""


def _raise_again(lost: "UnraisableHookArgs") -> None:
    """Repeat an interrupt that was raised where exceptions cannot propagate, such as a callback of the compiler.

    Exceptions cannot propagate from here either, so the signal is sent again a moment later.
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
    """Raise the stop flags at the first signal, exit at the second."""
    with wakeups:
        interrupts = 0
        while numbers := wakeups.recv(64):
            interrupts += numbers.count(signal.SIGINT)
            if interrupts > 1 + _repeats:
                _exit()
            if interrupts:
                _stop_kernels()


def _interrupt(number: int, frame: object) -> None:
    """Raise KeyboardInterrupt now, or at the next step of the compiler if it is running."""
    # The compiler cannot run before its module is loaded.
    compiler = sys.modules.get("starscout.kernels.compiler")
    if compiler is None or not compiler.postpone_interrupt():
        raise KeyboardInterrupt


def _stop_kernels() -> None:
    # No kernel can run before this module is loaded.
    flags = sys.modules.get("starscout.kernels.stop_flags")
    if flags is not None:
        flags.raise_flags()


def _exit() -> None:
    os.write(2, f"{MESSAGE}\n".encode())
    os._exit(EXIT_CODE)


def kill_child_processes() -> None:
    """End child processes when this process receives SIGTERM, as Ctrl-C does."""
    from starscout.protocols.process import adopt_orphans

    adopt_orphans()
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: object) -> None:
    from starscout.errors import Terminated

    raise Terminated(128 + number)
