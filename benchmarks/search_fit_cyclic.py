"""Fit the weights of the evaluation `race+squares` of ewn-cyclic to self-play of the search.

    python benchmarks/search_fit_cyclic.py --games 4000 --depth 6 --eval race

Writes the weights to the file that the evaluation reads. A fifth of the games is held out for validation.
"""

import argparse

import numpy
from search_calibration import self_play
from search_fit_ewn import log_loss, regress, set_classes

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.weights import write_arrays
from starscout.game import Position
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn_cyclic.evaluation import LATEST, UNIT, WEIGHTS_FILE, arrival_turn
from starscout.kernels.bits import Word

CUBES, LANE, GONE = 6, 6, 63


def features(positions: list[Position]) -> numpy.ndarray:
    """Return [position, feature]: two columns for `regress`, arrivals, squares, sets.

    Sets with reversed numbers share a weight.
    """
    arrival = arrival_turn(shared.board_of(6, 7, CUBES))
    count, turns = len(positions), LATEST + 1
    pairs = [int(arrival(p.own, p.dice, 0)) * turns + int(arrival(p.enemy, p.dice, 1)) for p in positions]
    columns = [numpy.ones((count, 1)), numpy.zeros((count, 1)), numpy.eye(turns * turns)[pairs]]
    squares, sets = [], []
    classes = set_classes()
    for words in ([p.own for p in positions], [p.enemy for p in positions]):
        side = numpy.array(words, dtype=Word)
        lanes = numpy.stack([(side >> Word(LANE * c)) & Word(GONE) for c in range(CUBES)], 1).astype(numpy.int64)
        standing = numpy.zeros((count, GONE + 1))
        for cube in range(CUBES):
            numpy.add.at(standing, (numpy.arange(count), lanes[:, cube]), 1)
        standing[:, GONE] = 0
        squares.append(standing)
        left = ((lanes < GONE) << numpy.arange(CUBES)).sum(axis=1)
        sets.append(numpy.eye(classes.max() + 1)[classes[left]])
    return numpy.concatenate([*columns, *squares, *sets], axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--eval", default="race+squares", help="evaluation used in self-play")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = games.load("ewn-cyclic")
    player = load_evaluation(game, arguments.eval)
    pairs = list(self_play(game, player, arguments.depth, arguments.games, arguments.seed))
    inputs, results = features([position for position, _ in pairs]), numpy.array([won for _, won in pairs])
    train = numpy.arange(len(results)) < 0.8 * len(results)
    weights = regress(inputs[train], results[train])
    loss = log_loss(inputs[~train], results[~train], weights)
    print(f"{len(results)} positions, validation log loss {loss:.4f}")
    turns = LATEST + 1
    lengths = {
        "arrivals": turns * turns,
        "own_squares": GONE + 1,
        "enemy_squares": GONE + 1,
        "own_sets": set_classes().max() + 1,
        "enemy_sets": set_classes().max() + 1,
    }
    arrays, start = {}, 2
    for name, length in lengths.items():
        arrays[name] = weights[start : start + length] * UNIT
        start += length
    arrays["arrivals"] = arrays["arrivals"] + weights[0] * UNIT
    for name in ("own_sets", "enemy_sets"):
        arrays[name] = arrays[name][set_classes()]
    write_arrays(WEIGHTS_FILE, arrays)


if __name__ == "__main__":
    main()
