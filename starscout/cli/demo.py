"""`starscout demo`: a random game of each kind, drawn, and how fast such games are played."""

import time

from starscout.cli.output import console

RATE_SECONDS = 0.5


def command() -> None:
    """Show a random game of each kind and the speed of each."""
    import random

    from starscout import games, state
    from starscout.drawing import draw
    from starscout.playouts import play_random

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
        out.print(draw(now) if out.color_system else str(now), markup=False)
        out.print(f"random games on one core: {rate:,.0f} a second", style="green")
