"""Commands about one position: show, analyse, rollout, solve; and endgame tables."""

from enum import StrEnum
from typing import Annotated, Unpack

import typer

from starscout.cli.output import check_plot, print_json, print_result, save_plot
from starscout.settings.schema import (
    Cubes,
    GameName,
    Json,
    Lines,
    Plot,
    PositionText,
    RolloutPlies,
    SearchLimits,
    Seed,
    Setting,
    Threads,
    Time,
    Tree,
    TreeDepth,
    Trials,
)


def show(
    game: GameName,
    position: Annotated[PositionText | None, Setting("A position as text; default: a start position.")] = None,
    *,
    seed: Annotated[Seed, Setting("Selects a start position if the game has several.")] = 0,
    plot: Annotated[Plot | None, Setting("Write the board to this file: .svg, .png or .pdf.")] = None,
    json: Json = False,
) -> None:
    """Draw a position and list its moves."""
    import starscout

    state = starscout.start(game, seed) if position is None else starscout.parse(game, position)
    check_plot(plot)
    shown = starscout.show(state)
    save_plot(shown, plot)
    print_result(shown, json)


def analyse(
    game: GameName,
    position: PositionText,
    *,
    player: Annotated[str | None, Setting("Player that searches (default: the game's `strong` preset).")] = None,
    lines: Annotated[Lines, Setting("Number of best lines to print; they share the limit.")] = 1,
    seed: Annotated[Seed, Setting("Random seed of a tree search.")] = 0,
    plot: Annotated[Plot | None, Setting("Plot the win probability after every move: .svg, .png or .pdf.")] = None,
    tree: Tree | None = None,
    tree_depth: TreeDepth = 2,
    json: Json = False,
    **limits: Unpack[SearchLimits],
) -> None:
    """Search a position and value every move.

    Prints the value for the side to move, the value of every move and the expected line. Without a limit the search
    takes one second.
    """
    import starscout

    check_plot(plot)
    state = starscout.parse(game, position)
    analysis = starscout.analyse(state, player, lines=lines, seed=seed, tree=tree, tree_depth=tree_depth, **limits)
    save_plot(analysis, plot)
    print_result(analysis, json)


def rollout(
    game: GameName,
    position: PositionText,
    *,
    eval: Annotated[str | None, Setting("Evaluation that both sides play by (default: the game's own).")] = None,
    trials: Trials = 1296,
    lines: Annotated[Lines, Setting("Number of moves to roll out: the best ones by the evaluation.")] = 3,
    plies: RolloutPlies = 0,
    reduction: Annotated[bool, Setting("Subtract the luck of the events (variance reduction).")] = True,
    seed: Annotated[Seed, Setting("Random seed of the events.")] = 0,
    plot: Annotated[Plot | None, Setting("Plot the values with their intervals: .svg, .png or .pdf.")] = None,
    json: Json = False,
) -> None:
    """Estimate the value of a position and its best moves by playing many games.

    Both sides play the best move by an evaluation. Prints means with 95 % confidence intervals. After a roll, the best
    moves are rolled out with the same events.
    """
    import starscout

    check_plot(plot)
    result = starscout.rollout(
        starscout.parse(game, position), eval=eval, trials=trials, lines=lines, plies=plies, reduction=reduction,
        seed=seed,
    )  # fmt: skip
    save_plot(result, plot)
    print_result(result, json)


def solve(
    game: GameName,
    position: PositionText,
    *,
    wld: Annotated[bool, Setting("Othello: compute only win, loss or draw, which is faster.")] = False,
    time: Annotated[Time, Setting("Give up after this many seconds.", low=0.0)] = 30.0,
    threads: Annotated[Threads, Setting("Othello: number of threads.")] = 1,
    json: Json = False,
) -> None:
    """Compute the exact value of a position.

    For small boards and late positions; exit code 1 if it takes too long.
    """
    import starscout

    try:
        solution = starscout.solve(starscout.parse(game, position), wld=wld, time=time, threads=threads)
    except starscout.Interrupted as stop:
        typer.echo(f"{stop.result.proven()} when it was interrupted", err=True)
        raise
    if solution.solved:
        print_result(solution, json)
        return
    if json:
        print_json(solution.json())
    typer.echo(f"starscout: {solution.sentence()}", err=True)
    raise typer.Exit(1)


class Action(StrEnum):
    """Action on an endgame table."""

    build = "build"
    check = "check"


def tables(
    action: Annotated[Action, Setting("Build a table, or check the existing one.")],
    game: Annotated[str, Setting("ewn, or another board and number of cubes such as ewn-4x4-3.")],
    *,
    cubes: Cubes | None = None,
    threads: Annotated[Threads | None, Setting("Number of threads (default: all cores).")] = None,
    json: Json = False,
) -> None:
    """Build or check exact endgame tables.

    A table holds all positions with few cubes; players and `solve` use it.
    """
    import starscout

    print_result(starscout.tables(action.value, game, cubes=cubes, threads=threads), json, soft_wrap=True)
