"""`starscout.batch`: n games side by side over NumPy arrays, all of them one move further with every step.

A step takes one action per game. A game that ends is counted in `rewards` and `terminated`, and the next one begins in
its place at once. Slot s plays the games number s, s + n, s + 2n, …; the start and the dice of a game depend on the
seed and its number alone, as in a match: the die of ply p is that of `referee/dice.py`.

    actions       the game's own numbering, the same in every position (`Game.action`); where it has none, an action is
                  the place of a move in the list of legal ones
    observations  one number per square, in the order of the board: 0 is empty, k a piece of kind k of the mover, −k one
                  of its opponent (`Game.view`; a game without it is read through `Game.cells`, which is slow)

What a program that learns sees of one state: its actions by number, and the board as numbers.
"""

import functools
from collections.abc import Callable
from typing import Any, get_type_hints

import numpy

from starscout import games
from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State, from_position
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Word, below, integer, random_word
from starscout.kernels.kernel import kernel, unroll
from starscout.settings.arguments import checked
from starscout.settings.schema import BatchSize, Seed

Array = numpy.ndarray[Any, Any]


def action_count(game: Game) -> int:
    """How many actions there are."""
    return game.actions or game.max_moves


def legal_actions(state: State) -> dict[int, int]:
    """Action → move, for every legal move; none when the game is over."""
    moves = state.legal
    if state.game.action is None:
        return dict(enumerate(moves))
    return {int(state.game.action(state.position, move)): move for move in moves}


def action_mask(state: State) -> Array:
    """1 for every legal action, else 0."""
    mask = numpy.zeros(action_count(state.game), dtype=numpy.int8)
    mask[list(legal_actions(state))] = 1
    return mask


def board_view(state: State) -> Array:
    """[row, column] → 0, or the kind of the piece there: positive if it is the mover's."""
    game = state.game
    out = numpy.zeros(game.rows * game.columns, dtype=numpy.int8)
    if game.view is not None:
        game.view(state.position, out)
    else:
        for square, cell in enumerate(game.cells(state.position)):
            kind = 0 if cell.side is None else int(cell.text) if cell.text.isdecimal() and int(cell.text) else 1
            out[square] = kind if cell.side == state.mover else -kind
    return out.reshape(game.rows, game.columns)


