"""`starscout demo`: speed of the games, an analysis, and a short match."""

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

from starscout.cli.output import console

if TYPE_CHECKING:
    from rich.console import Console

    from starscout.game import Game

RATE_SECONDS = 0.25
RATE_OF_A_BAR, BAR = 4_000_000, 40
"""Random games per second of a full bar, and its length in characters."""
GAME, POSITION, DEPTH = "ewn", "123../45.../6...f/...ed/..cba r 4", 5
DEEPER, SHALLOWER = "negascout depth=3 eval=race", "negascout depth=2 eval=race"
PAIRS, SEED = 100, 4
LOW, HIGH, SCALE = 0.45, 0.65, 60
"""Scores at the ends of the scale, and its length in characters."""


def demo() -> None:
    """Show the games, an analysis and a short match."""
    import starscout
    from starscout.arena.workers import exit_on_interrupt, quiet_start

    out = console()
    # Compile the search in another process while this one compiles the rules.
    with ProcessPoolExecutor(1, get_context("spawn"), exit_on_interrupt) as pool:
        with quiet_start():
            search = pool.submit(warm_search)
        show_games(out)
        print_heading(out, f"Every move of a position at depth {DEPTH}: NegaScout with Star2")
        search.result()
    state = starscout.parse(GAME, POSITION)
    out.print(starscout.analyse(state, "negascout eval=race", depth=DEPTH))
    print_heading(out, "Does a third ply help? Both games of a pair have the same dice, with seats swapped")
    result = starscout.match(GAME, DEEPER, SHALLOWER, pairs=PAIRS, seed=SEED, workers=0, store=":memory:")
    out.print(result)
    luck = result.luck_adjusted
    assert luck is not None
    out.print()
    for line in interval_lines(
        [("score of A", result.score, result.score_interval), ("luck-adjusted", luck.score, luck.score_interval)]
    ):
        out.print(line, style="cyan")
    out.print(f"\n{verdict(result.score_interval, luck.score_interval, result.games)}", style="bold green")
    out.print("This is seed 4. With seeds 1 to 8, all luck-adjusted intervals and five of the raw ones exclude 50 %.")
    out.print("Next: starscout play ewn --against strong, starscout serve, or docs/index.md")


def warm_search() -> None:
    """Compile the kernels of the match and the analysis."""
    from starscout.arena.batch import warm
    from starscout.arena.plan import make_plan
    from starscout.search.limits import Limit

    warm(make_plan(GAME, DEEPER, SHALLOWER, Limit(), SEED, None, None))


def show_games(out: "Console") -> None:
    """Print the rate of random games of each game as a bar."""
    from starscout import games

    print_heading(out, "Random games per second, on one core, from the rules in Python")
    for name in games.NAMES:
        rules = games.load(name)
        rate = random_games_rate(rules)
        bar = "█" * round(BAR * min(1.0, rate / RATE_OF_A_BAR))
        size = f"{rules.rows}×{rules.columns}"
        out.print(f" {name:<11} {size:<4} {rate:>11,.0f}  {bar}", style="cyan")


def random_games_rate(rules: "Game") -> float:
    """Measure random games per second on one core, without compilation."""
    from starscout.search.playouts import play_random

    play_random(rules, 1, 0, 10)
    played, begin = 0, time.process_time()
    while time.process_time() - begin < RATE_SECONDS:
        played += play_random(rules, 1, played, 2000).games
    return played / (time.process_time() - begin)


def print_heading(out: "Console", text: str) -> None:
    """Print a heading."""
    out.print(f"\n{text}", style="bold")


def interval_lines(rows: Sequence[tuple[str, float, tuple[float, float]]]) -> list[str]:
    """Draw scores and intervals below a common scale, with a mark at 50 %."""

    def place(score: float) -> int:
        return round(SCALE * (min(max(score, LOW), HIGH) - LOW) / (HIGH - LOW))

    margin = 2 + max(len(name) for name, _, _ in rows)
    scale = [" "] * (SCALE + 8)
    for percent in range(round(100 * LOW), round(100 * HIGH) + 1, 5):
        scale[place(percent / 100) : place(percent / 100) + 4] = f"{percent} %"
    lines = [" " * margin + "".join(scale).rstrip()]
    for name, score, (low, high) in rows:
        drawn = [" "] * (SCALE + 1)
        drawn[place(0.5)] = "┊"
        for column in range(place(low), place(high) + 1):
            drawn[column] = "┼" if column == place(0.5) else "─"
        drawn[place(low)], drawn[place(high)], drawn[place(score)] = "├", "┤", "●"
        lines.append(f" {name:<{margin - 1}}" + "".join(drawn).rstrip())
    return lines


def verdict(raw: tuple[float, float], adjusted: tuple[float, float], games: int) -> str:
    """State whether the intervals exclude 50 %."""
    if raw[0] > 0.5:
        return f"The deeper player is stronger: the 95 % interval of {games} games excludes 50 %."
    if adjusted[0] > 0.5:
        return (
            f"The deeper player is stronger: the luck-adjusted 95 % interval of {games} games excludes 50 %, "
            "the raw one does not."
        )
    return f"Undecided: neither 95 % interval of {games} games excludes 50 %."
