"""Node rates of the search and of the same search in C++ (benchmarks/yardstick/search.cpp).

    python benchmarks/search_yardstick.py

Both search the same EWN starts to the same depth with the same options; the node counts must be equal. Runs are
interleaved and measured in CPU time; the best of several counts.
"""

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game.values import ONE
from starscout.games.ewn.evaluation import FITTED
from starscout.search import negascout
from starscout.search.negascout import Switches
from starscout.search.transposition_table import new_table

CASES = {
    "star0, no table": (Switches(star=0, scout=False, store="nothing"), 4),
    "star1, no table": (Switches(star=1, scout=False, store="nothing"), 5),
    "star2, no table": (Switches(star=2, scout=False, store="nothing"), 6),
    "star2, table": (Switches(star=2, scout=False), 6),
}
STARTS = (5, 105, 205)
TABLE_BITS = 18
REPEATS = 5
NO_STORE = 100


def compile_yardstick(folder: Path) -> ctypes.CDLL:
    source = Path(__file__).parent / "yardstick" / "search.cpp"
    library = folder / "search.so"
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    yardstick = ctypes.CDLL(str(library))
    yardstick.search_nodes.restype = ctypes.c_int64
    return yardstick


def main() -> None:
    game = games.load("ewn")
    evaluation = load_evaluation(game, "distance")
    kernel = negascout.build(game, evaluation)
    curve = FITTED[1, 1]
    with tempfile.TemporaryDirectory() as folder:
        yardstick = compile_yardstick(Path(folder))
        print(f"{'':18}{'nodes':>12}{'ours M/s':>10}{'C++ M/s':>10}{'ratio':>8}")
        for name, (switches, depth) in CASES.items():
            store_depth = switches.store_depth if switches.store == "chance" else NO_STORE
            nodes, seconds = [0, 0], [float("inf"), float("inf")]
            for _ in range(REPEATS):
                totals, times = [0, 0], [0.0, 0.0]
                for start in STARTS:
                    position = game.start_position(start)
                    began = time.thread_time()
                    memory, table = negascout.new_memory(game, switches)[0], new_table(TABLE_BITS)
                    value = 0
                    for plies in range(1, depth + 1):
                        value = kernel(position, plies, -ONE, ONE, memory, table, evaluation.weights)
                    times[0] += time.thread_time() - began
                    totals[0] += int(memory.nodes)
                    result = ctypes.c_int64()
                    began = time.thread_time()
                    totals[1] += yardstick.search_nodes(
                        ctypes.c_uint64(int(position.own)), ctypes.c_uint64(int(position.enemy)), depth,
                        switches.probe_count, store_depth, TABLE_BITS, ctypes.c_double(curve.offset),
                        ctypes.c_double(curve.slope), ctypes.byref(result),
                    )  # fmt: skip
                    times[1] += time.thread_time() - began
                    if result.value != value:
                        raise SystemExit(f"{name}: the values differ on start {start}: {value} and {result.value}")
                if totals[0] != totals[1]:
                    raise SystemExit(f"{name}: the node counts differ: {totals[0]:,} and {totals[1]:,}")
                nodes = totals
                seconds = [min(old, new) for old, new in zip(seconds, times, strict=True)]
            ours, theirs = (n / s / 1e6 for n, s in zip(nodes, seconds, strict=True))
            print(f"{name:18}{nodes[0]:12,}{ours:10.1f}{theirs:10.1f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
