"""What a face may want to tell a person while work goes on; a face sets it before anything is compiled."""

import sys
from collections.abc import Callable

COMPILING_SECONDS = 1.0
"""Compiling that takes longer than this is worth a word."""

compiling: Callable[[], None] | None = None
"""Called when something has been compiling for COMPILING_SECONDS."""

WAITING_SECONDS = 10.0
"""A program whose first word takes longer than this is worth a word."""

waiting: Callable[[str], None] | None = None
"""Called with a sentence when a program has not said a word for WAITING_SECONDS."""


def print_sentence(sentence: str) -> None:
    """What the command line and its workers do with a sentence."""
    print(f"starscout: {sentence}", file=sys.stderr, flush=True)
