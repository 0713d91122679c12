"""`starscout.batch`: n games stepped in lockstep over NumPy arrays, in compiled code.

A step takes one action per game. When a game ends, `rewards` and `terminated` report it, and the next game starts in
its slot immediately. Slot s plays games s, s + n, s + 2n, …; the start and the dice of a game depend only on the seed
and its number, as in a match: the event of ply p is drawn as by the referee. Repeated positions are not detected; a
game that reaches `max_plies` is a draw.

    actions       the game's own fixed numbering (`Game.action`); without one, an action is the index of a move in the
                  list of legal moves
    observations  one number per square in board order: 0 is empty, k a piece of kind k of the mover, −k one of its
                  opponent (`Game.view`; games without it are read through `Game.cells`, which is slow)

`legal_actions`, `action_mask` and `board_view` give the same encoding for a single state.
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

MOST_EVENT_NUMBERS = 1 << 15
"""Events are observed as 16-bit numbers."""


def roll_count(game: Game) -> int:
    """Return the number of values that an observed roll can have; 1 if the position shows the event."""
    return game.faces + 1 if game.is_fair_die else 1 if game.resolves else MOST_EVENT_NUMBERS


def action_count(game: Game) -> int:
    """Return the size of the action space."""
    return game.actions or game.max_moves


def legal_actions(state: State) -> dict[int, int]:
    """Return action → move for every legal move; empty if the game is over."""
    moves = state.legal
    if state.game.action is None:
        return dict(enumerate(moves))
    return {int(state.game.action(state.position, move)): move for move in moves}


def action_mask(state: State) -> Array:
    """Return an array with 1 for every legal action, else 0."""
    mask = numpy.zeros(action_count(state.game), dtype=numpy.int8)
    mask[list(legal_actions(state))] = 1
    return mask


def board_view(state: State) -> Array:
    """Return [row, column] → kind of the mover's piece, −kind of its opponent's, or 0."""
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
    """n running games; `step` and `reset` update the arrays below in place.

    >>> games = batch("othello", 4)
    >>> games.masks.sum(axis=1).tolist()
    [4, 4, 4, 4]
    """

    def __init__(self, game: Game, n: int, seed: int = 0) -> None:
        if n < 1:
            raise GameError(f"n: expected a whole number from 1, got {n}")
        self.game, self.n = game, n
        self.actions = action_count(game)
        """Size of the action space: the width of `masks`."""
        self.observations: Array = numpy.zeros((n, game.rows, game.columns), dtype=numpy.int8)
        """[game, row, column] → kind of the piece, positive for the mover's, negative for its opponent's, or 0."""
        self.masks: Array = numpy.zeros((n, self.actions), dtype=numpy.bool_)
        """[game, action] → whether it is legal."""
        self.movers: Array = numpy.zeros(n, dtype=numpy.int8)
        """[game] → the side to move."""
        self.rolls: Array = numpy.ones(n, dtype=numpy.int16)
        """[game] → the roll; 1 in games without dice, 0 without an event and where the position shows the event."""
        self.rewards: Array = numpy.zeros((n, 2), dtype=numpy.float32)
        """[game, side] → points / largest points (1, 0 or −1) when the last step ended a game, else 0."""
        self.terminated: Array = numpy.zeros(n, dtype=numpy.bool_)
        """[game] → whether the last step ended a game."""
        self.numbers: Array = numpy.zeros(n, dtype=numpy.int64)
        """[game] → number of the current game."""
        self.plies: Array = numpy.zeros(n, dtype=numpy.int64)
        """[game] → plies played in the current game."""
        self._words: Array = numpy.zeros((n, len(game.position._fields)), dtype=Word)  # pyright: ignore
        self._legal: Array = numpy.zeros((n, game.max_moves), dtype=numpy.int64)
        self._counts: Array = numpy.zeros(n, dtype=numpy.int64)
        self._flat: Array = self.observations.reshape(n, game.rows * game.columns)
        self._begin, self._step, self._sample = _build(game)
        self._drawn = 0
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Start games 0 … n − 1 of a seed."""
        self._seed = seed
        self.numbers[:] = numpy.arange(self.n)
        self.rewards[:], self.terminated[:] = 0.0, False
        self._begin(Word(seed), *self._arrays())
        self._view()

    def step(self, actions: Array) -> None:
        """Play one action in every game; raises GameError, without playing any, if one is illegal."""
        chosen = numpy.ascontiguousarray(actions, dtype=numpy.int64)
        if chosen.shape != (self.n,):
            raise GameError(f"actions: expected an array of shape ({self.n},), got {chosen.shape}")
        wrong = self._step(Word(self._seed), chosen, self.rewards, self.terminated, *self._arrays())
        if wrong >= 0:
            raise GameError(
                f"game {wrong}: action {int(chosen[wrong])} is illegal in {self.state(wrong).text!r}; legal actions: "
                f"{numpy.flatnonzero(self.masks[wrong]).tolist()}"
            )
        self._view()

    def sample(self) -> Array:
        """Return a random legal action for every game; the sequence is reproducible."""
        chosen = numpy.zeros(self.n, dtype=numpy.int64)
        self._drawn += 1
        self._sample(Word(self._drawn), chosen, self._words, self._legal, self._counts)
        return chosen

    def state(self, index: int) -> State:
        """Return one of the games as a State."""
        words, kinds = self._words[index], get_type_hints(self.game.position).values()
        fields = [
            int(word if kind is Word else word.astype(numpy.int64)) for word, kind in zip(words, kinds, strict=True)
        ]
        position = self.game.as_position(fields)
        return from_position(self.game, position, int(self.rolls[index]))

    def _arrays(self) -> tuple[Array, ...]:
        return (
            self._words, self._legal, self._counts, self.numbers, self.plies, self.rolls, self.movers, self.masks,
            self._flat,
        )  # fmt: skip

    def _view(self) -> None:
        """Fill the observations of a game without a `view` kernel."""
        if self.game.view is not None:
            return
        for index in range(self.n):
            self.observations[index] = board_view(self.state(index))


