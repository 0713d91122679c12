"""Fit the weights of `race+squares` to self-play of the search.

    python benchmarks/search_fit_ewn.py --games 20000 --depth 3

Logistic regression on positions before the roll. The features are the race score, one per square of each side (shared
by mirrored squares) and one per set of cubes (shared by sets with reversed numbers). Writes the weights to the file
that the evaluation reads. A tenth of the games is held out for validation.
"""

import argparse
import itertools

import numpy
from search_calibration import self_play

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.games.ewn.race import UNIT, SquareWeights, arrival, write_weights

SIZE, CUBES, LANE, GONE = 5, 6, 5, 31
PENALTY = 3.0


def square_classes() -> numpy.ndarray:
    """Return [square] → class under reflection; GONE and above have none."""
    classes = sorted({tuple(sorted(divmod(square, SIZE))) for square in range(SIZE * SIZE)})
    table = numpy.full(GONE + 1, len(classes))
    for square in range(SIZE * SIZE):
        table[square] = classes.index(tuple(sorted(divmod(square, SIZE))))
    return table


def set_classes() -> numpy.ndarray:
    """Return [set of cubes] → class under reversal of the numbers."""
    reverse = [int(f"{cubes_left:06b}"[::-1], 2) for cubes_left in range(1 << CUBES)]
    representatives = sorted({min(pair) for pair in enumerate(reverse)})
    return numpy.array([representatives.index(min(pair)) for pair in enumerate(reverse)])


def features(positions: numpy.ndarray) -> numpy.ndarray:
    """Return [position, feature]: 1, race score, then square counts and sets of both sides."""
    squares, sets = square_classes(), set_classes()
    steps = numpy.array([max(SIZE - 1 - s // SIZE, SIZE - 1 - s % SIZE) if s < 25 else 0 for s in range(GONE + 1)])
    count = len(positions)
    columns: list[numpy.ndarray] = []
    numbers = []
    for side in (0, 1):
        lanes = numpy.stack([positions[:, side] >> numpy.uint64(LANE * c) for c in range(CUBES)], 1)
        lanes = (lanes & numpy.uint64(GONE)).astype(numpy.int64)
        numbers.append((steps[lanes] * SIZE ** numpy.arange(CUBES)).sum(axis=1))
        standing = numpy.zeros((count, squares.max() + 1))
        for cube in range(CUBES):
            numpy.add.at(standing, (numpy.arange(count), squares[lanes[:, cube]]), 1)
        left = ((lanes < GONE) << numpy.arange(CUBES)).sum(axis=1)
        columns += [standing[:, : squares.max()], numpy.eye(sets.max() + 1)[sets[left]]]
    within = arrival(SIZE - 1, CUBES)
    chance = (numpy.diff(within, axis=1)[numbers[0]] * (1.0 - within[:, :-1])[numbers[1]]).sum(axis=1)
    chance = numpy.clip(chance, 0.004, 0.996)
    race = numpy.log(chance / (1.0 - chance))
    return numpy.concatenate([numpy.ones((count, 1)), race[:, None], *columns], axis=1)


def regress(inputs: numpy.ndarray, results: numpy.ndarray) -> numpy.ndarray:
    """Fit a logistic regression by Newton's method, with an L2 penalty from the third weight."""
    weights = numpy.zeros(inputs.shape[1])
    penalty = numpy.diag([1e-9, 1e-9] + [PENALTY] * (inputs.shape[1] - 2))
    for _ in range(30):
        chance = 1.0 / (1.0 + numpy.exp(-inputs @ weights))
        gradient = inputs.T @ (results - chance) - penalty @ weights
        curvature = (inputs * (chance * (1.0 - chance))[:, None]).T @ inputs + penalty
        step = numpy.linalg.solve(curvature, gradient)
        weights += step
        if numpy.abs(step).max() < 1e-8:
            break
    return weights


def log_loss(inputs: numpy.ndarray, results: numpy.ndarray, weights: numpy.ndarray) -> float:
    chance = 1.0 / (1.0 + numpy.exp(-inputs @ weights))
    return float(-(results * numpy.log(chance) + (1 - results) * numpy.log(1 - chance)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20000)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--eval", default="race", help="evaluation used in self-play")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = games.load("ewn")
    player = load_evaluation(game, arguments.eval)
    pairs = list(self_play(game, player, arguments.depth, arguments.games, arguments.seed))
    positions = numpy.array([[int(word) for word in position[:2]] for position, _ in pairs], dtype=numpy.uint64)
    results = numpy.array([won for _, won in pairs])
    inputs = features(positions)
    train = numpy.arange(len(results)) < 0.9 * len(results)
    weights = regress(inputs[train], results[train])
    race_alone = regress(inputs[train, :2], results[train])
    print(f"{len(results)} positions; validation log loss:")
    print(f"  race alone {log_loss(inputs[~train, :2], results[~train], race_alone):.4f}")
    print(f"  race+squares {log_loss(inputs[~train], results[~train], weights):.4f}")
    squares, sets = square_classes(), set_classes()
    parts = [0, 2, *itertools.accumulate([squares.max(), sets.max() + 1] * 2, initial=2)][2:]
    pieces = [numpy.rint(weights[start:end] * UNIT) for start, end in itertools.pairwise(parts)]
    board = squares[: SIZE * SIZE]
    write_weights(
        SquareWeights(
            round(weights[0] * UNIT),
            round(weights[1] * UNIT),
            pieces[0][board],
            pieces[2][board],
            pieces[1][sets],
            pieces[3][sets],
        )
    )


if __name__ == "__main__":
    main()
