"""Random games per second: compiled, stepped by `State`, and by open_spiel: `python benchmarks/state_speed.py`.

    open_spiel    its C++ objects driven from Python: legal_actions, apply_action, which changes the object
    child         the same with `child`, which copies the object: like ours, earlier states remain
    State         state.legal, state.play(number), state.rolled(generator)
    compiled      starscout.search.playouts, 1,000 games per call

All loops draw from the same generator of Python's `random` and test for chance and for the end before every step. CPU
time of one thread. The columns are measured in turns; rates and ratios are medians over the rounds, so that ratios hold
on a loaded machine.
"""

import argparse
import functools
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel  # pyright: ignore[reportMissingImports]

from starscout import games
from starscout.game import Game
from starscout.game.state import compile_steps, start
from starscout.search.playouts import play_random

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
    parser.add_argument("--seconds", type=float, default=0.2, help="CPU time of each measurement")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("games", nargs="*", choices=[*NAMES, []], help="default: all")
    arguments = parser.parse_args()
    print(
        "| game | open_spiel | child | State | compiled | State / open_spiel | State / child | compiled / open_spiel |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.games or NAMES:
        generator = random.Random(1)
        theirs, ours = pyspiel.load_game(NAMES[name]), games.load(str(EXAMPLES / f"{name}.py"))
        compile_steps(ours)
        columns: dict[str, tuple[Callable[[], object], int]] = {
            "open_spiel": (functools.partial(open_spiel_game, theirs, generator, copies=False), 1),
            "child": (functools.partial(open_spiel_game, theirs, generator, copies=True), 1),
            "State": (functools.partial(state_game, ours, generator), 1),
            "compiled": (functools.partial(play_random, ours, 1, 0, 1000), 1000),
        }
        rounds = [
            {column: rate(play, arguments.seconds, count) for column, (play, count) in columns.items()}
            for _ in range(arguments.rounds)
        ]
        rates = " | ".join(f"{statistics.median(rates[column] for rates in rounds):,.0f}" for column in columns)
        pairs = (("State", "open_spiel"), ("State", "child"), ("compiled", "open_spiel"))
        ratios = [statistics.median(rates[ours] / rates[theirs] for rates in rounds) for ours, theirs in pairs]
        print(f"| {name} | {rates} | {ratios[0]:.2f} | {ratios[1]:.2f} | {ratios[2]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
