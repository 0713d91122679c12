"""Moves per second of learning environments: our batches, open_spiel and pgx (optional).

Each plays random legal moves in many games on one core and produces legal-move masks and boards after every move. Rates
are moves per CPU second. If a peer implements the game, its legal moves are compared with ours.

    .venv/bin/python benchmarks/environments.py
    pip install pgx    # for the third column
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import numpy

import starscout
from starscout.environments.batch import action_mask, board_view, legal_actions

SECONDS = 1.0
MANY = 4096


def rate(advance: Callable[[], int]) -> float:
    """Return moves per CPU second; `advance` plays some moves and returns their number."""
    advance()
    began, moves = time.process_time(), 0
    while time.process_time() - began < SECONDS:
        moves += advance()
    return moves / (time.process_time() - began)


def ours(name: str) -> float:
    games = starscout.batch(name, MANY, seed=1)

    def advance() -> int:
        games.step(games.sample())
        return MANY

    return rate(advance)


def open_spiel(name: str) -> float | None:
    try:
        import pyspiel  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    game, generator = pyspiel.load_game(name), random.Random(1)
    state = game.new_initial_state()

    def advance() -> int:
        nonlocal state
        moves = 0
        while moves < 200:
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                state.apply_action(generator.choice([action for action, _ in state.chance_outcomes()]))
                continue
            state.observation_tensor()
            state.apply_action(generator.choice(state.legal_actions()))
            moves += 1
        return moves

    return rate(advance)


def pgx_othello() -> float | None:
    try:
        import jax  # pyright: ignore[reportMissingImports]
        import pgx  # pyright: ignore[reportMissingImports]
        from pgx.experimental import auto_reset  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    env: Any = pgx.make("othello")
    keys = jax.random.split(jax.random.PRNGKey(1), MANY)
    begin, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    state, key = begin(keys), jax.random.PRNGKey(2)
    _compare(env, jax)

    def advance() -> int:
        nonlocal state, key
        key, choices, restarts = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choices, logits, axis=-1)
        state = step(state, actions, jax.random.split(restarts, MANY))
        state.rewards.block_until_ready()
        return MANY

    return rate(advance)


def _compare(env: Any, jax: Any) -> None:
    """Compare legal moves and boards of twenty random Othello games at every ply."""
    generator, init, step = numpy.random.default_rng(7), jax.jit(env.init), jax.jit(env.step)
    compared = 0
    for number in range(20):
        theirs, mine = init(jax.random.PRNGKey(number)), starscout.start("othello")
        while not mine.over:
            assert numpy.array_equal(numpy.asarray(theirs.legal_action_mask), action_mask(mine)), mine.text
            seen = numpy.asarray(theirs.observation)
            assert numpy.array_equal(seen[..., 0].astype(int) - seen[..., 1].astype(int), board_view(mine)), mine.text
            actions = legal_actions(mine)
            action = int(generator.choice(list(actions)))
            theirs, mine = step(theirs, action), mine.play(actions[action])
            compared += 1
        assert bool(theirs.terminated), mine.text
    print(f"pgx and starscout agree on {compared:,} positions of Othello")


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"random moves per second on one core; batches of {MANY:,} games\n")
    print("| game | starscout | open_spiel, stepped from Python | pgx | × open_spiel | × pgx |")
    print("|---|---|---|---|---|---|")
    for name, theirs in (("ewn", "einstein_wurfelt_nicht"), ("othello", "othello")):
        mine, spiel, jaxed = ours(name), open_spiel(theirs), pgx_othello() if name == "othello" else None
        cells = [f"{value:,.0f}" if value else "–" for value in (mine, spiel, jaxed)]
        ratios = [f"{mine / value:.1f}" if value else "–" for value in (spiel, jaxed)]
        print(f"| {name} | {' | '.join([*cells, *ratios])} |")


if __name__ == "__main__":
    main()
