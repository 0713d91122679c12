"""Random positions and a noisy evaluation for the tests of the searches."""

import functools
import random

from starscout.evaluation.evaluation import Evaluation, no_order
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.game.values import ONE
from starscout.kernels.bits import Word, integer, mix
from starscout.kernels.kernel import kernel

SHIFT = Word(20)


@kernel
def _noise(position: Position) -> int:
    """Values that are unrelated from one position to the next."""
    return integer(mix(position.own ^ mix(position.enemy)) >> SHIFT) % (2 * ONE - 1) - (ONE - 1)


NOISE = Evaluation("noise", _noise, no_order)


@functools.cache
def random_positions(game: Game, count: int, plies: int, seed: int = 0) -> tuple[Position, ...]:
    """Positions that are not over, after up to `plies` random plies."""
    generator = random.Random(seed)
    found = []
    while len(found) < count:
        position = game.start_position(generator.randrange(10**6))
        for _ in range(generator.randrange(plies + 1)):
            rolls = range(1, game.faces + 1) if game.is_fair_die else list(game.event_weights(position)) or [NOT_ROLLED]
            event = generator.choice(rolls)
            decision = game.resolve_position(position, event)
            if game.outcome(decision) != ONGOING:
                break
            following = game.play_position(decision, generator.choice(game.legal(decision, event)))
            if game.outcome(following) != ONGOING:
                break
            position = following
        found.append(position)
    return tuple(found)
