"""Small random games that combine all features of the contract: rules by a hash, so one compilation serves them all.

Each start seed is a game of its own. A position has weighted chance events, some of which lead to the same decision; an
event or a move may keep or pass the turn; an event may end the game; wins count 1 to 3 points. The number of states
is small, so positions transpose.
"""

from typing import NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.game import ONGOING, Cell, Game
from starscout.game.values import ONE
from starscout.kernels.bits import Word, integer, mix
from starscout.kernels.kernel import kernel

STATES = Word(40)
POINTS = 3
LONGEST = 7


class Position(NamedTuple):
    """`game` numbers the game, `pending` is 1 before a chance event."""

    game: Word
    state: Word
    ply: int
    pending: int
    mover: int


@kernel(inline=True)
def number(position: Position, salt: int, limit: int) -> int:
    """A number below `limit` that depends on everything but the mover."""
    word = position.game * STATES + position.state
    return integer(mix(mix(word + Word(position.ply * 2 + position.pending) * STATES) + Word(salt)) % Word(limit))


@kernel(inline=True)
def events(position: Position) -> int:
    return 1 + number(position, 1, 5) if position.pending == 1 else 0


@kernel(inline=True)
def event(position: Position, index: int) -> tuple[int, int]:
    return index + 1, 1 + number(position, 10 + index, 4)


@kernel(inline=True)
def groups(position: Position) -> int:
    """Events 1 and 2 are equivalent, and so are 3 and 4."""
    return max((events(position) + 1) // 2, 1)


@kernel(inline=True)
def group(position: Position, index: int) -> tuple[int, int]:
    if position.pending == 0:
        return 0, 1
    first, weight = event(position, 2 * index)
    if 2 * index + 1 < events(position):
        weight += event(position, 2 * index + 1)[1]
    return first, weight


@kernel(inline=True)
def outcome(position: Position) -> int:
    ended = position.ply >= LONGEST or number(position, 2, 9) == 0
    if not ended or (position.ply == 0 and position.pending == 1):
        return ONGOING
    return number(position, 3, 2 * POINTS + 1) - POINTS


def build(*, alternating: bool, repetition: bool = False) -> Game:
    """The games whose turn alternates, or those whose turn is random; with repetition, the ply is not counted."""
    step = 0 if repetition else 1

    @kernel(inline=True)
    def start(seed: Word) -> Position:
        return Position(seed, Word(0), 0, 1, 0)

    @kernel(inline=True)
    def resolve(position: Position, event: int) -> Position:
        kind = (event - 1) // 2
        state = Word(number(position, 20 + kind, integer(STATES)))
        passes = not alternating and number(position, 30 + kind, 3) == 0
        return Position(position.game, state, position.ply, 0, 1 - position.mover if passes else position.mover)

    @kernel(inline=True)
    def moves(position: Position, event: int, out: numpy.ndarray) -> int:
        count = 1 + number(position, 4, 4)
        for index in range(count):
            out[index] = index
        return count

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        state = Word(number(position, 40 + move, integer(STATES) if step else 6))
        keeps = not alternating and number(position, 50 + move, 2) == 0
        pending = number(position, 60 + move, 2)
        mover = position.mover if keeps else 1 - position.mover
        return Position(position.game, state, position.ply + step, pending, mover)

    @kernel(inline=True)
    def key(position: Position) -> tuple[Word, Word]:
        """The mover does not matter: the rules do not depend on it."""
        return position.game, (position.state * Word(16) + Word(position.ply)) * Word(2) + Word(position.pending)

    def parse(text: str) -> tuple[Position, int]:
        game, state, ply, pending, mover = map(int, text.split())
        return Position(Word(game), Word(state), ply, pending, mover), 0

    return Game(
        name=f"generated-{alternating}-{repetition}", title="Generated", description="random rules", dice="random",
        sides=("one", "two"), rows=1, columns=1, max_moves=4, max_plies=200 if repetition else LONGEST + 1,
        position=Position, start=start, moves=moves, play=play, outcome=outcome, starts=0,
        events=events, event=event, max_events=5, resolve=resolve, groups=groups, group=group, key=key,
        alternating=alternating, points=POINTS, repetition=2 if repetition else 0,
        format=lambda position, event: " ".join(str(int(number)) for number in position), parse=parse,
        format_move=lambda position, move: f"m{move}", cells=lambda position: [Cell("", None)],
        reason=lambda position: "end",
    )  # fmt: skip


ALTERNATING, FREE = build(alternating=True), build(alternating=False)
REPEATING = build(alternating=False, repetition=True)


@kernel
def _noise(position: Position) -> int:
    return (number(position, 70, 2001) - 1000) * (ONE // 1024)


NOISE = Evaluation("noise", _noise)
