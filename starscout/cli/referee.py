"""Commands that referee other programs: game, judge, referee."""

import os
import sys
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from starscout.cli.interrupt import kill_child_processes
from starscout.cli.main import load_compiler
from starscout.cli.output import print_json, print_result, standard_output
from starscout.settings.schema import (
    Boards,
    DrawPoints,
    Engines,
    GameName,
    Host,
    Json,
    Late,
    Log,
    Port,
    Reconnect,
    RoundRobin,
    Rounds,
    RoundSettings,
    Seed,
    Setting,
    Swiss,
    Token,
    TokensFile,
    Wait,
    Withdraw,
)

if TYPE_CHECKING:
    from starscout.api.match import MatchResult
    from starscout.api.tournament import TournamentResult


def game(
    *,
    first: Annotated[str, Setting("A program of the game's protocol, or a SPEC.", flags=("-p0",), metavar="A")],
    second: Annotated[str, Setting("Its opponent.", flags=("-p1",), metavar="B")],
    rounds: Annotated[Rounds, Setting("Number of rounds.", flags=("-r",))] = 1,
    game: Annotated[str, Setting("ewn-cyclic, kari, ewn, othello or dark-chess.")] = "ewn-cyclic",
    placement: Annotated[str, Setting("For ewn: random, or free (each side answers `ini`).")] = "random",
    draw: DrawPoints | None = None,
    json: Json = False,
    **settings: Unpack[RoundSettings],
) -> None:
    """Referee a match under the course rules.

    Default limits: 2 s per ply for ewn-cyclic, 10 s for kari and othello, 60 s per game for ewn, 600 s for dark-chess,
    5 s per ply for dark-chess-open.
    """
    import starscout

    kill_child_processes()
    result = starscout.course_match(game, first, second, rounds=rounds, placement=placement, **settings)
    if json:
        points = (
            {} if draw is None else {"points": [result.wins + draw * result.draws, result.losses + draw * result.draws]}
        )
        print_json(result.json() | points)
        return
    counts = ("p0", first, result.wins, result.losses), ("p1", second, result.losses, result.wins)
    for seat, name, wins, losses in counts:
        points = "" if draw is None else f", {wins + draw * result.draws:g} points"
        standard_output().write(f"{seat} {name}: {wins} wins, {losses} losses, {result.draws} draws{points}\n")


def judge(
    game: GameName,
    port: Port,
    *,
    rounds: Rounds = 2,
    engines: Engines | None = None,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    late: Annotated[Late, Setting("An engine that joins from the next round on (repeatable).")] = (),
    withdraw: Withdraw = (),
    boards: Boards = 1,
    protocol: Annotated[str | None, Setting("otp (default for othello) or lab.")] = None,
    host: Host = "127.0.0.1",
    token: Token | None = None,
    tokens: TokensFile | None = None,
    wait: Wait | None = None,
    reconnect: Reconnect = 10.0,
    json: Json = False,
    **settings: Unpack[RoundSettings],
) -> None:
    """Referee engines that connect over TCP.

    The first engine to connect has the first side (black, red) in round 1. Over otp, an invalid or late reply forfeits
    the current round and all later ones. More than two engines play a round robin or a Swiss tournament. The same
    command resumes an interrupted tournament. Exit code 1 if a game was scored 0 - 0 because both engines were missing.
    """
    import starscout

    kill_child_processes()
    result = starscout.judge(
        game, port, rounds=rounds, engines=engines, round_robin=round_robin, swiss=swiss, late=late,
        withdraw=withdraw, boards=boards, protocol=protocol, host=host, token=token, tokens=tokens, wait=wait,
        reconnect=reconnect, **settings,
    )  # fmt: skip
    _print_judged(result, json)
    if result.double_forfeits:
        games = "1 game was" if result.double_forfeits == 1 else f"{result.double_forfeits} games were"
        print(f"starscout: {games} scored 0 – 0: both engines were disconnected", file=sys.stderr)
        raise typer.Exit(1)


def referee(game: GameName, *, seed: Seed | None = None, log: Log | None = None) -> None:
    """Replace the referee program of a course under its match script.

    Answers START, STATE, FLIP, MOVE and QUIT over standard input and output (dark-chess).
    """
    # A referee makes few moves: plain Python starts faster than compiled kernels load.
    os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    load_compiler()
    import starscout

    starscout.course_referee(game, seed=seed, log=log)


def _print_judged(result: "MatchResult | TournamentResult", json: bool) -> None:
    import starscout

    if json or isinstance(result, starscout.TournamentResult):
        print_result(result, json)
        return
    counts = ("A", result.a, result.wins, result.losses), ("B", result.b, result.losses, result.wins)
    for letter, name, wins, losses in counts:
        quit_ = int(bool(result.forfeits[letter]))
        standard_output().write(f"NAME:{name} QUIT:{quit_} WIN:{wins} LOSE:{losses} DRAW:{result.draws}\n")
