"""A target of the search: how its inputs are made, what they are fed to, and what it may raise."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Target:
    """A parser, or a side of a protocol."""

    name: str
    make: Callable[[Random], str]
    """The next input."""
    feed: Callable[[str], None]
    """Accepts the input, or raises one of `errors`; anything else that it raises is a finding."""
    errors: tuple[type[Exception], ...]
    """The documented errors."""
    share: int
    """Inputs per round: many for what is fast, few for what is slow, so that each gets a similar part of the time."""
    lines: bool = False
    """Whether an input is a conversation; then each line of it that is not blank counts as an input."""
