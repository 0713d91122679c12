"""Playouts: one game to its end (or to a cutoff), with the moves of both sides chosen by a policy.

A policy is a kernel (position, event, random word, scratch row) → move, like `pick` of the games. Knowledge of a game
is passed in as `MctsKnowledge`. Playouts do not look for repeated positions: they are random, and their length is
limited.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy

from starscout.evaluation.knowledge import FIRST_CLASS, ORDINARY
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ONE, Word, below, random_word
from starscout.kernels.kernel import kernel

POLICIES = ("uniform", "decisive", "classes", "weighted")
STAMPS = 4096
"""RAVE identifies the moves of a playout by their low twelve bits."""

_SHIFT_32 = Word(32)


@kernel
def all_ordinary(position: Position, move: int) -> int:
    """The class of every move if the game defines no classes."""
    return ORDINARY


@kernel
def unknown(position: Position, weights: Weights) -> int:
    """The evaluation if none is given: a draw."""
    return 0


@kernel
def no_random_moves(position: Position, seed: Word, counter: Word, most: int) -> tuple[Position, int]:
    """The random moves of a game that defines none; never called."""
    return position, most


@kernel
def no_prior(
    position: Position, roll: int, moves: numpy.ndarray, count: int, priors: numpy.ndarray, weights: Weights
) -> None:
    """The prior if none is given; never called."""


@dataclass(frozen=True)
class MctsKnowledge:
    """Optional game knowledge of a Monte-Carlo search.

    `prior` and `leaf_value` plug in a policy and a value, as `recurrent_fn` of mctx does:

        @kernel
        def prior(position, roll, moves, count, priors, weights):
            for index in range(count):
                priors[index] = 2.0 if is_capture(position, moves[index]) else 1.0

        knowledge = MctsKnowledge(prior=prior, leaf_value=evaluation.kernels.evaluate, weights=evaluation.weights)
        search = MctsSearch(game, Settings(c=1.5), knowledge)
    """

    classify: Callable[[Position, int], int] = all_ordinary
    """*kernel* (position, move) → its class: first, ordinary or last."""
    evaluate: Callable[..., int] = unknown
    """*kernel* (position that is not over, weights) → the value of a playout that is cut off.

    The value is the mover's, before the roll, in units of 2⁻⁴⁴ (see game/values.py).
    """
    weights: Weights = field(default=NO_WEIGHTS, compare=False)
    """Weights passed to the other kernels; not compiled in, so equal knowledge may have different weights."""
    prior: Callable[..., None] | None = None
    """*kernel* (position, roll, moves, count, priors, weights): writes the priors of the first `count` moves.

    Priors are not negative; the search normalises them. With a prior, selection is PUCT unless the rule of the settings
    reads priors itself.
    """
    leaf_value: Callable[..., int] | None = None
    """*kernel* (position that is not over, weights) → the value of a new leaf, like `evaluate`.

    A leaf after its roll also gets the value before the roll.
    """
    leaf_share: float = field(default=1.0, compare=False)
    """Share of the leaf value in the result of a simulation: 1 replaces the playout, less blends the two."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.leaf_share <= 1.0:
            raise ValueError(f"leaf_share: expected a number from 0 to 1, got {self.leaf_share}")


NO_KNOWLEDGE = MctsKnowledge()


@functools.cache
def build_policy(game: Game, name: str, knowledge: MctsKnowledge = NO_KNOWLEDGE) -> Any:
    """The kernel of a policy: `uniform`, `decisive`, `classes` or `weighted`."""
    if name == "uniform":
        return game.pick
    if name == "decisive":
        return _decisive(game)
    if name in ("classes", "weighted"):
        if knowledge.classify is all_ordinary:
            raise GameError(f"playout={name}: {game.name} defines no move classes")
        return _classes(game, knowledge.classify) if name == "classes" else _weighted(game, knowledge.classify)
    raise GameError(f"playout: expected one of {', '.join(POLICIES)}, got {name!r}")


