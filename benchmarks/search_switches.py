"""Nodes and time saved by each search option, on positions from EWN games.

    python benchmarks/search_switches.py --depths 4 5 6

Prints nodes and CPU time for each Star variant with and without merged rolls, move ordering and table. Searches with a
table or ordering use iterative deepening, and all iterations count; the others search the final depth only. Positions
come from a file of server games, or from self-play if there is no such file.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from search_calibration import self_play

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import Game, Position
from starscout.records.files import load_records
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

SERVER_GAMES = Path(__file__).parents[2] / "shared" / "data" / "ewn_server_games.txt"
TABLE_BITS = 18
SETTINGS: dict[str, dict[str, Any]] = {
    "nothing": {"merge": False, "order": False, "store": "nothing"},
    "merge": {"merge": True, "order": False, "store": "nothing"},
    "merge order": {"merge": True, "order": True, "store": "nothing"},
    "merge order decision table": {"merge": True, "order": True, "store": "decision"},
    "merge order chance table": {"merge": True, "order": True, "store": "chance"},
    "the same, and scouting": {"merge": True, "order": True, "store": "chance", "scout": True},
}


def real_positions(game: Game, count: int) -> list[Position]:
    """Return positions after 2, 6, 10, … plies of every seventh game."""
    if SERVER_GAMES.is_file():
        plies = [list(record.states()) for record in list(load_records(SERVER_GAMES))[::7][:count]]
        chosen = [states[min(2 + 4 * (number % 4), len(states) - 3)] for number, states in enumerate(plies)]
        return [state.position for state in chosen]
    return [position for position, _ in self_play(game, load_evaluation(game), 3, count, 1)][::6][:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", type=int, nargs="*", default=[4, 5, 6])
    parser.add_argument("--positions", type=int, default=50)
    parser.add_argument("--stars", type=float, nargs="*", default=[0, 1, 2, 2.5])
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS), help=", ".join(SETTINGS))
    parser.add_argument("--eval", default="race+squares")
    arguments = parser.parse_args()
    game = games.load("ewn")
    evaluation = load_evaluation(game, arguments.eval)
    positions = real_positions(game, arguments.positions)
    print(f"{len(positions)} positions, evaluation {arguments.eval}\n")
    print(f"{'plies':5} {'star':>4}  {'switches':28}{'nodes':>15}{'seconds':>10}{'nodes ÷':>9}{'time ÷':>9}")
    for depth in arguments.depths:
        baseline = (0, 0.0)
        for star in arguments.stars:
            for name in arguments.settings:
                values = SETTINGS[name]
                # Star0 has no cut-offs at chance nodes, so scouting only repeats searches.
                if star == 0 and "scout" in values:
                    continue
                options: dict[str, Any] = {"scout": False} | values
                switches = Switches(star, **options)
                searcher = Searcher(game, evaluation, switches, TABLE_BITS)
                nodes, seconds = 0, 0.0
                for position in positions:
                    searcher.clear()
                    searcher.begin()
                    began = time.thread_time()
                    for plies in range(1 if switches.order else depth, depth + 1):
                        searcher.value(position, plies)
                    seconds += time.thread_time() - began
                    nodes += searcher.counts["nodes"]
                baseline = baseline if baseline[0] else (nodes, seconds)
                print(
                    f"{depth:5} {star:4g}  {name:28}{nodes:15,}{seconds:10.3f}{baseline[0] / nodes:9.1f}"
                    f"{baseline[1] / seconds:9.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
