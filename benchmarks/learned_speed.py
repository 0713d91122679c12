"""Nodes per second of alpha-beta with learned and hand-written evaluations, interleaved.

python benchmarks/learned_speed.py [GAME …]
"""

import sys
import time

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

WORK = {
    "ewn": ("race+squares", 6),
    "ewn-cyclic": ("race+squares", 13),
    "kari": ("cubes", 9),
    "othello": ("positional", 11),
}
"""Game → evaluation that the learned one replaces, and search depth."""

STARTS = (0, 123, 456)
TURNS = 5
TABLE_BITS = 16


def main(names: list[str]) -> None:
    print(f"{'':14}{'hand-made M/s':>16}{'learned M/s':>14}{'ratio':>8}")
    for name in names:
        evaluation, depth = WORK[name]
        game = games.load(name)
        searchers = [
            Searcher(game, load_evaluation(game, text), Switches(scout=not game.has_chance), TABLE_BITS)
            for text in (evaluation, "learned")
        ]
        fastest = [0.0, 0.0]
        for _ in range(TURNS):
            for side, searcher in enumerate(searchers):
                searcher.clear()
                searcher.begin()
                began = time.thread_time()
                for start in STARTS:
                    for _ in searcher.deepen(game.start_position(start), 1, range(1, depth + 1)):
                        pass
                speed = searcher.counts["nodes"] / (time.thread_time() - began)
                fastest[side] = max(fastest[side], speed)
        old, new = fastest
        print(f"{name:14}{old / 1e6:16.1f}{new / 1e6:14.1f}{new / old:8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(WORK))
