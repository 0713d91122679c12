"""Best set-ups of EinStein würfelt nicht!: win probabilities of all pairs of arrangements, and their equilibrium.

    python benchmarks/ewn_setups.py exact         boards that are solved: 3×3 and 4×4 with three cubes
    python benchmarks/ewn_setups.py matrix        compute the 5×5 matrix; an interrupted run continues
    python benchmarks/ewn_setups.py equilibrium   solve it; writes a figure
    python benchmarks/ewn_setups.py error         how much payoffs change with deeper searches

A game and a depth may follow each command: `matrix ewn-4x4 2`.

A set-up gives the squares of cubes 1, 2, …, in the order of the squares of a corner: A1, B1, …, the next row. Both
sides see themselves in the upper left corner. Reversing the numbers of one side changes nothing, nor does transposing
the board; one value stands for all symmetric pairs.

V[a, b] is the win probability of the side that moves first with set-up a against b, before the roll. Sides choose at
the same time and either one may move first, so a set-up's payoff is

    P[a, b] = (V[a, b] + 1 − V[b, a]) / 2

a symmetric game with the value 1/2. `equilibrium` approximates its solution by regret matching; the gap, the largest
excess of any set-up's score against the mixture over 1/2, is a proven bound.
"""

import itertools
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy

from starscout import games
from starscout.drawing import charts
from starscout.evaluation import LEARNED, load_evaluation
from starscout.game import Game
from starscout.game.notation import square_name
from starscout.games.ewn.board import build_cubes, make_side, triangle
from starscout.games.ewn.endgame_table import REFINED_UNIT, RefinedTable
from starscout.games.ewn.rules import Position
from starscout.games.ewn.table_builder import fill, number_positions
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

SetUp = tuple[int, ...]
"""[cube] → its square in its owner's view."""

FOLDER = Path(__file__).parent / "setups"
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "ewn-setups.svg"
DEPTH = 4
ERROR_PAIRS = 40
SHOWN = 5
"""Number of best and of worst set-ups in the figure."""
TABLE_BITS = 16
SAVED_EVERY = 20
"""Rows of the matrix between two saves."""


def set_ups(game: Game) -> list[SetUp]:
    """All set-ups of one side, one of each pair with reversed numbers."""
    return [found for found in itertools.permutations(triangle(game.columns, game.faces)) if found <= found[::-1]]


def canonical(game: Game, found: SetUp) -> SetUp:
    """The representative of a set-up and the one with reversed numbers."""
    return min(found, found[::-1])


