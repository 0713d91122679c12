"""`starscout game -p0 A -p1 B -r N`: the course referee for programs that speak the course protocols."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import RoundOptions, takes
from starscout.cli.support.ending import kill_child_processes
from starscout.cli.support.output import print_json, standard_output


@takes(RoundOptions)
def command(
    first: Annotated[str, typer.Option("-p0", metavar="A", help="A program of the game's protocol, or a SPEC.")],
    second: Annotated[str, typer.Option("-p1", metavar="B", help="Its opponent.")],
    rounds: Annotated[int, typer.Option("-r", min=1, help="How many rounds.")] = 1,
    game: Annotated[str, typer.Option("--game", help="ewn-cyclic, kari, ewn or othello.")] = "ewn-cyclic",
    placement: Annotated[
        str, typer.Option(help="For ewn: random, or free (as each side answers to `ini`).")
    ] = "random",
    *,
    options: RoundOptions,
) -> None:
    """Referee a match between two programs as the course did.

    The limits are the course's: 2 s per ply for ewn-cyclic, 10 s for kari and othello, 60 s per game for ewn.
    """
    import starscout

    kill_child_processes()
    result = starscout.course_match(game, first, second, rounds=rounds, placement=placement, **options.settings)
    if options.json:
        print_json(result.json())
        return
    counts = ("p0", first, result.wins, result.losses), ("p1", second, result.losses, result.wins)
    for seat, name, wins, losses in counts:
        standard_output().write(f"{seat} {name}: {wins} wins, {losses} losses, {result.draws} draws\n")
