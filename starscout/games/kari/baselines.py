"""The player kind `kari-baseline`: the two opponents of the course that invented kari.

`greedy` and `conservative` are weak. They reproduce the originals, including their quirks.
"""

from dataclasses import dataclass
from typing import Annotated

from starscout.game import DRAW, LOSS, ONGOING, WIN, Game, GameError, Position
from starscout.game.state import State, start
from starscout.games.ewn import board as cube_board
from starscout.games.ewn.board import TARGET_SHIFT
from starscout.games.kari import rules as kari
from starscout.kernels.bits import Word, below, random_word
from starscout.players.player import Decision, MoveReport, Player
from starscout.search.limits import Limit
from starscout.settings.arguments import check_fields
from starscout.settings.schema import Setting

STYLES = ("greedy", "conservative")
THREAT, RESULT, EVEN = 5.0, 100.0, 50.0
"""Weights of `greedy` for a threatened cube, for a won or lost game and for a draw."""

_BOARD = cube_board.build_cubes(kari.SIZE, kari.SIZE, kari.CUBES)
_GOAL = _BOARD.squares - 1

Places = list[int | None]
"""The squares of a side's cubes, in its own view."""


@dataclass(frozen=True)
class Options:
    """The style: greedy or conservative."""

    style: Annotated[str, Setting(choices=STYLES)] = "greedy"

    def __post_init__(self) -> None:
        check_fields(self)


class KariBaseline(Player):
    """Chooses by the position, with a counter-based random generator to break ties."""

    trusted = True

    def __init__(self, style: str, name: str) -> None:
        self.name = name
        self._style = style
        self._seed = 0

    def new_game(self, game: Game, seed: int) -> None:
        self._seed = seed
        self.choose(start(game), Limit())  # loads the kernels before any clock runs

    def choose(self, state: State, limit: Limit) -> Decision:
        random = Word(random_word(Word(self._seed), Word(state.ply)))
        if self._style == "conservative":
            return Decision(conservative_move(state, random))
        scores = {
            move: greedy_score(state.game, state.game.play_position(state.position, move)) for move in state.legal
        }
        best = max(scores.values())
        moves = tuple(MoveReport(move) for move in scores)
        return Decision(next(move for move, score in scores.items() if score == best), moves=moves)


def check(game: Game, options: Options) -> None:
    """Raise GameError for any game but kari."""
    if game.name != "kari":
        raise GameError(f"kari-baseline plays kari, not {game.name}")


def make(game: Game, options: Options, name: str) -> KariBaseline:
    """Create a baseline player."""
    return KariBaseline(options.style, name)


def conservative_move(state: State, random: Word) -> int:
    """The first capture of an enemy, else the first straight move that is not a self-capture, else any move."""
    legal, position = state.legal, state.position
    if legal == [kari.PASS]:
        return kari.PASS
    own, enemy = cube_board.places(_BOARD, position.own), cube_board.places(_BOARD, position.enemy)
    for move in legal:
        if _GOAL - (move >> TARGET_SHIFT) in enemy:
            return move
    for move in legal:
        place = own[cube_board.move_cube(_BOARD, move)]
        target = move >> TARGET_SHIFT
        straight = place is not None and target - place in (1, kari.SIZE)
        if straight and target not in own:
            return move
    return legal[int(below(random, len(legal)))]


def greedy_score(game: Game, after: Position) -> float:
    """The score of `greedy` for the position after its move; larger is better."""
    result = game.outcome(after)
    if result != ONGOING:
        return {LOSS: RESULT, DRAW: EVEN, WIN: -RESULT}[result]
    enemy, own = cube_board.places(_BOARD, after.own), cube_board.places(_BOARD, after.enemy)
    threatened = sum(_is_threatened(place, enemy) for place in own if place is not None)
    return _distances(own) - _distances(enemy) - THREAT * threatened


def _distances(places: Places) -> float:
    """Σ (6 − n)·Manhattan distance to the far corner over the remaining cubes n."""
    return sum(
        (kari.CUBES - cube) * (2 * (kari.SIZE - 1) - sum(divmod(place, kari.SIZE)))
        for cube, place in enumerate(places)
        if place is not None
    )


def _is_threatened(place: int, enemy: Places) -> bool:
    """Whether an enemy cube can step on a square that is given in our own view."""
    row, column = divmod(_GOAL - place, kari.SIZE)
    return any(
        (row - down) * kari.SIZE + column - right in enemy
        for down, right in kari.STEPS
        if row >= down and column >= right
    )
