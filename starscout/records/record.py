"""The record of a game: everything needed to replay it, its result, and what the players reported."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from starscout import games
from starscout.game import GameError, Outcome
from starscout.game.state import State, parse

ADJOURNED = "adjourned"
"""The reason of a game that is not over; it has no winner."""

FORFEITS = ("timeout", "illegal move", "crash", "stalled", "disconnected", "resigned")
"""Reasons that end a game before its rules do."""


class RecordError(GameError):
    """A record that cannot be read or breaks the rules: on which line, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class Ply(NamedTuple):
    """A roll, the move that answered it, and what the mover reported about it."""

    roll: int
    """0 in games without dice."""
    text: str
    """The move as text."""
    move: int
    """The move as the kernels number it."""
    seconds: float = 0.0
    value: float | None = None
    """The mover's expected result in [−1, 1], as the mover reported it."""
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None


@dataclass(frozen=True)
class GameRecord:
    """One game. Players are in the order of the game's sides, whoever moved first.

    >>> import starscout
    >>> record, _ = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:").records
    >>> record.check()
    >>> len(list(record.states())) == len(record.plies) + 1
    True
    """

    game: str
    start: str
    players: tuple[str, str]
    plies: tuple[Ply, ...]
    winner: int | None
    """The side that won; None for a draw or a game that is not over."""
    reason: str
    detail: str = ""
    """A sentence that explains the reason, where it needs one."""
    seed: int = 0
    pair: int = 0
    half: int = 0
    """0 or 1: which of the two games of the pair this is."""
    source: str = ""
    """The digest of the game's file if the game is not one of ours: other rules are another game."""
    left: tuple[float | None, float | None] = (None, None)
    """Seconds left on the clock of each side at the end; None without a clock for the whole game."""

    @property
    def forfeit(self) -> bool:
        """Whether the game was lost by a forfeit."""
        return self.reason in FORFEITS

    def score(self, side: int) -> float:
        """What a side got: 1, ½ or 0."""
        return 0.5 if self.winner is None else float(self.winner == side)

    def states(self) -> Iterator[State]:
        """Every state of the game, dice rolled, from the start to the last position; GameError at an illegal ply."""
        state = parse(games.find(self.game), self.start)
        for number, ply in enumerate(self.plies, 1):
            try:
                state = state.rolled(ply.roll) if state.needs_roll else state
                yield state
                state = state.play(ply.move)
            except GameError as error:
                raise GameError(f"ply {number}: {error}") from error
        yield state

    def _repr_html_(self) -> str:
        """A board to step through, for a notebook and for the page that it is exported to."""
        from starscout.drawing.svg import replay_html

        captions = [f"{ply.roll or ''} {ply.text}".strip() for ply in self.plies]
        ended = f"{self.players[0]} – {self.players[1]}: {self.reason}"
        return replay_html(list(self.states()), [*captions, ended])

    def check(self) -> None:
        """Raise GameError when a ply is illegal or the result is not that of the last position."""
        *_, last = self.states()
        claimed = None if self.reason == ADJOURNED else Outcome(self.winner, self.reason)
        problem = claim_problem(claimed, last)
        if problem is not None:
            raise GameError(problem)


class Annotation(NamedTuple):
    """Luck and losses by a value function: for each ply's mover, in winning chances."""

    luck: tuple[float, ...]
    """The luck of each roll."""
    loss: tuple[float, ...]
    """The loss of each move."""


def claim_problem(claimed: Outcome | None, last: State) -> str | None:
    """Why a game that ended in `last` cannot have this outcome; None when it can."""
    if claimed is None:
        return None
    if claimed.reason in FORFEITS:
        return f"the record says {claimed.reason}, but the game had ended by the rules" if last.over else None
    actual = last.outcome
    if actual is None:
        return f"the record says {claimed.reason}, but the game is not over in {last.text!r}"
    if actual != claimed:
        return f"the record says {_sentence(claimed, last)}, but it was {_sentence(actual, last)}"
    return None


def _sentence(outcome: Outcome, last: State) -> str:
    winner = "a draw" if outcome.winner is None else f"{last.game.sides[outcome.winner]} won"
    return f"{winner} ({outcome.reason})"
