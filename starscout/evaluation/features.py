"""Features: the input of a learned evaluation, as numbers from the mover's point of view.

A position has one feature in each slot, like "the square of piece 3" or "the content of square 17". Features are
numbered from slot to slot, and a table has one row of weights per feature. Slots of the same type, like all corners,
may share their features.

A symmetry of the game permutes slots and their features. The images of a feature under all symmetries share their
weights; `images_of` finds them by comparing positions with their mirror images.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.game import Game, GameError, Position
from starscout.kernels.kernel import kernel

MOST_IMAGES = 8
"""Maximum number of symmetries used."""


@kernel(inline=True)
def position_itself(position: Position) -> Position:
    """The identity: features are read directly from the position."""
    return position


@kernel(inline=True)
def one_class(position: Position) -> int:
    """The class of all positions if there is only one."""
    return 0


@dataclass(frozen=True, eq=False)
class Features:
    """The slots of a game's positions, and the kernel that fills them."""

    name: str
    slots: int
    """Number of features of a position."""
    count: int
    """Total number of features."""
    feature: Callable[..., int]
    """*kernel* (view of the position, slot, weights) → the number of the feature in the slot."""
    view: Callable[..., Any] = position_itself
    """*kernel* (position) → the argument of `feature`, computed once for all slots."""
    sizes: tuple[int, ...] = ()
    """Number of features of each slot; empty for patterns, which are summed."""
    first: tuple[int, ...] = ()
    """[slot] → the number of its first feature; slots with the same one share their features."""
    tables: Mapping[str, numpy.ndarray] = field(default_factory=dict)
    """Arrays that `feature` reads from the weights."""
    same: numpy.ndarray | None = None
    """[feature] → the feature whose weight it shares; None: each has its own."""
    coarse: numpy.ndarray | None = None
    """[feature] → the feature with which it shares its initial weight in a fit; None: weights start at 0."""
    classes: int = 1
    """Number of classes of positions; with more than one, each class has its own network."""
    classify: Callable[..., int] = one_class
    """*kernel* (position) → its class."""
    evaluation: Callable[..., Evaluation] | None = None
    """(name, arrays, move order) → the evaluation that sums the weights of patterns; None for features with `sizes`."""


def slotted(
    name: str,
    sizes: tuple[int, ...],
    feature: Any,
    tables: Mapping[str, numpy.ndarray] | None = None,
    view: Any = position_itself,
) -> Features:
    """Features with a separate range of numbers for each slot."""
    return shared_slots(name, [(1, size) for size in sizes], feature, tables, view)


def shared_slots(
    name: str,
    kinds: Sequence[tuple[int, int]],
    feature: Any,
    tables: Mapping[str, numpy.ndarray] | None = None,
    view: Any = position_itself,
) -> Features:
    """Features shared by groups of slots; a group is a pair (number of slots, number of features)."""
    sizes, first, count = [], [], 0
    for slots, size in kinds:
        sizes += [size] * slots
        first += [count] * slots
        count += size
    return Features(name, len(sizes), count, feature, view, tuple(sizes), tuple(first), tables or {})


def features_in(features: Features, weights: Any, positions: Sequence[Position]) -> numpy.ndarray:
    """[position, slot] → feature, for Python callers; raises GameError for numbers outside their slot."""
    views = [features.view(position) for position in positions]
    found = numpy.array(
        [[features.feature(view, slot, weights) for slot in range(features.slots)] for view in views],
        dtype=numpy.int64,
    ).reshape(len(positions), features.slots)
    low = numpy.array(features.first)
    if ((found < low) | (found >= low + numpy.array(features.sizes))).any():
        raise GameError(f"the features {features.name!r} return a number outside the range of its slot")
    return found


def images_of(game: Game, features: Features, weights: Any, positions: Sequence[Position]) -> numpy.ndarray:
    """[image, feature] → feature: the identity first, then the image of each feature under the symmetries.

    Symmetries whose slots cannot be derived from the positions are left out.
    """
    seen = features_in(features, weights, positions)
    generators = []
    for symmetry in game.symmetries:
        mirrored = features_in(features, weights, [symmetry.position(position) for position in positions])
        image = _image(features, seen, mirrored)
        if image is not None:
            generators.append(image)
    return _group(features.count, generators)


def _image(features: Features, seen: numpy.ndarray, mirrored: numpy.ndarray) -> numpy.ndarray | None:
    """The permutation of features that maps `seen` to `mirrored`; None if it cannot be derived."""
    first, image = features.first, numpy.full(features.count, -1)
    free = list(range(features.slots))
    targets = []
    for slot in range(features.slots):
        # Most slots are mapped to themselves.
        for target in sorted(free, key=lambda other: other != slot):
            pairs = numpy.unique(numpy.stack([seen[:, slot], mirrored[:, target]]), axis=1)
            one_to_one = all(len(numpy.unique(row)) == pairs.shape[1] for row in pairs)
            if one_to_one and features.sizes[slot] == features.sizes[target]:
                image[pairs[0]] = pairs[1]
                targets.append(target)
                free.remove(target)
                break
        else:
            return None
    for size in set(features.sizes):
        alike = [slot for slot in range(features.slots) if features.sizes[slot] == size]
        known = _known_places(image, [(first[slot], first[targets[slot]]) for slot in alike], size)
        for slot in alike:
            _complete(image, first[slot], first[targets[slot]], size, known)
    return image


def _known_places(image: numpy.ndarray, slots: Sequence[tuple[int, int]], size: int) -> dict[int, int]:
    """Index → index within slots of one size, where all of them agree."""
    shown = [
        {int(image[first + place]) - target for first, target in slots if image[first + place] >= 0}
        for place in range(size)
    ]
    return {place: to.pop() for place, to in enumerate(shown) if len(to) == 1}


def _complete(image: numpy.ndarray, first: int, target: int, size: int, known: Mapping[int, int]) -> None:
    """Map the unseen features of a slot: as in other slots, else to their own index, else to any free one."""
    unused = set(range(target, target + size)) - set(image[first : first + size].tolist())
    for guess in (known, {place: place for place in range(size)}):
        for place in range(size):
            if image[first + place] < 0 and place in guess and target + guess[place] in unused:
                image[first + place] = target + guess[place]
                unused.remove(target + guess[place])
    rest = sorted(unused)
    for place in range(size):
        if image[first + place] < 0:
            image[first + place] = rest.pop(0)


def _group(count: int, generators: Sequence[numpy.ndarray]) -> numpy.ndarray:
    """All products of the generators, the identity first, at most MOST_IMAGES."""
    found = [numpy.arange(count)]
    waiting = list(found)
    while waiting and len(found) < MOST_IMAGES:
        known = waiting.pop(0)
        for generator in generators:
            product = generator[known]
            if len(found) < MOST_IMAGES and not any((product == other).all() for other in found):
                found.append(product)
                waiting.append(product)
    return numpy.stack(found)
