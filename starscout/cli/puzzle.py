"""`starscout puzzle FILE`: the shortest solution of the single-player puzzle."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(
    file: Annotated[Path, typer.Argument(help="`n m`, the board, `p`, the p dice, the wanted piece (0 = any).")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Print the number of moves, then a line `piece direction` for each; exit code 1 when there is no solution."""
    from starscout.game import GameError
    from starscout.puzzle import parse_puzzle, solve_puzzle

    try:
        puzzle = parse_puzzle(file.read_text(encoding="utf-8"))
    except (GameError, UnicodeDecodeError) as error:
        raise GameError(f"{file}: {error}") from error
    solution = solve_puzzle(puzzle)
    moves = solution.moves
    if json:
        length = None if moves is None else len(moves)
        listed = None if moves is None else [list(move) for move in moves]
        print_json({"moves": listed, "length": length, "proven": solution.proven})
    elif moves is not None:
        print(len(moves))
        for piece, direction in moves:
            print(piece, direction)
    elif solution.proven:
        console(stderr=True).print("no solution: however the pieces move, the wanted one never arrives")
    else:
        console(stderr=True).print(f"gave up after {solution.states:,} states: no solution found, none excluded")
    if moves is None:
        raise typer.Exit(1)
