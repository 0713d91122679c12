"""The import of the compiler and the games, which takes most of a short command's time."""

import os

VARIABLE = "OPENBLAS_NUM_THREADS"


def load_compiler() -> None:
    """Import what every command needs, before an exception may come: libraries do not expect one there.

    NumPy's linear algebra would start a thread per core, which takes more processor time than a short command. The
    programs that we start decide for themselves.
    """
    decided = VARIABLE in os.environ
    if not decided:
        os.environ[VARIABLE] = "1"
    try:
        pass
    finally:
        if not decided:
            del os.environ[VARIABLE]
