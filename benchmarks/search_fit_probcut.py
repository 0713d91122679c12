"""Fit the ProbCut error model for Othello: differences between deep and shallow searches.

    python benchmarks/search_fit_probcut.py [positions]

Positions come from self-play of the learned evaluation after random plies. Every depth is searched without ProbCut, and
late positions are solved. The mean of log |error| gives the standard deviation σ: for a normal error it is
log σ − 0.635. Writes the coefficients to games/othello/probcut.csv and prints measured errors next to the fit.
"""

import math
import random
import sys
from collections import defaultdict

import numpy

from starscout import games
from starscout.evaluation import LEARNED, load_evaluation
from starscout.evaluation.weights import write_arrays
from starscout.game import ONGOING
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.selective import FILE, LEAST_DEPTH, THOUSAND, ErrorModel, SelectiveSearcher, check_depth
from starscout.games.othello.solver import OthelloSolver

GAME = games.load("othello")
DEEPEST = 9
MOST_SOLVED = 18
"""Maximum number of empty squares of positions to solve."""
LEAST_EMPTY, MOST_EMPTY = 13, 50
NORMAL = 0.635
SMALLEST = 0.1
"""Minimum error in discs, to bound its logarithm."""


def sample(searcher: SelectiveSearcher, number: int) -> Position:
    """Return a position of a game with random opening plies, continued by a three-ply search."""
    generator = random.Random(number)
    target, opening = generator.randint(LEAST_EMPTY, MOST_EMPTY), generator.randint(6, 20)
    position, plies = Position(*GAME.start_position(0)), 0
    while empty_squares(GAME, position) > target and GAME.outcome(position) == ONGOING:
        moves = GAME.legal(position, 1)
        if plies < opening:
            move = generator.choice(moves)
        else:
            *_, iteration = searcher.deepen(position, 1, range(1, 4))
            move = iteration.best.move
        position, plies = Position(*GAME.play_position(position, move)), plies + 1
    return position


def main(positions: int) -> None:
    evaluation = load_evaluation(GAME, LEARNED)
    searcher, solver = SelectiveSearcher(GAME, evaluation, 0.0), OthelloSolver(GAME)
    rows, logs = [], []
    groups: dict[tuple[int, int, bool], list[float]] = defaultdict(list)
    for number in range(positions):
        searcher.begin()
        position = sample(searcher, number)
        empties = empty_squares(GAME, position)
        if GAME.outcome(position) != ONGOING:
            continue
        deepest = min(DEEPEST, empties - 1)
        values = {depth: searcher.value(position, depth) or 0.0 for depth in range(1, deepest + 1)}
        errors = [
            (depth, False, values[depth] - values[check_depth(depth)]) for depth in range(LEAST_DEPTH, deepest + 1)
        ]
        if empties <= MOST_SOLVED and check_depth(empties) in values:
            solver.begin()
            *_, solution = solver.solve(position)
            errors.append((empties, True, solution.lower - values[check_depth(empties)]))
        for depth, solved, error in errors:
            rows.append((1.0, check_depth(depth), depth, empties, float(solved)))
            logs.append(math.log(max(abs(error), SMALLEST)) + NORMAL)
            groups[depth, empties // 10 * 10, solved].append(error)
    fitted, *_ = numpy.linalg.lstsq(numpy.array(rows), numpy.array(logs), rcond=None)
    write_arrays(FILE, {"error": THOUSAND * fitted})
    model = ErrorModel(*fitted.tolist())
    print(" ".join(f"{name}={number:.3f}" for name, number in zip(ErrorModel._fields, fitted, strict=True)))
    print("depth  check  empty squares  solved  errors   mean  std. dev.  formula")
    for (depth, tens, solved), errors in sorted(groups.items()):
        mean, deviation = numpy.mean(errors), numpy.std(errors)
        formula = model.deviation(depth, depth if solved else tens + 5)
        print(
            f"{depth:5}{check_depth(depth):7}{tens:11}–{tens + 9}{'yes' if solved else 'no':>8}{len(errors):8}"
            f"{mean:7.2f}{deviation:11.2f}{formula:9.2f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
