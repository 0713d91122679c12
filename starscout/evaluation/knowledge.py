"""Knowledge: everything about a game beyond its rules.

A built-in game has a `KNOWLEDGE` in `knowledge.py` of its package; a user's game passes
`Game(…, knowledge=Knowledge(…))`. Every field may be left out.

Moves have three classes: a search or a playout may try the first class first and the last class last.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy

from starscout.evaluation.evaluation import Evaluation, zero
from starscout.evaluation.features import Features
from starscout.evaluation.weights import ENDING
from starscout.game import Game, Position

if TYPE_CHECKING:
    from starscout.game.state import State
    from starscout.learning.recipe import Recipe
    from starscout.learning.self_play import PositionSample, SelfPlay
    from starscout.search.deepening import Iteration
    from starscout.search.endgame import EndgameTable, ExactEndgame, ScoreSolver, TableFiles

FIRST_CLASS, ORDINARY, LAST_CLASS = 2, 1, 0

Classify = Callable[[Position, int], int]
"""*kernel* (position, move) → FIRST_CLASS, ORDINARY or LAST_CLASS."""

Builder = Callable[[Game], Evaluation]

PlaySelf = Callable[[Game, Evaluation, Features, "SelfPlay", int, int, int], "PositionSample"]
"""(game, evaluation, features, settings, seed, first game, number of games) → the positions of these games."""


@dataclass(frozen=True)
class Preset:
    """A named player. `strong` is the default player."""

    name: str
    spec: str
    """The player's description, like `negascout depth=4`."""
    description: str
    origin: str


@dataclass(frozen=True)
class Score:
    """The final score of a game whose result is more than win, loss or draw."""

    unit: str
    """The unit in the plural, like `points`; also the field of `starscout solve --json`."""
    lead: Callable[[Game, Position], int]
    """(game, position) → the mover's lead on the board."""
    final: Callable[[Game, Position], int]
    """(game, finished position) → the mover's score."""
    solver: "Callable[[Game, int], ScoreSolver]"
    """(game, threads) → a solver."""


class SelectiveSearcher(Protocol):
    """A search of one game that prunes by estimated bounds (ProbCut), with the interface of `Searcher`."""

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags."""
        ...

    def clear(self) -> None:
        """Clear the tables."""
        ...

    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a move: lower the flags and allow `nodes` more nodes."""
        ...

    def deepen(self, position: Any, roll: int, depths: range, *, every_move: bool = False) -> "Iterator[Iteration]":
        """Search one depth after another."""
        ...

    def line(self, position: Any, roll: int, move: int, limit: int) -> list[tuple[int, int]]:
        """The principal variation as pairs of roll and move."""
        ...

    def reaches_end(self, position: Any, depth: int) -> bool:
        """Whether a search of this depth goes to the end of the game, so that no deeper one follows."""
        ...


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Game-specific knowledge, for a game or a family of games."""

    evaluations: Mapping[str, Builder] = field(default_factory=dict)
    """Name → (game) → evaluation, in display order. `zero` is added if it is missing."""
    parse: Callable[[Game, str], Evaluation] | None = None
    """(game, text) → the evaluation described by a text that is not a name; raises GameError."""
    default: Callable[[Game], str] | None = None
    """(game) → the default evaluation of players. None: the shipped weights, else the first evaluation."""
    luck: Callable[[Game], str] | None = None
    """(game) → the evaluation that measures luck best. None: the default."""
    luck_depth: int = 3
    """The search depth that measures luck, in plies; games with many events and moves need a smaller one."""
    equity_unit: str = ""
    """The name of a thousandth of an expected point. Reviews then state luck and losses in points and error rates in
    this unit; empty: in win probability."""
    move_classes: Callable[[Game], Classify | None] | None = None
    """(game) → the kernel that sorts moves into classes."""
    other_classes: Mapping[str, Callable[[Game], Classify]] = field(default_factory=dict)
    """Name → (game) → an alternative kernel of that kind, which a player may choose."""
    players: tuple[Preset, ...] = ()
    """Presets. Options after a preset's name override its defaults."""
    kinds: Mapping[str, Any] = field(default_factory=dict)
    """Name → a kind of player that only this game has; see `players/spec.py` for its attributes."""

    # Learning.
    features: Callable[[Game], Features | None] | None = None
    """(game) → the input of a learned evaluation. None: the pieces on each square."""
    weights: Path | None = None
    """The folder of the shipped weights, one file `NAME.weights` per game."""
    recipe: "Recipe | None" = None
    """The training recipe of `starscout learn`. None: the general one."""
    refinement: "Recipe | None" = None
    """The recipe of `starscout learn --start`, which continues from given weights; None: not supported."""
    self_play: PlaySelf | None = None
    """The self-play of `starscout learn`. None: the general one."""

    # Search.
    table: "Callable[[Game], EndgameTable | None] | None" = None
    """(game) → the endgame table of late positions, used by players with endgame=on, by `solve` and for luck."""
    table_files: "TableFiles | None" = None
    """The files that `starscout tables` builds and checks."""
    endgame: "Callable[[Game, int], ExactEndgame] | None" = None
    """(game, threads) → the exact endgame of players with endgame=on. None: that of the table."""
    selective_search: Callable[[Game, Evaluation], Callable[[float, int], SelectiveSearcher] | None] | None = None
    """(game, evaluation) → (margin in standard deviations, table bits) → the search of players with `probcut`;
    None if the evaluation does not support it."""
    score: Score | None = None
    """The final score, for games that have one."""

    fingerprint: tuple[str, int, int] | None = None
    """The evaluation, depth and quick depth of the search fingerprint. None: the game is not part of it."""
    colours: Callable[[Any], tuple[str, str] | None] | None = None
    """The colours of both sides in a position, such as `("red", "black")`, in games that assign them during play; None
    before that. In other games sides are named after their colours."""
    goals: Callable[[Game], Mapping[int, int]] | None = None
    """(game) → goal square → its side (0 or 1), to be marked on boards."""
    level_ratings: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Name of a game → Elo of the page's levels above a random player, as measured; see `docs/results/page.md`."""
    set_up: "Callable[[State, int, str], State] | None" = None
    """(start, side, set-up as text) → the start with the side's pieces on the squares of the set-up; raises GameError.
    None: players cannot choose where their pieces start."""

    def __post_init__(self) -> None:
        with_zero = {**self.evaluations, "zero": self.evaluations.get("zero", lambda game: zero())}
        object.__setattr__(self, "evaluations", with_zero)

    def weights_file(self, game: Game) -> Path | None:
        """The shipped weights of a game; None if there are none."""
        file = None if self.weights is None else self.weights / f"{game.name}{ENDING}"
        return file if file is not None and file.is_file() else None
