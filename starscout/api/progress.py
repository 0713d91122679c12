"""Progress displays for terminals and notebooks.

In a script or a notebook, Ctrl-C stops compiled kernels, and `Interrupted` carries the result so far.

Python runs signal handlers between bytecode instructions of the main thread, and a kernel call is one instruction. A
thread therefore reads the signal wakeup descriptor and raises the stop flags: the kernel returns, and KeyboardInterrupt
follows. Signals are forwarded to the previous descriptor, which may belong to a notebook or to the command line.
"""

import builtins
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, cast

from starscout.kernels.stop_flags import raise_flags

if TYPE_CHECKING:
    from rich.console import Console


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


NOTEBOOK_SHELL = "ZMQInteractiveShell"


def in_notebook() -> bool:
    """Whether this process runs in a notebook."""
    shell: Any = getattr(builtins, "get_ipython", None)
    return shell is not None and type(shell()).__name__ == NOTEBOOK_SHELL


@contextlib.contextmanager
def redrawn(draw: Callable[[], Any], *, shown: bool = True) -> Generator[Callable[[], None]]:
    """Yield a function that redraws `draw()`; it does nothing without a display, or if not `shown`."""
    if shown and in_notebook():
        yield from _in_notebook(draw)
    elif shown and in_terminal():
        yield from _in_terminal(draw)
    else:
        yield lambda: None


@contextlib.contextmanager
def progress_bar(what: str, *, shown: bool = True) -> Generator[Callable[[float], None]]:
    """Yield a function that shows the completed fraction, 0 to 1, and the remaining time."""
    if shown and in_terminal() and not in_notebook():
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=_error_console(), transient=True) as bar:
            task = bar.add_task(what, total=1.0)
            yield lambda finished: bar.update(task, completed=finished)
        return
    part = 0.0
    with redrawn(lambda: f"{what}: {part:.0%}", shown=shown) as redraw:

        def show(finished: float) -> None:
            nonlocal part
            part = finished
            redraw()

        yield show


def in_terminal() -> bool:
    """Whether standard error is a terminal with cursor control."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _error_console() -> "Console":
    from rich.console import Console

    colours = None if "NO_COLOR" in os.environ else "auto"
    return Console(file=sys.stderr, color_system=colours, highlight=False, markup=False, emoji=False)


def _in_terminal(draw: Callable[[], Any]) -> Generator[Callable[[], None]]:
    from rich.live import Live

    with Live(draw(), console=_error_console(), refresh_per_second=4, transient=True) as display:
        yield lambda: display.update(draw())


def _in_notebook(draw: Callable[[], Any]) -> Generator[Callable[[], None]]:
    """Clear the display at the end, so that the cell shows only its result."""
    import IPython.display  # pyright: ignore[reportMissingImports]

    notebook = cast(Any, IPython.display)  # pyright: ignore[reportUnknownMemberType]
    handle: Any = notebook.display(draw(), display_id=True)
    try:
        yield lambda: handle.update(draw())
    finally:
        handle.update(notebook.HTML(""))
