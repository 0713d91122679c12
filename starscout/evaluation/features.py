"""Features: what a learned evaluation sees of a position, as numbers in the mover's view.

A position has one feature in each slot, like "which square cube 3 stands on" or "what stands on square 17". Features
are numbered from slot to slot, and a table has one row of weights per feature. Slots may also share their features,
where a game shows the same kind of thing in several places: all own cubes, or all corners.

A symmetry of the game exchanges slots and renames what is in them. The images of a feature under all symmetries share
their weights; `images_of` finds them by looking at positions and their mirror images.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.game import Game, GameError, Position
from starscout.kernels.kernel import kernel

MOST_IMAGES = 8
"""Larger groups of symmetries are used in part."""


@kernel(inline=True)
def position_itself(position: Position) -> Position:
    """The view of features that are read off the position."""
    return position


@dataclass(frozen=True, eq=False)
class Features:
    """The slots of a game's positions, and the kernel that fills them."""

    name: str
    slots: int
    """How many features a position has."""
    count: int
    """How many features there are."""
    feature: Callable[..., int]
    """*kernel* (view of the position, slot, weights) → the number of the feature in the slot."""
    view: Callable[..., Any] = position_itself
    """*kernel* (position) → what `feature` reads: what all slots need is worked out once."""
    sizes: tuple[int, ...] = ()
    """How many features each slot can have; empty for patterns, which are summed."""
    first: tuple[int, ...] = ()
    """[slot] → the number of its first feature; slots with the same one share their features."""
    tables: Mapping[str, numpy.ndarray] = field(default_factory=dict)
    """Arrays that `feature` reads from the weights."""
    same: numpy.ndarray | None = None
    """[feature] → the feature whose weight it shares; None: each has its own."""
    coarse: numpy.ndarray | None = None
    """[feature] → the feature with which it shares its initial weight in a fit; None: weights start at 0."""
    evaluation: Callable[..., Evaluation] | None = None
    """(name, arrays, move order) → the evaluation that sums the weights of patterns; None for features with `sizes`."""


def slotted(
    name: str,
    sizes: tuple[int, ...],
    feature: Any,
    tables: Mapping[str, numpy.ndarray] | None = None,
    view: Any = position_itself,
) -> Features:
    """Features that are numbered from slot to slot."""
    return shared_slots(name, [(1, size) for size in sizes], feature, tables, view)


def shared_slots(
    name: str,
    kinds: Sequence[tuple[int, int]],
    feature: Any,
    tables: Mapping[str, numpy.ndarray] | None = None,
    view: Any = position_itself,
) -> Features:
    """Features numbered from kind to kind; a kind is how many slots share its features, and how many it has."""
    sizes, first, count = [], [], 0
    for slots, size in kinds:
        sizes += [size] * slots
        first += [count] * slots
        count += size
    return Features(name, len(sizes), count, feature, view, tuple(sizes), tuple(first), tables or {})


def features_in(features: Features, weights: Any, positions: Sequence[Position]) -> numpy.ndarray:
    """[position, slot] → feature, for callers that are not kernels; raises GameError for numbers outside their slot."""
    views = [features.view(position) for position in positions]
    found = numpy.array(
        [[features.feature(view, slot, weights) for slot in range(features.slots)] for view in views],
        dtype=numpy.int64,
    ).reshape(len(positions), features.slots)
    low = numpy.array(features.first)
    if ((found < low) | (found >= low + numpy.array(features.sizes))).any():
        raise GameError(f"the features {features.name!r} give a number outside its slot")
    return found


def images_of(game: Game, features: Features, weights: Any, positions: Sequence[Position]) -> numpy.ndarray:
    """[image, feature] → feature: the identity first, then what the symmetries of the game make of each feature.

    A symmetry whose slots cannot be told from the positions is left out.
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
    """The renaming of features that turns `seen` into `mirrored`; None if no slot explains another."""
    first, image = features.first, numpy.full(features.count, -1)
    free = list(range(features.slots))
    targets = []
    for slot in range(features.slots):
        # A slot most often stays where it is.
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
    """Place → place as slots of one size show it, where they agree."""
    shown = [
        {int(image[first + place]) - target for first, target in slots if image[first + place] >= 0}
        for place in range(size)
    ]
    return {place: to.pop() for place, to in enumerate(shown) if len(to) == 1}


def _complete(image: numpy.ndarray, first: int, target: int, size: int, known: Mapping[int, int]) -> None:
    """Rename the features of a slot that no position has shown: as in other slots, then to their own place, or any."""
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
