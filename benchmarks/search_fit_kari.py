"""Fits the worths of the cubes of kari to games of the search against itself.

    python benchmarks/search_fit_kari.py --games 1500 --depth 4

Prints the tables as they stand in evaluate/kari.py, in hundredths.
"""

import argparse

import numpy
from search_calibration import self_play
from search_fit_ewn import log_loss, regress

from starscout import evaluate, games
from starscout.game import Position

KARI_SIZE, CUBES, LANE, GONE = 6, 6, 6, 63
HUNDREDTHS = 100


def kari_features(positions: list[Position]) -> numpy.ndarray:
    """[position, feature]: one, a filler, then own − enemy cubes by number and steps to the corner."""
    steps = numpy.full(GONE + 1, KARI_SIZE)
    for square in range(KARI_SIZE * KARI_SIZE):
        steps[square] = KARI_SIZE - 1 - min(divmod(square, KARI_SIZE))
    inputs = numpy.zeros((len(positions), 2 + CUBES * (KARI_SIZE + 1)))
    inputs[:, 0] = 1.0
    rows = numpy.arange(len(positions))
    for side, sign in ((0, 1.0), (1, -1.0)):
        words = numpy.array([int(position[side]) for position in positions], dtype=numpy.uint64)
        for cube in range(CUBES):
            lanes = ((words >> numpy.uint64(LANE * cube)) & numpy.uint64(GONE)).astype(numpy.int64)
            numpy.add.at(inputs, (rows, 2 + cube * (KARI_SIZE + 1) + steps[lanes]), sign)
    # A gone cube is worth nothing.
    inputs[:, 2 + KARI_SIZE :: KARI_SIZE + 1] = 0.0
    return inputs


def fit_kari(positions: list[Position], results: numpy.ndarray) -> None:
    inputs = kari_features(positions)
    weights = regress(inputs, results)
    print(f"log loss {log_loss(inputs, results, weights):.4f}")
    table = weights[2:].reshape(CUBES, KARI_SIZE + 1)[:, :KARI_SIZE]
    print("WORTHS =", [[round(w * HUNDREDTHS) for w in row] for row in table])
    print("MOVER =", round(weights[0] * HUNDREDTHS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = games.load("kari")
    pairs = list(self_play(game, evaluate.load(game), arguments.depth, arguments.games, arguments.seed))
    positions, results = [position for position, _ in pairs], numpy.array([won for _, won in pairs])
    print(f"{len(positions)} positions, the mover won {results.mean():.3f}")
    fit_kari(positions, results)


if __name__ == "__main__":
    main()
