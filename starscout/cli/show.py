"""`starscout show GAME [POSITION]`: a position drawn."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_board, print_json


def command(
    game: Annotated[str, typer.Argument(help="A game, or a file like ./my_game.py.")],
    position: Annotated[str | None, typer.Argument(help="A position as text; default: a start.")] = None,
    seed: Annotated[int, typer.Option(help="Which start, where a game has several.", min=0)] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Draw a position and list its moves."""
    from starscout import games
    from starscout import state as states

    rules = games.load(game)
    state = states.start(rules, seed) if position is None else states.parse(rules, position)
    die = rules.die(state.position, state.roll)
    moves = None if state.needs_roll else state.moves
    if json:
        print_json(
            {
                "position": state.text,
                "mover": rules.sides[state.mover],
                "die": int(die) if die is not None and die.isdecimal() else die,
                "over": state.over,
                "moves": moves or [],
            }
        )
        return
    out = console()
    out.print(f"{rules.title}   {state.text}\n", style="bold", markup=False)
    print_board(state)
    if moves:
        out.print("moves: " + " ".join(moves))
    elif state.needs_roll:
        for face in range(1, rules.faces + 1):
            out.print(
                f"die {rules.die(state.position, face) or face}: {' '.join(state.rolled(face).moves)}", markup=False
            )
