"""What a face may want to tell a person while work goes on; a face sets it before anything is compiled."""

from collections.abc import Callable

COMPILING_SECONDS = 1.0
"""Compiling that takes longer than this is worth a word."""

compiling: Callable[[], None] | None = None
"""Called when something has been compiling for COMPILING_SECONDS."""
