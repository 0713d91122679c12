"""Node rates of the Othello solver and of the same solver in C++ (yardstick/solver.cpp).

    python benchmarks/endgame_yardstick.py [repeats]

Both search the same positions with 20 empty squares in the same windows, with an empty table; the values and the node
counts must be equal. Runs are interleaved and measured in CPU time; the best of several counts.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from endgame_othello import random_position

from starscout import games
from starscout.evaluation import LEARNED, load_evaluation
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.games.othello import solver_search
from starscout.games.othello.patterns import pattern_score, slots, ternary
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import Word
from starscout.search.transposition_table import new_table

EMPTIES, POSITIONS, SQUARES = 20, 8, 64
TABLE_BITS = 20


class YardstickWeights(ctypes.Structure):
    """Return the weights in the format of the C++ solver."""

    _fields_ = (("rows", ctypes.c_void_p), ("powers", ctypes.c_void_p), ("factor", ctypes.c_double))


def compile_yardstick(folder: Path) -> ctypes.CDLL:
    """Compile the C++ solver with the pattern slots as constants, grouped by transformation of the board."""
    found = slots()
    by_board = numpy.argsort(found.boards, kind="stable")
    arrays = {
        "Word MASKS": found.masks[by_board],
        "int FIRSTS": found.firsts[by_board],
        "int ENDS": numpy.searchsorted(found.boards[by_board], numpy.arange(9)),
    }
    lines = [f"static const {name}[] = {{{', '.join(f'{n}u' for n in numbers)}}};" for name, numbers in arrays.items()]
    (folder / "patterns.h").write_text("\n".join([*lines, f"static const int PATTERNS = {found.patterns};\n"]))
    source = Path(__file__).parent / "yardstick" / "solver.cpp"
    library = folder / "solver.so"
    options = ["-O3", "-march=native", "-shared", "-fPIC", "-Wno-narrowing", f"-I{folder}"]
    subprocess.run(["g++", *options, "-o", str(library), str(source)], check=True)
    yardstick = ctypes.CDLL(str(library))
    yardstick.solve_nodes.restype = ctypes.c_int64
    return yardstick


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    weights = load_evaluation(games.load("othello"), LEARNED).weights
    powers = ternary()
    handed = YardstickWeights(weights["rows"].ctypes.data, powers.ctypes.data, float(weights["factor"]))
    positions = [random_position(EMPTIES, seed) for seed in range(POSITIONS)]
    busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
    cases = {
        "without evaluation": (solver_search.build(8, solver_search.no_score), NO_WEIGHTS, None),
        "with evaluation": (solver_search.build(8, pattern_score()), weights, ctypes.byref(handed)),
    }
    with tempfile.TemporaryDirectory() as folder:
        yardstick = compile_yardstick(Path(folder))
        print(f"{'':20}{'nodes':>14}{'ours M/s':>10}{'C++ M/s':>10}{'ratio':>8}")
        for name, (kernel, own_weights, their_weights) in cases.items():
            nodes, seconds = 0, [float("inf"), float("inf")]
            for _ in range(repeats):
                totals, times = [0, 0], [0.0, 0.0]
                for position in positions:
                    memory = solver_search.new_solver_memory(SolverSwitches(), shared=False)
                    began = time.thread_time()
                    table = new_table(TABLE_BITS)
                    value = kernel(position.own, position.enemy, -SQUARES, SQUARES, memory, table, busy, own_weights)
                    times[0] += time.thread_time() - began
                    totals[0] += int(memory.nodes)
                    found = ctypes.c_int()
                    began = time.thread_time()
                    totals[1] += yardstick.solve_nodes(
                        ctypes.c_uint64(int(position.own)), ctypes.c_uint64(int(position.enemy)), -SQUARES, SQUARES,
                        their_weights, TABLE_BITS, ctypes.byref(found),
                    )  # fmt: skip
                    times[1] += time.thread_time() - began
                    if found.value != value:
                        raise SystemExit(f"{name}: the values differ: {value} and {found.value}")
                if totals[0] != totals[1]:
                    raise SystemExit(f"{name}: the node counts differ: {totals[0]:,} and {totals[1]:,}")
                nodes = totals[0]
                seconds = [min(old, new) for old, new in zip(seconds, times, strict=True)]
            ours, theirs = (nodes / each / 1e6 for each in seconds)
            print(f"{name:20}{nodes:14,}{ours:10.2f}{theirs:10.2f}{ours / theirs:8.2f}", flush=True)


if __name__ == "__main__":
    main()
