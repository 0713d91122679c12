"""Features: what a learned evaluation sees of a position, as numbers in the mover's view.

A position has one feature in each slot, like "which square cube 3 stands on" or "what stands on square 17". Features
are numbered from slot to slot, so a number names its slot too, and a table has one row of weights per feature. Slots
may also share their features, where a game shows the same kind of thing in several places.

A symmetry of the game exchanges slots and renames what is in them. The images of a feature under all symmetries share
their weights; `images_of` finds them by looking at positions and their mirror images.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

from starscout.game import Game, GameError, Position

MOST_IMAGES = 8
"""Larger groups of symmetries are used in part."""


@dataclass(frozen=True, eq=False)
class Features:
    """The slots of a game's positions, and the kernel that fills them."""

    name: str
    slots: int
    """How many features a position has."""
    count: int
    """How many features there are."""
    feature: Callable[..., int]
    """*kernel* (position, slot, weights) → the number of the feature in the slot."""
    sizes: tuple[int, ...] = ()
    """How many features each slot can have; empty where slots share features."""
    tables: Mapping[str, numpy.ndarray] = field(default_factory=dict)
    """Arrays that `feature` reads from the weights."""
    same: numpy.ndarray | None = None
    """[feature] → the feature whose weight it shares; None: each has its own."""
    coarse: numpy.ndarray | None = None
    """[feature] → the feature with which it shares a first guess at its weight; None: there is no such guess."""

    @property
    def first(self) -> numpy.ndarray:
        """[slot] → the number of its first feature, where slots have features of their own."""
        return numpy.cumsum([0, *self.sizes[:-1]])


def slotted(
    name: str, sizes: tuple[int, ...], feature: Any, tables: Mapping[str, numpy.ndarray] | None = None
) -> Features:
    """Features that are numbered from slot to slot."""
    return Features(name, len(sizes), sum(sizes), feature, sizes, tables or {})


def features_in(features: Features, weights: Any, positions: Sequence[Position]) -> numpy.ndarray:
    """[position, slot] → feature, for callers that are not kernels; raises GameError for numbers outside their slot."""
    found = numpy.array(
        [[features.feature(position, slot, weights) for slot in range(features.slots)] for position in positions],
        dtype=numpy.int64,
    ).reshape(len(positions), features.slots)
    low = features.first
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
    for slot in range(features.slots):
        # A slot most often stays where it is.
        for target in sorted(free, key=lambda other: other != slot):
            pairs = numpy.unique(numpy.stack([seen[:, slot], mirrored[:, target]]), axis=1)
            one_to_one = all(len(numpy.unique(row)) == pairs.shape[1] for row in pairs)
            if one_to_one and features.sizes[slot] == features.sizes[target]:
                image[pairs[0]] = pairs[1]
                _complete(image, int(first[slot]), int(first[target]), features.sizes[slot])
                free.remove(target)
                break
        else:
            return None
    return image


def _complete(image: numpy.ndarray, first: int, target: int, size: int) -> None:
    """Rename the features of a slot that no position has shown: those of the same place, then the others in order."""
    unused = set(range(target, target + size)) - set(image[first : first + size].tolist())
    unknown = [place for place in range(size) if image[first + place] < 0]
    for place in unknown:
        if target + place in unused:
            image[first + place] = target + place
            unused.remove(target + place)
    rest = sorted(unused)
    for place in unknown:
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
