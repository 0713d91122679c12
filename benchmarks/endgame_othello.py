"""Othello solver: FFO endgame suite, random positions, and two threads against one.

    python benchmarks/endgame_othello.py [first last]

Times are CPU seconds; the perft rate of the same run shows the current speed of the machine. Two threads are also
compared by CPU seconds and nodes, which estimate the gain on two idle cores.
"""

import math
import random
import statistics
import sys
import time
from pathlib import Path

from starscout import games
from starscout.game import ONGOING
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.solver import OthelloSolver
from starscout.games.othello.solver_search import SolverSwitches
from starscout.search.endgame import ScoreSolution
from starscout.search.perft import perft

FFO = Path(__file__).parents[2] / "shared" / "data" / "ffo-40-59.obf"
TABLE_BITS = 20
TURNS = 3
MOST_PLAIN = 23
"""Positions with at most this many empty squares are also solved without the evaluation."""
GAME = games.load("othello")


def solved(
    position: Position, threads: int = 1, *, wld: bool = False, evaluated: bool = True
) -> tuple[ScoreSolution, float, float]:
    """Solve with an empty table; return the solution, CPU seconds and wall-clock seconds."""
    solver = OthelloSolver(GAME, SolverSwitches(evaluated=evaluated), TABLE_BITS, threads)
    solver.compile()
    nodes, clock, processor = solver.nodes, time.perf_counter(), time.process_time()
    *_, found = solver.solve(position, wld=wld)
    assert found.exact or wld
    seconds = time.process_time() - processor, time.perf_counter() - clock
    # A helper thread may count a few more nodes while it exits.
    assert found.nodes == solver.nodes - nodes or threads > 1
    return found, *seconds


def perft_rate() -> float:
    """Return millions of perft leaves per CPU second."""
    began = time.thread_time()
    return perft(GAME, GAME.start_position(0), 9) / (time.thread_time() - began) / 1e6


def problems(first: int, last: int) -> list[tuple[int, Position, int]]:
    """Yield (number, position, known difference) of the suite."""
    found = []
    for number, line in enumerate(FFO.read_text(encoding="utf-8").splitlines(), 40):
        if first <= number <= last:
            text, *moves = line.split(";")
            best = max(int(move.split(":")[1]) for move in moves if ":" in move)
            found.append((number, Position(*GAME.parse(text.strip())[0]), best))
    return found


def random_position(empties: int, seed: int) -> Position:
    generator = random.Random(seed)
    position = Position(*GAME.start_position(0))
    while empty_squares(GAME, position) > empties:
        if GAME.outcome(position) != ONGOING:
            position = Position(*GAME.start_position(0))
        position = Position(*GAME.play_position(position, generator.choice(GAME.legal(position, 1))))
    return position


def main() -> None:
    first, last = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (40, 44)
    perft_rate()
    if FFO.exists():
        print(f"{'FFO':>4}{'empty':>7}{'discs':>7}{'nodes':>14}{'s':>8}{'without evaluation':>24}{'perft M/s':>11}")
        total = plain = 0.0
        for number, position, best in problems(first, last):
            found, seconds, _ = solved(position)
            assert found.lower == best
            total += seconds
            empties = empty_squares(GAME, position)
            print(f"{number:4}{empties:7}{best:+7}{found.nodes:14,}{seconds:8.2f}", end="")
            if empties <= MOST_PLAIN:
                alone, seconds, _ = solved(position, evaluated=False)
                assert alone.lower == best
                plain += seconds
                print(f"{alone.nodes:15,} {seconds:8.2f}", end="")
            print(f"{perft_rate():11.0f}", flush=True)
        print(f"sum {total:.2f} s, without evaluation {plain:.2f} s")
    print("empty squares, mean milliseconds of twenty random positions: exact score, win/loss/draw")
    for empties in range(10, 20, 2):
        positions = [random_position(empties, seed) for seed in range(20)]
        means = [
            1000 * statistics.mean(solved(position, wld=wld)[1] for position in positions) for wld in (False, True)
        ]
        print(f"{empties:4}{means[0]:9.1f}{means[1]:9.1f}", flush=True)
    positions = [random_position(20, seed) for seed in range(20)]
    alone = [solved(position) for position in positions]
    print(
        f"twenty random positions with 20 empty squares: mean {statistics.mean(s for _, s, _ in alone):.3f} s", end=""
    )
    print(f", perft {perft_rate():.0f} M/s", flush=True)
    two_threads(positions)


def two_threads(positions: list[Position]) -> None:
    """Run one thread and two alternately: best wall-clock time, total CPU seconds, total nodes."""
    clocks, processor, nodes = [0.0, 0.0], [0.0, 0.0], [0, 0]
    for position in positions:
        quickest, differences = [math.inf, math.inf], set()
        for _ in range(TURNS):
            for index, threads in enumerate((1, 2)):
                found, seconds, clock = solved(position, threads)
                processor[index] += seconds
                quickest[index] = min(quickest[index], clock)
                nodes[index] += found.nodes
                differences.add(found.lower)
        assert len(differences) == 1
        clocks = [total + best for total, best in zip(clocks, quickest, strict=True)]
    print("speed-up of two threads:")
    print(f"  wall clock                {clocks[0] / clocks[1]:.2f}")
    print(f"  CPU time                  {2 * processor[0] / processor[1]:.2f} on two idle cores")
    print(f"  nodes                     {2 * nodes[0] / nodes[1]:.2f} if threads do not slow each other down")


if __name__ == "__main__":
    main()
