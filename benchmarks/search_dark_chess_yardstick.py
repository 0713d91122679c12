"""Node rates of the search of dark chess and of the same search in C++ (benchmarks/yardstick/dark_chess.cpp).

    python benchmarks/search_dark_chess_yardstick.py

Both search the same positions to the same depth with the same options; values and node counts must be equal. Runs are
interleaved and measured in CPU time; the best of several counts.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
from search_dark_chess import sample

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game.values import ONE
from starscout.games.dark_chess.evaluation import LARGEST, VALUES
from starscout.search import negascout
from starscout.search.negascout import Switches
from starscout.search.transposition_table import new_table

CASES = {
    "star1, 16 hidden": (Switches(star=1, scout=False), 16, 3),
    "star2, 16 hidden": (Switches(star=2, scout=False), 16, 3),
    "star2, 4 hidden": (Switches(star=2, scout=False), 4, 5),
    "none hidden": (Switches(star=2, scout=False), 0, 9),
    "none hidden, null windows": (Switches(star=2, scout=True), 0, 9),
}
POSITIONS = 5
TABLE_BITS = 18
REPEATS = 5


def compile_yardstick(folder: Path) -> ctypes.CDLL:
    source = Path(__file__).parent / "yardstick" / "dark_chess.cpp"
    library = folder / "dark_chess.so"
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    yardstick = ctypes.CDLL(str(library))
    yardstick.search_nodes.restype = ctypes.c_int64
    return yardstick


def main() -> None:
    game = games.load("dark-chess")
    evaluation = load_evaluation(game, "material")
    kernel = negascout.build(game, evaluation)
    values = VALUES.ctypes.data_as(ctypes.c_void_p)
    with tempfile.TemporaryDirectory() as folder:
        yardstick = compile_yardstick(Path(folder))
        print(f"{'':28}{'nodes':>12}{'ours M/s':>10}{'C++ M/s':>10}{'ratio':>8}")
        for name, (switches, hidden, depth) in CASES.items():
            positions = [state.position for state in sample(hidden, POSITIONS, seed=7)]
            nodes, seconds = [0, 0], [float("inf"), float("inf")]
            for _ in range(REPEATS):
                totals, times = [0, 0], [0.0, 0.0]
                for position in positions:
                    began = time.thread_time()
                    memory, table = negascout.new_memory(game, switches)[0], new_table(TABLE_BITS)
                    value = 0
                    for plies in range(1, depth + 1):
                        value = kernel(position, plies, -ONE, ONE, memory, table, evaluation.weights)
                    times[0] += time.thread_time() - began
                    totals[0] += int(memory.nodes)
                    result = ctypes.c_int64()
                    words = numpy.array(position[:4], dtype=numpy.uint64)
                    numbers = numpy.array(position[4:], dtype=numpy.int64)
                    began = time.thread_time()
                    totals[1] += yardstick.search_nodes(
                        words.ctypes.data_as(ctypes.c_void_p), numbers.ctypes.data_as(ctypes.c_void_p), depth,
                        switches.probe_count, switches.store_depth, int(switches.scout), TABLE_BITS, values,
                        ctypes.c_int64(LARGEST), ctypes.byref(result),
                    )  # fmt: skip
                    times[1] += time.thread_time() - began
                    if result.value != value:
                        raise SystemExit(f"{name}: the values differ on {position}: {value} and {result.value}")
                if totals[0] != totals[1]:
                    raise SystemExit(f"{name}: the node counts differ: {totals[0]:,} and {totals[1]:,}")
                nodes = totals
                seconds = [min(old, new) for old, new in zip(seconds, times, strict=True)]
            ours, theirs = (n / s / 1e6 for n, s in zip(nodes, seconds, strict=True))
            print(f"{name:28}{nodes[0]:12,}{ours:10.1f}{theirs:10.1f}{ours / theirs:8.2f}", flush=True)


if __name__ == "__main__":
    main()
