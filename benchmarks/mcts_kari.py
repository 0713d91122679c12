"""kari-mcts, its pruned version and the baselines: python benchmarks/mcts_kari.py

Simulations per move are fixed; pairs of games share one start with seats swapped. Each line also shows the
result of the course's engine (`new` is kari-mcts, `newPrune` is kari-mcts-pruned; 50 games, 120 in the last line, 9 s
per move).
"""

import argparse

from mcts_strength import match, tally

from starscout.games import load

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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    game = load("kari")
    for first, second, course in LINES:
        one, other = limited(first, arguments.simulations), limited(second, arguments.simulations)
        summary = match(game, one, other, arguments.pairs, arguments.seed, arguments.workers)
        print(f"{first:17} – {second:13} {tally(summary)}   course {course}", flush=True)


def limited(name: str, simulations: int) -> str:
    """Return the player with its limit; the baselines do not search."""
    return f"{name} simulations={simulations}" if "mcts" in name else name


if __name__ == "__main__":
    main()