class GameBatch:
    """n games under way; the arrays below are updated in place by `step` and `reset`.

    >>> games = batch("othello", 4)
    >>> games.masks.sum(axis=1).tolist()
    [4, 4, 4, 4]
    """

    def __init__(self, game: Game, n: int, seed: int = 0) -> None:
        if n < 1:
            raise GameError(f"a batch has at least one game, not {n}")
        self.game, self.n = game, n
        self.actions = action_count(game)
        """How many actions there are: the width of `masks`."""
        self.observations: Array = numpy.zeros((n, game.rows, game.columns), dtype=numpy.int8)
        """[game, row, column] → 0, or the kind of the piece there: positive if it is the mover's."""
        self.masks: Array = numpy.zeros((n, self.actions), dtype=numpy.bool_)
        """[game, action] → whether it is legal."""
        self.movers: Array = numpy.zeros(n, dtype=numpy.int8)
        """[game] → the side to move."""
        self.rolls: Array = numpy.ones(n, dtype=numpy.int8)
        """[game] → the roll; 1 in games without dice."""
        self.rewards: Array = numpy.zeros((n, 2), dtype=numpy.float32)
        """[game, side] → 1, 0 or −1 when the last step ended a game, else 0."""
        self.terminated: Array = numpy.zeros(n, dtype=numpy.bool_)
        """[game] → whether the last step ended a game."""
        self.numbers: Array = numpy.zeros(n, dtype=numpy.int64)
        """[game] → the number of the game that is played there now."""
        self.plies: Array = numpy.zeros(n, dtype=numpy.int64)
        """[game] → how many plies of it are played."""
        self._words: Array = numpy.zeros((n, len(game.position._fields)), dtype=Word)  # pyright: ignore
        self._legal: Array = numpy.zeros((n, game.max_moves), dtype=numpy.int64)
        self._counts: Array = numpy.zeros(n, dtype=numpy.int64)
        self._flat: Array = self.observations.reshape(n, game.rows * game.columns)
        self._begin, self._step, self._sample = _build(game)
        self._drawn = 0
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Begin the games number 0 … n − 1 of a seed."""
        self._seed = seed
        self.numbers[:] = numpy.arange(self.n)
        self.rewards[:], self.terminated[:] = 0.0, False
        self._begin(Word(seed), *self._arrays())
        self._view()

    def step(self, actions: Array) -> None:
        """Play one action in every game; raises GameError when one of them is not legal, and then plays none."""
        chosen = numpy.ascontiguousarray(actions, dtype=numpy.int64)
        if chosen.shape != (self.n,):
            raise GameError(f"a step takes one action for each of the {self.n} games, not {chosen.shape}")
        wrong = self._step(Word(self._seed), chosen, self.rewards, self.terminated, *self._arrays())
        if wrong >= 0:
            raise GameError(
                f"action {int(chosen[wrong])} is not legal in game {wrong} of the batch, {self.state(wrong).text!r}: "
                f"legal are {numpy.flatnonzero(self.masks[wrong]).tolist()}"
            )
        self._view()

    def sample(self) -> Array:
        """A random legal action for every game; the same sequence in every run."""
        chosen = numpy.zeros(self.n, dtype=numpy.int64)
        self._drawn += 1
        self._sample(Word(self._drawn), chosen, self._words, self._legal, self._counts)
        return chosen

    def state(self, index: int) -> State:
        """One of the games, for people."""
        position = self.game.as_position([int(word) for word in self._words[index]])
        return from_position(self.game, position, int(self.rolls[index]))

    def _arrays(self) -> tuple[Array, ...]:
        return (
            self._words, self._legal, self._counts, self.numbers, self.plies, self.rolls, self.movers, self.masks,
            self._flat,
        )  # fmt: skip

    def _view(self) -> None:
        """Fill the observations of a game that has no kernel for it."""
        if self.game.view is not None:
            return
        for index in range(self.n):
            self.observations[index] = board_view(self.state(index))


@checked
def batch(game: str | Game, n: BatchSize, seed: Seed = 0) -> GameBatch:
    """n games side by side, stepped in compiled code: a game by name, by file or as a game. Raises GameError.

    >>> games = batch("ewn", 1000, seed=1)
    >>> for _ in range(40):
    ...     games.step(games.sample())
    >>> games.observations.shape, bool((games.numbers > 1000).any())
    ((1000, 5, 5), True)
    """
    return GameBatch(games.load(game) if isinstance(game, str) else game, n, seed)


@functools.cache
def _build(game: Game) -> tuple[Any, Any, Any]:
    """The kernels: begin all games, step all games, draw random actions."""
    start, moves, play, outcome = game.start, game.moves, game.play, game.outcome
    faces, starts, squares = game.faces, Word(game.starts), game.rows * game.columns
    named, viewed = game.action is not None, game.view is not None
    action, view = game.action or _place_action, game.view or _no_view
    read = _reader(game.position)

    @kernel(inline=True)
    def show(
        index: int, position: Position, game_seed: Word, words: Array, legal: Array, counts: Array, plies: Array,
        rolls: Array, movers: Array, masks: Array, observations: Array,
    ) -> None:  # fmt: skip
        """Write a position, its roll and everything that follows from them."""
        field = 0
        for number in unroll(position):
            words[index, field] = Word(number)
            field += 1  # noqa: SIM113 (the compiler unrolls a plain tuple only)
        roll = 1
        if faces > 1:
            roll = 1 + below(random_word(game_seed, Word(plies[index])), faces)
        rolls[index] = roll
        movers[index] = position.mover
        masks[index, :] = False
        count = moves(position, roll, legal[index])
        counts[index] = count
        for place in range(count):
            masks[index, action(position, legal[index, place]) if named else place] = True
        if viewed:
            for square in range(squares):
                observations[index, square] = 0
            view(position, observations[index])

    @kernel(inline=True)
    def opening(game_seed: Word) -> Position:
        choice = random_word(game_seed, WORD_ALL)
        return start(choice % starts if starts != WORD_ZERO else choice)

    @kernel
    def begin(
        seed: Word, words: Array, legal: Array, counts: Array, numbers: Array, plies: Array, rolls: Array,
        movers: Array, masks: Array, observations: Array,
    ) -> None:  # fmt: skip
        for index in range(len(numbers)):
            game_seed = random_word(seed, Word(numbers[index]))
            plies[index] = 0
            show(index, opening(game_seed), game_seed, words, legal, counts, plies, rolls, movers, masks, observations)

    @kernel
    def step(
        seed: Word, actions: Array, rewards: Array, terminated: Array, words: Array, legal: Array, counts: Array,
        numbers: Array, plies: Array, rolls: Array, movers: Array, masks: Array, observations: Array,
    ) -> int:  # fmt: skip
        """−1, or the first game whose action is not legal: then nothing has been played."""
        many = len(actions)
        for index in range(many):
            if not (0 <= actions[index] < masks.shape[1] and masks[index, actions[index]]):
                return index
        for index in range(many):
            position = read(words, index)
            place = actions[index]
            if named:
                place = 0
                while action(position, legal[index, place]) != actions[index]:
                    place += 1
            position = play(position, legal[index, place])
            plies[index] += 1
            result = outcome(position)
            rewards[index, 0] = 0.0
            rewards[index, 1] = 0.0
            terminated[index] = result != ONGOING
            if result != ONGOING:
                rewards[index, position.mover] = result
                rewards[index, 1 - position.mover] = -result
                numbers[index] += many
                plies[index] = 0
                position = opening(random_word(seed, Word(numbers[index])))
            game_seed = random_word(seed, Word(numbers[index]))
            show(index, position, game_seed, words, legal, counts, plies, rolls, movers, masks, observations)
        return -1

    @kernel
    def sample(seed: Word, chosen: Array, words: Array, legal: Array, counts: Array) -> None:
        for index in range(len(chosen)):
            place = below(random_word(seed, Word(index)), counts[index])
            chosen[index] = action(read(words, index), legal[index, place]) if named else place

    return begin, step, sample


@kernel(inline=True)
def _place_action(position: Position, move: int) -> int:
    return 0


@kernel(inline=True)
def _no_view(position: Position, out: Array) -> None:
    pass


def _reader(position: type) -> Callable[..., Position]:
    """The kernel (words, index) → the position whose fields stand in a row of words."""
    kinds = get_type_hints(position).values()
    fields = [f"{'Word' if kind is Word else 'integer'}(words[index, {place}])" for place, kind in enumerate(kinds)]
    # The compiler wants each field by name or by number: the function is written out, as `namedtuple` does it.
    names: dict[str, Any] = {"__name__": __name__, "position": position, "Word": Word, "integer": integer}
    exec(f"def read(words, index):\n    return position({', '.join(fields)})\n", names)
    return kernel(inline=True)(names["read"])
