"""Fuzzing targets."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Target:
    """A parser, or one side of a protocol."""

    name: str
    make: Callable[[Random], str]
    """Generates the next input."""
    feed: Callable[[str], None]
    """Accepts the input or raises one of `errors`; any other exception is a finding."""
    errors: tuple[type[Exception], ...]
    """The documented errors."""
    share: int
    """Inputs per round: more for fast targets, so that each target gets a similar share of the time."""
    lines: bool = False
    """Whether an input is a conversation, in which every non-blank line counts as an input."""
