"""Fit the weights of the evaluation `cubes` of kari to self-play of the search.

    python benchmarks/search_fit_kari.py --games 1500 --depth 4

Writes the weights to the file that the evaluation reads. A fifth of the games is held out for validation.
"""

import argparse

import numpy
from search_calibration import self_play
from search_fit_ewn import log_loss, regress

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.weights import write_arrays
from starscout.games.kari.evaluation import NUMBERS, UNIT, WEIGHTS_FILE

SIZE, CUBES, LANE, GONE, CORNER = 6, 6, 6, 63, 35
STEP_UNIT = 16
"""Step weights are stored in sixteenths."""


def features(positions: numpy.ndarray) -> numpy.ndarray:
    """Return [position, feature]: two columns for `regress`, then the groups of `main`."""
    count = len(positions)
    near, single = numpy.zeros(GONE + 1, dtype=int), numpy.zeros(GONE + 1, dtype=int)
    for square in range(SIZE * SIZE):
        row, column = divmod(square, SIZE)
        near[square], single[square] = SIZE - 1 - min(row, column), 2 * SIZE - 2 - row - column
    rows = numpy.arange(count)
    worths = numpy.zeros((count, CUBES * SIZE))
    sides = []
    for side, sign in ((0, 1.0), (1, -1.0)):
        lanes = numpy.stack([positions[:, side] >> numpy.uint64(LANE * c) for c in range(CUBES)], 1)
        lanes = (lanes & numpy.uint64(GONE)).astype(numpy.int64)
        there = lanes < GONE
        for cube in range(CUBES):
            chosen = there[:, cube]
            numpy.add.at(worths, (rows[chosen], cube * SIZE + near[lanes[chosen, cube]]), sign)
        numbers = numpy.arange(CUBES)
        corner = numpy.where(lanes == CORNER, numbers, NUMBERS - 1).min(axis=1)
        outside = numpy.where(there & (lanes != CORNER), numbers, NUMBERS - 1).min(axis=1)
        sides.append((corner, outside, there.sum(axis=1), single[lanes].sum(axis=1), near[lanes].sum(axis=1)))
    (corner, out, left, steps, kings), (their_corner, their_out, their_left, their_steps, their_kings) = sides
    pairs = numpy.eye(NUMBERS * NUMBERS)
    return numpy.concatenate(
        [
            numpy.ones((count, 1)),
            numpy.zeros((count, 1)),
            worths,
            pairs[corner * NUMBERS + their_out],
            pairs[their_corner * NUMBERS + out],
            pairs[out * NUMBERS + their_out],
            pairs[left * NUMBERS + their_left],
            numpy.stack([steps, their_steps, kings, their_kings], axis=1),
        ],
        axis=1,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = games.load("kari")
    pairs = list(self_play(game, load_evaluation(game, "cubes"), arguments.depth, arguments.games, arguments.seed))
    positions = numpy.array([[int(word) for word in position[:2]] for position, _ in pairs], dtype=numpy.uint64)
    write_fit(positions, numpy.array([won for _, won in pairs]))


def write_fit(positions: numpy.ndarray, results: numpy.ndarray) -> None:
    """Fit, report and write."""
    inputs = features(positions)
    train = numpy.arange(len(results)) < 0.8 * len(results)
    weights = regress(inputs[train], results[train])
    print(
        f"{len(results)} positions, log loss of the tested fifth "
        f"{log_loss(inputs[~train], results[~train], weights):.4f}"
    )
    constant, rest = weights[0], weights[2:] * UNIT
    names = {"worths": CUBES * SIZE, "corner_own": 49, "corner_enemy": 49, "outside": 49, "counts": 49}
    arrays, start = {}, 0
    for name, length in names.items():
        arrays[name] = rest[start : start + length]
        start += length
    arrays["others"] = numpy.array([constant * UNIT, *(rest[start:] * STEP_UNIT)])
    write_arrays(WEIGHTS_FILE, arrays)


if __name__ == "__main__":
    main()
