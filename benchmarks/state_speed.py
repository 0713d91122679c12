"""Random games per second: compiled, stepped by `State`, and by open_spiel: `python benchmarks/state_speed.py`.

    open_spiel    its C++ objects driven from Python: legal_actions, apply_action; `child` copies the state, as we do
    State         state.legal, state.play(number), state.rolled(generator)
    compiled      starscout.search.random_games

CPU time of one thread. All columns are measured in one run, one after the other for each game, so that ratios hold on a
loaded machine.
"""

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel  # pyright: ignore[reportMissingImports]

from starscout import games
from starscout.game import Game
from starscout.game.state import start
from starscout.game.stepping import stepper_of
from starscout.search.random_games import play_random

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = {
    "tic_tac_toe": "tic_tac_toe", "connect_four": "connect_four", "breakthrough": "breakthrough", "kalah": "mancala",
    "dots_and_boxes": "dots_and_boxes(num_rows=3,num_cols=3)", "pig": "pig",
}  # fmt: skip


def rate(play: Callable[[], object], seconds: float, count: int = 1) -> float:
    """Games per second of CPU time; `play` plays this many games."""
    play()
    played, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        play()
        played += count
    return played / (time.process_time() - began)


def open_spiel_game(game: Any, generator: random.Random, *, copies: bool) -> None:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            events, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = generator.choices(events, probabilities)[0]
        else:
            action = generator.choice(state.legal_actions())
        if copies:
            state = state.child(action)
        else:
            state.apply_action(action)


def state_game(game: Game, generator: random.Random) -> None:
    state = start(game)
    while not state.over:
        state = state.rolled(generator) if state.needs_roll else state.play(generator.choice(state.legal))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of each measurement")
    seconds = parser.parse_args().seconds
    print("| game | open_spiel | open_spiel, child | State | compiled | State / child | compiled / open_spiel |")
    print("|---|---|---|---|---|---|---|")
    for name, counterpart in NAMES.items():
        generator = random.Random(1)
        theirs, ours = pyspiel.load_game(counterpart), games.load(str(EXAMPLES / f"{name}.py"))
        stepper_of(ours).compile()
        play_random(ours, 1, 0, 1)
        spiel = rate(lambda: open_spiel_game(theirs, generator, copies=False), seconds)  # noqa: B023
        child = rate(lambda: open_spiel_game(theirs, generator, copies=True), seconds)  # noqa: B023
        state = rate(lambda: state_game(ours, generator), seconds)  # noqa: B023
        compiled = rate(lambda: play_random(ours, 1, 0, 1000), seconds, 1000)  # noqa: B023
        rates = " | ".join(f"{number:,.0f}" for number in (spiel, child, state, compiled))
        print(f"| {name} | {rates} | {state / child:.2f} | {compiled / spiel:.0f} |")


if __name__ == "__main__":
    main()