@checked
def batch(game: str | Game, n: BatchSize, seed: Seed = 0) -> GameBatch:
    """Create n games stepped in compiled code; `game` is a name, a file or a Game.

    >>> games = batch("ewn", 1000, seed=1)
    >>> for _ in range(40):
    ...     games.step(games.sample())
    >>> games.observations.shape, bool((games.numbers > 1000).any())
    ((1000, 5, 5), True)
    """
    return GameBatch(games.load(game) if isinstance(game, str) else game, n, seed)


@functools.cache
def _build(game: Game) -> tuple[Any, Any, Any]:
    """Return the kernels: begin all games, step all games, sample random actions."""
    start, moves, play, outcome = game.start, game.moves, game.play, game.outcome
    draw, resolve, resolves, points = game.draw, game.resolve, game.resolves, float(game.points)
    starts, squares, longest = Word(game.starts), game.rows * game.columns, game.max_depth
    named, viewed = game.action is not None, game.view is not None
    action, view = game.action or _place_action, game.view or _no_view
    read = _reader(game.position)

    @kernel(inline=True)
    def show(
        index: int, position: Position, roll: int, words: Array, legal: Array, counts: Array, rolls: Array,
        movers: Array, masks: Array, observations: Array,
    ) -> None:  # fmt: skip
        """Write a decision, its event and all derived arrays."""
        field = 0
        for number in unroll(position):
            words[index, field] = Word(number)
            field += 1  # noqa: SIM113 (Numba unrolls only a plain tuple)
        rolls[index] = 0 if resolves else roll
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

    @kernel(inline=True)
    def first_decision(seed: Word, index: int, step: int, numbers: Array) -> tuple[Position, int]:
        """The first decision of the game of a slot and its event; skips games that an event ends before any move."""
        while True:
            game_seed = random_word(seed, Word(numbers[index]))
            position = opening(game_seed)
            event = draw(position, random_word(game_seed, WORD_ZERO))
            decision = resolve(position, event)
            if not resolves or outcome(decision) == ONGOING:
                return decision, event
            numbers[index] += step

    @kernel
    def begin(
        seed: Word, words: Array, legal: Array, counts: Array, numbers: Array, plies: Array, rolls: Array,
        movers: Array, masks: Array, observations: Array,
    ) -> None:  # fmt: skip
        for index in range(len(numbers)):
            plies[index] = 0
            decision, event = first_decision(seed, index, len(numbers), numbers)
            show(index, decision, event, words, legal, counts, rolls, movers, masks, observations)

    @kernel
    def step(
        seed: Word, actions: Array, rewards: Array, terminated: Array, words: Array, legal: Array, counts: Array,
        numbers: Array, plies: Array, rolls: Array, movers: Array, masks: Array, observations: Array,
    ) -> int:  # fmt: skip
        """Step all games and return −1, or return the first game with an illegal action."""
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
            result, event = outcome(position), 0
            if result == ONGOING and plies[index] < longest:
                game_seed = random_word(seed, Word(numbers[index]))
                event = draw(position, random_word(game_seed, Word(plies[index])))
                position = resolve(position, event)
                if resolves:
                    result = outcome(position)
            elif result == ONGOING:
                result = 0
            rewards[index, 0] = 0.0
            rewards[index, 1] = 0.0
            terminated[index] = result != ONGOING
            if result != ONGOING:
                rewards[index, position.mover] = result / points
                rewards[index, 1 - position.mover] = -result / points
                numbers[index] += many
                plies[index] = 0
                position, event = first_decision(seed, index, many, numbers)
            show(index, position, event, words, legal, counts, rolls, movers, masks, observations)
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
    """Return the kernel (words, index) → position, decoded from a row of words."""
    kinds = get_type_hints(position).values()
    fields = [f"{'Word' if kind is Word else 'integer'}(words[index, {place}])" for place, kind in enumerate(kinds)]
    # Numba needs explicit fields, so the function is generated as source, as `namedtuple` does.
    names: dict[str, Any] = {"__name__": __name__, "position": position, "Word": Word, "integer": integer}
    exec(f"def read(words, index):\n    return position({', '.join(fields)})\n", names)
    return kernel(inline=True)(names["read"])
