"""Time and nodes of an 8-ply move decision from EWN start positions.

    python benchmarks/search_depth.py --depth 8

The die is rolled; iterative deepening starts at one ply, and all iterations count. Times are CPU time of one thread.
"""

import argparse
import time

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

STARTS = (0, 111, 222, 333)
TABLE_BITS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--eval", nargs="*", default=["race+squares", "distance:2:1"])
    arguments = parser.parse_args()
    game = games.load("ewn")
    for name in arguments.eval:
        searcher = Searcher(game, load_evaluation(game, name), Switches(scout=False), TABLE_BITS)
        nodes, seconds = [], []
        for number, start in enumerate(STARTS):
            searcher.clear()
            searcher.begin()
            began = time.thread_time()
            for _ in searcher.deepen(game.start_position(start), 1 + number % 6, range(1, arguments.depth + 1)):
                pass
            seconds.append(time.thread_time() - began)
            nodes.append(searcher.counts["nodes"])
        mean_nodes, mean_seconds = sum(nodes) / len(nodes), sum(seconds) / len(seconds)
        print(
            f"{name:14} {arguments.depth} plies: {mean_nodes:,.0f} nodes and {mean_seconds:.2f} s per move "
            f"({min(seconds):.2f} to {max(seconds):.2f} s), {mean_nodes / mean_seconds / 1e6:.1f} million nodes/s"
        )


if __name__ == "__main__":
    main()
