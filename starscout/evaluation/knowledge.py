"""What is known about a game beyond its rules: evaluations, move classes, and players with a name.

A built-in game has a `KNOWLEDGE` in its file of this package; a game in a file of its own has it there, as
`Game(…, knowledge=Knowledge(…))`.

The three classes of moves: a search or a playout may try the first ones first and leave the last ones for last.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starscout.evaluation.evaluation import Evaluation, zero
from starscout.evaluation.features import Features
from starscout.game import Game, Position

FIRST_CLASS, ORDINARY, LAST_CLASS = 2, 1, 0

Classify = Callable[[Position, int], int]
"""*kernel* (position, move) → FIRST_CLASS, ORDINARY or LAST_CLASS."""

Builder = Callable[[Game], Evaluation]


@dataclass(frozen=True)
class Preset:
    """A player with a name. `strong` is the one that thinks when nobody else is named."""

    name: str
    spec: str
    """The player's description, like `negascout depth=4`."""
    description: str
    origin: str


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What is known about a game, or about a family of games; everything may be left out."""

    evaluations: Mapping[str, Builder] = field(default_factory=dict)
    """Name → (game) → evaluation, in the order that people are shown. `zero` is added where it is missing."""
    parse: Callable[[Game, str], Evaluation] | None = None
    """(game, text) → the evaluation that a text other than a name describes; raises GameError."""
    default: Callable[[Game], str] | None = None
    """(game) → the evaluation that players use. None: the first one."""
    luck: Callable[[Game], str] | None = None
    """(game) → the evaluation that sees most of the luck in the dice. None: the default."""
    move_classes: Callable[[Game], Classify | None] | None = None
    """(game) → the kernel that sorts moves into classes."""
    other_classes: Mapping[str, Callable[[Game], Classify]] = field(default_factory=dict)
    """Name → (game) → another kernel of that kind, which a player may choose."""
    features: Callable[[Game], Features | None] | None = None
    """(game) → what a learned evaluation sees. None: what stands on each square."""
    players: tuple[Preset, ...] = ()
    """Options behind a preset's name override its own."""

    def __post_init__(self) -> None:
        with_zero = {**self.evaluations, "zero": self.evaluations.get("zero", lambda game: zero())}
        object.__setattr__(self, "evaluations", with_zero)
