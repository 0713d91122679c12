"""`starscout judge GAME PORT`: the referee as a server to which engines connect."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RoundOptions, takes
from starscout.cli.support.ending import kill_child_processes
from starscout.cli.support.output import print_result, standard_output


@takes(RoundOptions)
def command(
    game: GameName,
    port: Annotated[int, typer.Argument(min=0, max=65535, help="Where engines connect.")],
    rounds: Annotated[int, typer.Option(min=1, help="Games of each meeting; the engines change sides after each.")] = 2,
    engines: Annotated[int, typer.Option(min=2, help="How many engines are waited for.")] = 2,
    round_robin: Annotated[bool, typer.Option("--round-robin", help="Everybody meets everybody.")] = False,
    swiss: Annotated[int | None, typer.Option(min=1, metavar="N", help="A Swiss of N rounds.")] = None,
    boards: Annotated[int, typer.Option(min=1, help="Games at the same time, for engines on other machines.")] = 1,
    protocol: Annotated[str | None, typer.Option(help="otp (the default for othello) or lab.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="What lab engines say to be let in (default: a new one).")] = None,
    wait: Annotated[float | None, typer.Option(help="Seconds to wait for the engines (otp: 10, lab: 60).")] = None,
    *,
    options: RoundOptions,
) -> None:
    """Wait for engines, let them play, and print how often each has won.

    The first to connect has the first side (black, red) in round 1. A bad or late reply over otp loses that round and
    the later ones. More than two engines play a round robin or a Swiss.
    """
    import starscout

    kill_child_processes()
    result = starscout.judge(
        game, port, rounds=rounds, engines=engines, round_robin=round_robin, swiss=swiss, boards=boards,
        protocol=protocol, host=host, token=token, wait=wait, **options.settings,
    )  # fmt: skip
    if options.json or isinstance(result, starscout.TournamentResult):
        print_result(result, options.json)
        return
    counts = ("A", result.a, result.wins, result.losses), ("B", result.b, result.losses, result.wins)
    for letter, name, wins, losses in counts:
        quit_ = int(bool(result.forfeits[letter]))
        standard_output().write(f"NAME:{name} QUIT:{quit_} WIN:{wins} LOSE:{losses} DRAW:{result.draws}\n")