def transposed(game: Game, found: SetUp) -> SetUp:
    """The set-up on the transposed board, as its representative."""
    return canonical(game, tuple(square % game.columns * game.columns + square // game.columns for square in found))


def start(game: Game, first: SetUp, second: SetUp) -> Position:
    """The position before the first roll; the side with `first` moves first."""
    board = build_cubes(game.rows, game.columns, game.faces)
    return Position(make_side(board, list(first)), make_side(board, list(second)), 0)


def searched_rows(game: Game, depth: int, done: int) -> Iterator[tuple[int, dict[int, float]]]:
    """The rows from number `done` on: win probabilities against the set-ups whose values no symmetry gives."""
    chosen = set_ups(game)
    number_of = {found: number for number, found in enumerate(chosen)}
    image = [number_of[transposed(game, found)] for found in chosen]
    searcher = Searcher(game, load_evaluation(game, LEARNED), Switches(), TABLE_BITS)
    for row in range(done, len(chosen)):
        values = {}
        for column in range(len(chosen)):
            if (row, column) <= (image[row], image[column]):
                searcher.begin()
                value = searcher.value(start(game, chosen[row], chosen[column]), depth)
                assert value is not None
                values[column] = (value + 1.0) / 2.0
        yield row, values


def matrix(game: Game, depth: int) -> numpy.ndarray:
    """V by search; finished rows are saved to a file."""
    chosen = set_ups(game)
    number_of = {found: number for number, found in enumerate(chosen)}
    image = numpy.array([number_of[transposed(game, found)] for found in chosen])
    file = FOLDER / f"{game.name}-depth-{depth}.npz"
    FOLDER.mkdir(exist_ok=True)
    found, done = numpy.full((len(chosen), len(chosen)), numpy.nan), 0
    if file.exists():
        with numpy.load(file) as stored:
            found, done = stored["chances"].astype(float), int(stored["done"])
    for row, values in searched_rows(game, depth, done):
        for column, value in values.items():
            found[row, column] = found[image[row], image[column]] = value
        if (row + 1) % SAVED_EVERY == 0 or row + 1 == len(chosen):
            with file.with_suffix(".part").open("wb") as opened:
                numpy.savez_compressed(opened, chances=found.astype(numpy.float32), done=row + 1)
            file.with_suffix(".part").replace(file)
            print(f"{row + 1} of {len(chosen)} rows, {time.process_time():.0f} CPU-s", flush=True)
    return found


def exact_matrix(game: Game) -> numpy.ndarray:
    """V of a board whose positions all fit into memory."""
    numbers = number_positions(game, 2 * game.faces)
    values = numpy.zeros(numbers.positions, dtype=numpy.int64)
    for _ in fill(numbers, values, 1, REFINED_UNIT):
        pass
    table = RefinedTable(game, numbers, values)
    chosen = set_ups(game)
    return numpy.array([[(table.value(start(game, a, b)) + 1.0) / 2.0 for b in chosen] for a in chosen])


def payoffs(chances: numpy.ndarray) -> numpy.ndarray:
    """P[a, b]: the win probability of set-up a against b if either side may move first."""
    return (chances + 1.0 - chances.T) / 2.0


def equilibrium(payoff: numpy.ndarray, rounds: int = 20_000) -> tuple[numpy.ndarray, float]:
    """A mixture of the rows of a symmetric game with the value 1/2, and its gap, by regret matching+.

    No column scores more than 1/2 + gap against the mixture.
    """
    regrets, total = numpy.zeros(len(payoff)), numpy.zeros(len(payoff))
    for number in range(1, rounds + 1):
        mixture = regrets / regrets.sum() if regrets.any() else numpy.full(len(payoff), 1.0 / len(payoff))
        total += number * mixture
        scores = payoff @ mixture
        regrets = numpy.maximum(regrets + scores - mixture @ scores, 0.0)
    mixture = total / total.sum()
    return mixture, max(float((payoff @ mixture).max()) - 0.5, 0.0)


def show(game: Game, chances: numpy.ndarray) -> None:
    """Print the equilibrium and the set-ups that score best against random ones."""
    chosen, payoff = set_ups(game), payoffs(chances)
    mixture, gap = equilibrium(payoff)
    against_random = payoff.mean(axis=1)
    worst_case = payoff.min(axis=1)
    best = int(worst_case.argmax())
    print(f"{game.name}: {len(chosen)} set-ups, mean of V {chances.mean():.4f}")
    print(f"equilibrium: gap {gap:.6f}, {mixture @ against_random:.4f} against random set-ups")
    for number in numpy.argsort(-mixture)[:12]:
        if mixture[number] >= 0.001:
            print(f"  {text(game, chosen[number])}  {mixture[number]:.3f}  random {against_random[number]:.4f}")
    for name, number in (("best in the worst case", best), ("best against random", int(against_random.argmax()))):
        found = f"random {against_random[number]:.4f}, worst case {worst_case[number]:.4f}"
        print(f"{name}: {text(game, chosen[number])}, {found}")
    number = int(against_random.argmin())
    print(f"worst against random: {text(game, chosen[number])}, random {against_random[number]:.4f}")
    if len(chosen) > SHOWN:
        order = numpy.argsort(-against_random)
        order = numpy.concatenate([order[:SHOWN], order[-SHOWN:]])
        names = [text(game, chosen[number]) for number in order]
        PICTURE.write_text(charts.probability_bars(names, against_random[order].tolist()), encoding="utf-8")


def text(game: Game, found: SetUp) -> str:
    """The squares of cubes 1, 2, …"""
    return " ".join(square_name(square, game.columns) for square in found)


def error(game: Game, depth: int, pairs: int) -> None:
    """Print how much payoffs of random pairs differ from those of searches one and two plies deeper."""
    chosen, generator = set_ups(game), random.Random(1)
    searcher = Searcher(game, load_evaluation(game, LEARNED), Switches(), TABLE_BITS)
    found: list[list[float]] = []
    for _ in range(pairs):
        first, second = generator.choice(chosen), generator.choice(chosen)
        row = []
        for deeper in range(3):
            searcher.begin()
            values = [
                searcher.value(start(game, *sides), depth + deeper) for sides in ((first, second), (second, first))
            ]
            row.append(0.5 + (float(values[0] or 0) - float(values[1] or 0)) / 4.0)
        found.append(row)
    differences = numpy.array(found)
    for deeper in (1, 2):
        change = differences[:, deeper] - differences[:, 0]
        size = numpy.sqrt((change**2).mean())
        print(f"depth {depth + deeper}: root mean square difference {size:.4f}, largest {abs(change).max():.4f}")


def main(command: str, arguments: list[str]) -> None:
    game = games.load(arguments[0] if arguments else "ewn")
    depth = int(arguments[1]) if len(arguments) > 1 else DEPTH
    if command == "matrix":
        matrix(game, depth)
    elif command == "exact":
        for name in ("ewn-3x3-3", "ewn-4x4-3"):
            show(games.load(name), exact_matrix(games.load(name)))
    elif command == "equilibrium":
        show(game, matrix(game, depth))
    elif command == "error":
        error(game, depth, ERROR_PAIRS)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*((sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])))
