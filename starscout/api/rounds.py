"""How programs and visitors play: clocks, seed, and where their games go."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from starscout.search.limits import Limit


class RoundSettings(TypedDict, total=False):
    """How games are refereed: the keywords of `judge` and `course_match`, named as on the command line.

    >>> settings: RoundSettings = {"time": 1.0, "seed": 7, "store": ":memory:", "progress": False}
    >>> course_match("ewn", "random", "random", **settings).seed
    7
    """

    time: float | None
    """Seconds per move; default: the protocol's limit."""
    game_time: float | None
    """Seconds per side for the whole game."""
    increment: float
    """Seconds that come back after each move."""
    seed: int
    """Numbers the starts and the dice."""
    records: str | os.PathLike[str] | None
    """A file to which the games are appended, one JSON object per line."""
    store: str | os.PathLike[str] | None
    """Where games are kept; default: the user's data folder; `:memory:` keeps nothing."""
    log: str | os.PathLike[str] | None
    """A file for every line to and from engines."""
    progress: bool
    """Whether every game is announced on standard error; default: yes."""


@dataclass(frozen=True)
class ChosenRoundSettings:
    """The settings of refereed games with their defaults; an unknown keyword is a TypeError."""

    time: float | None = None
    game_time: float | None = None
    increment: float = 0.0
    seed: int = 0
    records: str | os.PathLike[str] | None = None
    store: str | os.PathLike[str] | None = None
    log: str | os.PathLike[str] | None = None
    progress: bool = True

    def limit(self, usual: Limit) -> Limit:
        """The limit of each side: what the person says, else the usual one."""
        if self.time is None and self.game_time is None:
            return usual
        return Limit(time=self.time, clock=self.game_time, increment=self.increment)

    @property
    def record_file(self) -> Path | None:
        """The file of records."""
        return None if self.records is None else Path(self.records)
