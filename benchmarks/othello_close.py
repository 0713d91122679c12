"""Othello in close positions: regret of the moves of a search, and correlation of its values with exact results.

    python benchmarks/othello_close.py [WEIGHTS ...]     measure; `learned` is the shipped file
    python benchmarks/othello_close.py --solve           solve new positions, into benchmarks/othello_close.tsv

Positions have 20 or 22 empty squares and an exact difference of at most CLOSE discs. They come from games of the
selective search at PLIES plies, after openings of random moves that lose little. The file contains the exact difference
of every move, or `<` and a bound for moves that lose more than SLACK discs, which count as SLACK.

Each search has a fixed depth, with ProbCut and without it (a margin of WIDE standard deviations). Its regret is the
mean number of discs that its moves lose. The correlation is that of its values with the exact differences.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy

from starscout import games
from starscout.evaluation import LEARNED, load_evaluation
from starscout.game import ONGOING
from starscout.game.state import parse
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.selective import SelectiveSearcher, discs_of
from starscout.games.othello.solver import OthelloSolver

GAME = games.load("othello")
FILE = Path(__file__).parent / "othello_close.tsv"
CLOSE, SLACK = 10, 16
SIZES = {20: 120, 22: 40}
"""Number of empty squares → number of positions."""
PLIES, LEAST_OPENING, MOST_OPENING, LOSS = 8, 8, 16, 6.0
DEPTHS = (1, 4, 8)
CONFIDENCE, WIDE = 1.0, 10.0
RESAMPLES = 2000


def sample(searcher: SelectiveSearcher, number: int, empties: int) -> Position:
    """The position with this many empty squares of one game; over if the game ended earlier."""
    generator = random.Random(100 * number + empties)
    position, plies = Position(*GAME.start_position(0)), 0
    opening = generator.randint(LEAST_OPENING, MOST_OPENING)
    while GAME.outcome(position) == ONGOING and empty_squares(GAME, position) > empties:
        searcher.begin()
        if plies < opening:
            *_, iteration = searcher.deepen(position, 1, range(1, 3), every_move=True)
            best = discs_of(iteration.best.value)
            move = generator.choice([root.move for root in iteration.moves if best - discs_of(root.value) <= LOSS])
        else:
            *_, iteration = searcher.deepen(position, 1, range(1, PLIES + 1))
            move = iteration.best.move
        position, plies = Position(*GAME.play_position(position, move)), plies + 1
    return position


def solve() -> None:
    """Write FILE; continues an interrupted run."""
    searcher, solver = SelectiveSearcher(GAME, load_evaluation(GAME, LEARNED), CONFIDENCE), OthelloSolver(GAME)
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    for empties, wanted in SIZES.items():
        numbers = [int(line.split("\t")[1]) for line in lines if line.startswith(f"{empties}\t")]
        number = max(numbers, default=-1)
        while len(numbers) < wanted:
            number += 1
            position = sample(searcher, number, empties)
            if GAME.outcome(position) != ONGOING or len(GAME.legal(position, 1)) < 2:
                continue
            *_, iteration = searcher.deepen(position, 1, range(1, empties + 1))
            if abs(discs_of(iteration.best.value)) > CLOSE:
                continue
            solver.begin()
            *_, solution = solver.solve(position, every_move=True, slack=SLACK)
            if abs(solution.lower) > CLOSE:
                continue
            moves = " ".join(
                f"{GAME.format_move(position, move.move)}{'=' if move.lower == move.upper else '<'}{move.upper}"
                for move in solution.moves
            )
            numbers.append(number)
            with FILE.open("a", encoding="utf-8") as opened:
                opened.write(f"{empties}\t{number}\t{GAME.format(position, 0)}\t{moves}\n")


def positions() -> Iterator[tuple[Position, dict[int, int]]]:
    """The positions of FILE with the loss of each move in discs; the key −1 has the exact difference."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        _, _, board, moves = line.split("\t")
        state = parse(GAME, board)
        position = Position(*state.position)
        values = {}
        for move in moves.replace("<", "=<").split():
            name, value = move.split("=")
            values[state.parse_move(name)] = None if value.startswith("<") else int(value)
        best = max(value for value in values.values() if value is not None)
        losses = {move: SLACK if value is None else best - value for move, value in values.items()}
        yield position, {**losses, -1: best}


def interval(numbers: numpy.ndarray) -> tuple[float, float]:
    """The mean and half the width of its 95 % interval."""
    return float(numbers.mean()), float(1.96 * numbers.std(ddof=1) / len(numbers) ** 0.5)


def main(names: list[str]) -> None:
    chosen = list(positions())
    exact = numpy.array([losses[-1] for _, losses in chosen], dtype=float)
    print(f"{len(chosen)} positions\nweights\tdepth\tProbCut\tregret\t± 95 %\tcorrelation\tbias\tnodes")
    for name in names:
        evaluation = load_evaluation(GAME, name)
        for confidence in (WIDE, CONFIDENCE):
            searcher = SelectiveSearcher(GAME, evaluation, confidence)
            for depth in DEPTHS:
                if confidence == CONFIDENCE and depth == 1:
                    continue
                regrets, values, before = [], [], searcher.nodes
                for position, losses in chosen:
                    searcher.begin()
                    searcher.clear()
                    *_, iteration = searcher.deepen(position, 1, range(1, depth + 1))
                    regrets.append(losses[iteration.best.move])
                    values.append(discs_of(iteration.best.value))
                regret, error = interval(numpy.array(regrets, dtype=float))
                found = numpy.array(values)
                nodes = (searcher.nodes - before) / len(chosen)
                print(
                    f"{name}\t{depth}\t{'off' if confidence == WIDE else confidence}\t{regret:.3f}\t{error:.3f}"
                    f"\t{numpy.corrcoef(found, exact)[0, 1]:.3f}\t{(found - exact).mean():+.2f}\t{nodes:.0f}"
                )


if __name__ == "__main__":
    if sys.argv[1:] == ["--solve"]:
        solve()
    else:
        main(sys.argv[1:] or [LEARNED])
