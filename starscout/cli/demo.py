"""`starscout demo`: a drawn random game of each kind, their speed, and a match."""

import time

from starscout.cli import match
from starscout.cli.support.output import console, print_board

RATE_SECONDS = 0.5
DEEPER, SHALLOWER = "negascout depth=2 eval=race", "negascout depth=1 eval=race"
MATCH_PAIRS = 50


def command() -> None:
    """Show a random game of each kind, the speed of each, and a match."""
    import random

    from starscout import games, state
    from starscout.random_games import play_random

    out = console()
    generator = random.Random(2024)
    for name in games.NAMES:
        rules = games.load(name)
        now = state.start(rules, generator.randrange(720))
        while not now.over:
            now = now.rolled(generator)
            now = now.play(generator.choice(now.moves))
        play_random(rules, 1, 0, 10)
        played, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < RATE_SECONDS:
            played += play_random(rules, 1, played, 2000).games
        rate = played / (time.perf_counter() - begin)
        out.print(f"\n{rules.title} ({name}), a random game of {now.ply} plies", style="bold", markup=False)
        print_board(now)
        out.print(f"random games on one core: {rate:,.0f} a second", style="green")
    out.print("\nA match: two plies of search against one, the same dice for both", style="bold")
    match.command("ewn", DEEPER, SHALLOWER, pairs=MATCH_PAIRS, store=":memory:")
