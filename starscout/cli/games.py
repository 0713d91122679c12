"""Commands that describe and test games: games, players, laws, perft, playouts, puzzle."""

from typing import Annotated

import typer

from starscout.cli.output import print_result
from starscout.settings.schema import (
    Depth,
    File,
    GameName,
    Games,
    Json,
    PositionText,
    Seconds,
    Seed,
    Setting,
    Threads,
    Weighted,
)


def games(*, json: Json = False) -> None:
    """List the games."""
    import starscout

    print_result(starscout.list_games(), json)


def players(
    game: Annotated[GameName | None, Setting("List only the players of this game.")] = None, *, json: Json = False
) -> None:
    """List the presets and configurable players."""
    import starscout

    print_result(starscout.list_players(game), json)


def laws(
    game: GameName,
    *,
    games: Annotated[
        Games | None, Setting("Random games to check (default: two seconds of games, at least 20).")
    ] = None,
    seed: Annotated[Seed, Setting("Random seed of the games.")] = 0,
    json: Json = False,
) -> None:
    """Check the laws of a game in random games.

    Every search depends on these laws. Exit code 1 if one is violated.
    """
    import starscout

    result = starscout.laws(game, games=games, seed=seed)
    print_result(result, json, stderr=not result.holds, soft_wrap=not result.holds)
    if not result.holds:
        raise typer.Exit(1)


def perft(
    game: GameName,
    depth: Annotated[Depth, Setting("Depth in plies.", low=0)],
    *,
    position: Annotated[PositionText | None, Setting("A position as text; default: the first start position.")] = None,
    weighted: Weighted = False,
    json: Json = False,
) -> None:
    """Count the leaves of the game tree.

    Counts the leaves DEPTH plies below a position; a finished game is one leaf, and every roll is a separate branch.
    """
    import starscout

    root = starscout.start(game) if position is None else starscout.parse(game, position)
    print_result(starscout.perft(root, depth, weighted=weighted), json)


def playouts(
    game: GameName,
    *,
    seconds: Seconds = 1.0,
    threads: Threads = 1,
    seed: Annotated[Seed, Setting("Random seed of the games.")] = 0,
    json: Json = False,
) -> None:
    """Play random games and measure their rate.

    Prints number, rate and mean length of the games, and the share won by the first mover.
    """
    import starscout

    print_result(starscout.playouts(game, seconds=seconds, threads=threads, seed=seed), json)


def puzzle(
    file: Annotated[
        File, Setting("A file with `n m`, the board, `p`, the p dice, the target piece; or a board of dark chess.")
    ],
    *,
    json: Json = False,
) -> None:
    """Find the shortest solution of a puzzle.

    Prints the number of moves, then a line `piece direction` for each; in a puzzle of dark chess the seconds, the
    number of moves, then a line `MOVE A1 A2` for each. Exit code 1 if there is no solution.
    """
    import starscout

    result = starscout.puzzle(file)
    print_result(result, json, stderr=result.moves is None)
    if result.moves is None:
        raise typer.Exit(1)
