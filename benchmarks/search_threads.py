"""Speed-up of alpha-beta with two threads from EWN start positions.

    python benchmarks/search_threads.py --depth 7

Wall-clock time needs two idle cores. The CPU time of the first thread estimates the wall-clock time on an idle machine.
"""

import argparse
import time

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

STARTS = (5, 105, 205, 305)
TABLE_BITS = 20


def measure(searcher: Searcher, depth: int) -> tuple[float, float, int]:
    wall, processor, nodes = 0.0, 0.0, 0
    for start in STARTS:
        searcher.clear()
        searcher.begin()
        position = searcher.game.start_position(start)
        began, began_wall = time.thread_time(), time.perf_counter()
        for plies in range(1, depth + 1):
            searcher.value(position, plies)
        processor += time.thread_time() - began
        wall += time.perf_counter() - began_wall
        nodes += searcher.counts["nodes"]
    return wall, processor, nodes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=7)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    game = games.load("ewn")
    searchers = {
        threads: Searcher(game, load_evaluation(game), Switches(scout=False), TABLE_BITS, threads) for threads in (1, 2)
    }
    best: dict[int, tuple[float, float, int]] = {}
    for _ in range(arguments.repeats):
        for threads, searcher in searchers.items():
            found = measure(searcher, arguments.depth)
            best[threads] = found if threads not in best else tuple(map(min, best[threads], found))  # type: ignore
    for threads, (wall, processor, nodes) in best.items():
        print(f"{threads} threads: wall {wall:.2f} s, first thread {processor:.2f} s and {nodes:,} nodes")
    (wall_1, processor_1, nodes_1), (wall_2, processor_2, nodes_2) = best[1], best[2]
    print(f"speed-up: wall {wall_1 / wall_2:.2f}, CPU time {processor_1 / processor_2:.2f}, "
          f"nodes {nodes_1 / nodes_2:.2f}")  # fmt: skip


if __name__ == "__main__":
    main()
