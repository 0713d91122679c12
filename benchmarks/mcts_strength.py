"""Strength of A at equal CPU time: python benchmarks/mcts_strength.py GAME A B …

Wall-clock time is unreliable on a loaded machine, so time is first converted to simulations, or nodes for players that
count nodes: each player's speed is measured in CPU seconds on positions of random games, which gives its limit per
move. The score is A's over pairs of games (one start, the same dice, seats swapped) with its 95 % confidence interval,
raw and, for games with dice, luck-adjusted.
"""

import argparse
import random
import time
from typing import Any

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner
from starscout.game import Game
from starscout.game import state as states
from starscout.games import load
from starscout.players.mcts import MctsPlayer
from starscout.players.player import Player
from starscout.players.spec import make_player
from starscout.search.limits import Limit

ROUNDS, STATES = 7, 24
NO_LIMIT = Limit()


def random_states(game: Game, number: int) -> list[states.State]:
    """Return states of random games, including starts."""
    generator = random.Random(1)
    found = []
    while len(found) < number:
        state = states.start(game, len(found))
        for _ in range(generator.randrange(20)):
            state = state.rolled(generator)
            following = state.play(generator.choice(state.legal))
            if following.over:
                break
            state = following
        found.append(state.rolled(generator))
    return found


def at_equal_time(specs: list[str], game: Game, seconds: float) -> list[str]:
    """Return the players with limits that take this many CPU seconds at best speed."""
    players = [make_player(spec, game) for spec in specs]
    units = ["simulations" if isinstance(player, MctsPlayer) else "nodes" for player in players]
    numbers = [2000] * len(specs)
    for first_round in (True, False):
        best = [0.0] * len(specs)
        for _ in range(1 if first_round else ROUNDS):
            for index, (player, unit) in enumerate(zip(players, units, strict=True)):
                best[index] = max(best[index], speed(player, unit, numbers[index], game))
        numbers = [max(int(seconds * one), 1) for one in best]
    return [f"{spec} {unit}={number}" for spec, unit, number in zip(specs, units, numbers, strict=True)]


def speed(player: Player, unit: str, number: int, game: Game) -> float:
    """Return simulations or nodes per CPU second in searches of this size."""
    done, spent = 0, 0.0
    for state in random_states(game, STATES):
        player.new_game(game, 1)
        started = time.process_time()
        decision = player.choose(state, Limit(**{unit: number}))
        spent += time.process_time() - started
        done += (decision.nodes if unit == "nodes" else decision.simulations) or 0
    return done / max(spent, 1e-6)


def match(
    game: Game, first: str, second: str, pairs: int, seed: int, workers: int, limit: Limit = NO_LIMIT
) -> dict[str, Any]:
    """Play a match between players with their own limits or a common one; return its summary."""
    plan = make_plan(game.name, first, second, limit, seed)
    warm(plan)
    with Store(":memory:") as store:
        match_run = MatchRun(store, plan, StoppingRule(pairs))
        runner = LocalRunner(workers)
        try:
            run([match_run], runner, store)
        finally:
            runner.close()
        return match_run.summary()


def tally(summary: dict[str, Any]) -> str:
    """Format the result of a match."""
    text = f"{summary['score']:.3f} ± {summary['score_error']:.3f}"
    if summary["luck_adjusted"]:
        adjusted = summary["luck_adjusted"]
        text += f" (luck-adjusted {adjusted['score']:.3f} ± {adjusted['score_error']:.3f})"
    forfeits = sum(sum(reasons.values()) for reasons in summary["forfeits"].values())
    text += f" in {summary['pairs']} pairs, {summary['wins']}–{summary['losses']}–{summary['draws']}"
    return f"{text}, {forfeits} forfeits" if forfeits else text


def main() -> None:
    """Play the matches and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--milliseconds", type=float, default=20.0)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    game = load(arguments.game)
    first, *opponents = at_equal_time([arguments.first, *arguments.opponents], game, arguments.milliseconds / 1000)
    for second in opponents:
        summary = match(game, first, second, arguments.pairs, arguments.seed, arguments.workers)
        print(f"{game.name}: {first} – {second}: {tally(summary)}", flush=True)


if __name__ == "__main__":
    main()
