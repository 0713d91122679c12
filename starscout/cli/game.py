"""`starscout game -p0 A -p1 B -r N`: the course referee, for programs that speak the course protocols."""

from typing import Annotated, Unpack

from starscout.cli.interrupt import kill_child_processes
from starscout.cli.output import print_json, standard_output
from starscout.settings.schema import Json, Rounds, RoundSettings, Setting


def command(
    *,
    first: Annotated[str, Setting("A program of the game's protocol, or a SPEC.", flags=("-p0",), metavar="A")],
    second: Annotated[str, Setting("Its opponent.", flags=("-p1",), metavar="B")],
    rounds: Annotated[Rounds, Setting("Number of rounds.", flags=("-r",))] = 1,
    game: Annotated[str, Setting("ewn-cyclic, kari, ewn or othello.")] = "ewn-cyclic",
    placement: Annotated[str, Setting("For ewn: random, or free (each side answers `ini`).")] = "random",
    json: Json = False,
    **settings: Unpack[RoundSettings],
) -> None:
    """Referee a match under the course rules.

    Default limits: 2 s per ply for ewn-cyclic, 10 s for kari and othello, 60 s per game for ewn.
    """
    import starscout

    kill_child_processes()
    result = starscout.course_match(game, first, second, rounds=rounds, placement=placement, **settings)
    if json:
        print_json(result.json())
        return
    counts = ("p0", first, result.wins, result.losses), ("p1", second, result.losses, result.wins)
    for seat, name, wins, losses in counts:
        standard_output().write(f"{seat} {name}: {wins} wins, {losses} losses, {result.draws} draws\n")
