"""Log of the traffic with engines: one line per message, with time and direction.

    12:03:04.517 lab:./agent > go die 4 movetime 1000
    12:03:04.533 lab:./agent < bestmove A2B3
    12:03:04.534 lab:./agent ! a line on its standard error

`--log FILE` sets the environment variable STARSCOUT_LOG, so that worker processes write to the same file.
"""

import datetime
import os

VARIABLE = "STARSCOUT_LOG"


class EngineLog:
    """The log of one engine; does nothing unless STARSCOUT_LOG is set."""

    def __init__(self, name: str) -> None:
        path = os.environ.get(VARIABLE)
        self._name = name
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666) if path else None

    def write(self, arrow: str, data: bytes) -> None:
        """Append data with its direction: `>` to the engine, `<` from it, `!` standard error."""
        if self._file is None:
            return
        now = datetime.datetime.now().strftime("%H:%M:%S.%f")[:-3]
        lines = data.decode("utf-8", "replace").splitlines() or [""]
        os.write(self._file, "".join(f"{now} {self._name} {arrow} {line}\n" for line in lines).encode())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
