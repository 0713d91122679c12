"""Commands that referee other programs: game, judge."""

from typing import Annotated, Unpack

from starscout.cli.interrupt import kill_child_processes
from starscout.cli.output import print_json, print_result, standard_output
from starscout.settings.schema import (
    Boards,
    Engines,
    GameName,
    Host,
    Json,
    Port,
    RoundRobin,
    Rounds,
    RoundSettings,
    Setting,
    Swiss,
    Token,
    Wait,
)


def game(
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


def judge(
    game: GameName,
    port: Port,
    *,
    rounds: Rounds = 2,
    engines: Engines = 2,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    boards: Boards = 1,
    protocol: Annotated[str | None, Setting("otp (default for othello) or lab.")] = None,
    host: Host = "127.0.0.1",
    token: Token | None = None,
    wait: Wait | None = None,
    json: Json = False,
    **settings: Unpack[RoundSettings],
) -> None:
    """Referee engines that connect over TCP.

    The first engine to connect has the first side (black, red) in round 1. Over otp, an invalid or late reply forfeits
    the current round and all later ones. More than two engines play a round robin or a Swiss tournament.
    """
    import starscout

    kill_child_processes()
    result = starscout.judge(
        game, port, rounds=rounds, engines=engines, round_robin=round_robin, swiss=swiss, boards=boards,
        protocol=protocol, host=host, token=token, wait=wait, **settings,
    )  # fmt: skip
    if json or isinstance(result, starscout.TournamentResult):
        print_result(result, json)
        return
    counts = ("A", result.a, result.wins, result.losses), ("B", result.b, result.losses, result.wins)
    for letter, name, wins, losses in counts:
        quit_ = int(bool(result.forfeits[letter]))
        standard_output().write(f"NAME:{name} QUIT:{quit_} WIN:{wins} LOSE:{losses} DRAW:{result.draws}\n")
