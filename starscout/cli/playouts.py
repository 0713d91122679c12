"""`starscout playouts GAME`: random games by the clock."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, progress


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    seconds: Annotated[float, typer.Option(min=0.0, help="How long to play.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="How many threads play.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Numbers the sequence of games.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Play random games and say how many, how fast, how long they are and how often the first mover wins."""
    from starscout import games
    from starscout.random_games import play_random_for

    rules = games.load(game)
    with progress("playing") as show:
        totals, taken = play_random_for(rules, seed, seconds, threads, show)
    per_second, mean_plies, wins = totals.games / taken, totals.plies / totals.games, totals.wins / totals.games
    if json:
        print_json(
            {
                "playouts": totals.games,
                "seconds": taken,
                "per_second": per_second,
                "mean_plies": mean_plies,
                "first_mover_wins": wins,
            }
        )
        return
    draws = f", {totals.draws / totals.games:.1%} draws" if totals.draws else ""
    console().print(
        f"{totals.games:,} random games of {rules.name} in {taken:.2f} s: {per_second:,.0f} a second, "
        f"{mean_plies:.2f} plies on average, the first mover wins {wins:.1%}{draws}"
    )