def _decisive(game: Game) -> Any:
    moves, play, outcome, sign = game.moves, game.play, game.outcome, game.sign

    @kernel
    def choose(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        """A move that wins immediately if there is one, else a random one."""
        count = moves(position, roll, row)
        for index in range(count):
            child = play(position, row[index])
            result = outcome(child)
            if result != ONGOING and sign(position, child) * result > 0:
                return row[index]
        return row[below(random, count)]

    return choose


def _classes(game: Game, classify: Any) -> Any:
    moves = game.moves

    @kernel
    def choose(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        """A random move of the best class among the legal ones."""
        best, chosen = -1, 0
        for index in range(moves(position, roll, row)):
            kind = classify(position, row[index])
            if kind > best:
                best = kind
                chosen = 0
            if kind == best:
                row[chosen] = row[index]
                chosen += 1
        return row[below(random, chosen)]

    return choose


def _weighted(game: Game, classify: Any) -> Any:
    moves = game.moves

    @kernel
    def choose(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        """A random move; first-class moves have double weight."""
        count = moves(position, roll, row)
        total = count
        for index in range(count):
            total += classify(position, row[index]) == FIRST_CLASS
        left = below(random, total)
        for index in range(count):
            left -= 1 + (classify(position, row[index]) == FIRST_CLASS)
            if left < 0:
                return row[index]
        return row[0]

    return choose


@functools.cache
def build_playout(game: Game, policy: str, knowledge: MctsKnowledge = NO_KNOWLEDGE) -> Any:
    """The kernel that plays out one game; see `playout` inside."""
    outcome, play, draw, resolve = game.outcome, game.play, game.draw, game.resolve
    has_chance, resolves, alternating = game.has_chance, game.resolves, game.alternating
    choose, evaluate = build_policy(game, policy, knowledge), knowledge.evaluate
    stamp_mask, one, points = STAMPS - 1, float(ONE), float(game.points)
    at_once = policy == "uniform" and game.random_moves is not None
    random_moves = game.random_moves or no_random_moves

    @kernel(inline=True)
    def for_first(value: float, position: Position, mover: int, plies: int) -> float:
        """The value of the last position from the perspective of the first mover."""
        same = plies % 2 == 0 if alternating else position.mover == mover
        return value if same else -value

    @kernel
    def playout(
        position: Position,
        roll: int,
        seed: Word,
        counter: Word,
        longest: int,
        recording: bool,
        stamps: numpy.ndarray,
        stamp: int,
        row: numpy.ndarray,
        weights: Weights,
    ) -> tuple[float, int, Word]:
        """The result for the first mover, the plies played, and the next counter of the random words.

        After `longest` plies the evaluation decides. When `recording`, stamps[side, move] of every move is set to
        `stamp`.
        """
        plies, mover = 0, position.mover
        if at_once and not recording:
            position, plies = random_moves(position, seed, counter, longest)
            result = outcome(position)
            value = result / points if result != ONGOING else evaluate(position, weights) / one
            return for_first(value, position, mover, plies), plies, counter + Word(plies)
        while True:
            # At the top of the loop, so that the compiler shares the work of `outcome` and `choose`.
            result = outcome(position)
            if result != ONGOING:
                break
            if plies == longest:
                return for_first(evaluate(position, weights) / one, position, mover, plies), plies, counter
            random = random_word(seed, counter)
            counter += WORD_ONE
            if has_chance and roll == NOT_ROLLED:
                roll = draw(position, random << _SHIFT_32)
                if resolves:
                    position = resolve(position, roll)
                    result = outcome(position)
                    if result != ONGOING:
                        break
            move = choose(position, roll, random, row)
            if recording:
                stamps[position.mover, move & stamp_mask] = stamp
            position = play(position, move)
            if has_chance:
                roll = NOT_ROLLED
            plies += 1
        return for_first(result / points, position, mover, plies), plies, counter

    return playout
