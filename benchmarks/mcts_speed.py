"""MCTS simulations per second of several libraries: python benchmarks/mcts_speed.py

The peers: open_spiel's C++ MCTSBot with random rollouts (EWN and Othello) and rust-reversi's MctsSearch (Othello). All
search the start position with UCB, one rollout per leaf, the same number of simulations, and are timed by CPU time; the
best of the rounds counts.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import pyspiel  # pyright: ignore[reportMissingImports]
import rust_reversi  # pyright: ignore[reportMissingImports]

from starscout.games import load
from starscout.search.mcts import MctsSearch, Settings

C = 1.18


def ours(name: str, simulations: int) -> Callable[[], object]:
    """Search a start position with a new tree."""
    game = load(name)
    search = MctsSearch(game, Settings(c=C, reuse=False))
    position = game.start_position(0)

    def run() -> None:
        search.run(position, 1, simulations=simulations)

    return run


def open_spiel(name: str, simulations: int) -> Callable[[], object]:
    """Run open_spiel's bot with its solver enabled, like ours."""
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot: Any = pyspiel.MCTSBot(game, evaluator, C, simulations, 2000, True, 1, False)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return lambda: bot.step(state)


def rust(simulations: int, threshold: int) -> Callable[[], object]:
    """Run rust-reversi's search; a leaf is expanded after `threshold` visits."""
    search = rust_reversi.MctsSearch(simulations, C, threshold)
    board = rust_reversi.Board()
    return lambda: search.get_move(board)


def main() -> None:
    """Time all searches alternately."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=20_000)
    arguments = parser.parse_args()
    number = arguments.simulations
    # open_spiel's Othello is slow, so it runs a tenth of the simulations.
    runs: dict[str, tuple[int, Callable[[], object]]] = {
        "starscout ewn": (number, ours("ewn", number)),
        "open_spiel ewn": (number, open_spiel("einstein_wurfelt_nicht", number)),
        "starscout othello": (number, ours("othello", number)),
        "open_spiel othello": (number // 10, open_spiel("othello", number // 10)),
        "rust-reversi othello, threshold 1": (number, rust(number, 1)),
        "rust-reversi othello, threshold 10": (number, rust(number, 10)),
    }
    speeds = dict.fromkeys(runs, 0.0)
    for _ in range(arguments.rounds):
        for name, (simulations, run) in runs.items():
            started = time.process_time()
            run()
            speeds[name] = max(speeds[name], simulations / (time.process_time() - started))
    for name, speed in speeds.items():
        own = speeds["starscout " + ("ewn" if "ewn" in name else "othello")]
        ratio = "" if name.startswith("starscout") else f"   starscout is {own / speed:5.1f} times as fast"
        print(f"{name:36} {speed:12,.0f} simulations/s{ratio}")


if __name__ == "__main__":
    main()
