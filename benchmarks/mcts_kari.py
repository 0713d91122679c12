"""kari-mcts and its pruned version against the baselines and each other: python benchmarks/mcts_kari.py

A fixed number of simulations a move, pairs of games from one start with the seats swapped; beside it the table of the
course's engine (`new` is kari-mcts, `newPrune` is kari-mcts-pruned, 50 games a line, 120 the last, 9 s a move).
"""

import argparse

from mcts_strength import results_of_pair

from starscout.games import load
from starscout.players.spec import make_player
from starscout.search.limits import Limit

LINES = (
    ("kari-mcts-pruned", "greedy", "36–7–7"),
    ("kari-mcts-pruned", "conservative", "48–1–1"),
    ("kari-mcts", "greedy", "41–3–6"),
    ("kari-mcts", "conservative", "49–1–0"),
    ("kari-mcts-pruned", "kari-mcts", "23–92–5"),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--simulations", type=int, default=20_000)
    arguments = parser.parse_args()
    game, limit = load("kari"), Limit(simulations=arguments.simulations)
    for first, second, course in LINES:
        players = make_player(first, game), make_player(second, game)
        results = [
            result for pair in range(arguments.pairs) for result in results_of_pair(game, players, (limit, limit), pair)
        ]
        wins, draws = results.count(1.0), results.count(0.5)
        tally = f"{wins}–{len(results) - wins - draws}–{draws}"
        print(
            f"{first:17} – {second:13} {tally:>9}   score {sum(results) / len(results):.2f}   course {course}",
            flush=True,
        )


if __name__ == "__main__":
    main()
