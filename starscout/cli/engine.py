"""`starscout engine`: a player of ours as a program that speaks a protocol."""

import os
from typing import Annotated

import typer

NEVER_READY = ("otp", "tcg-raw")
"""The protocols in which an engine cannot say that it is ready."""


def command(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The player, as in: negascout depth=8")],
    protocol: Annotated[str, typer.Option(help="lab, tcg-ewn, tcg-raw, otp or nboard.")] = "lab",
    game: Annotated[
        str | None, typer.Option(help="For tcg-raw: ewn-cyclic or kari. For lab: your own, ./my_game.py.")
    ] = None,
    connect: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Connect to a judge (lab, otp).")] = None,
    token: Annotated[str, typer.Option(help="What the judge wants to hear from visitors (lab).")] = "-",
    name: Annotated[str | None, typer.Option(help="The name to play under.")] = None,
    time: Annotated[float | None, typer.Option(help="Seconds per move, where the protocol does not say.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies, where the protocol does not say.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Nodes, where the protocol does not say.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Simulations, where the protocol does not say.")] = None,
) -> None:
    """Speak a protocol as an engine, over standard input and output or over TCP."""
    # Without a word for "ready" a front of plain Python speaks, while the engine behind it compiles. The compiler is
    # switched off before it is imported, so the protocols are named here.
    front = protocol in NEVER_READY and "NUMBA_DISABLE_JIT" not in os.environ
    if front:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    from starscout.protocols.serve import serve
    from starscout.search.limits import Limit
    from starscout.spec import make_player

    limit = Limit(time=time, depth=depth, nodes=nodes, simulations=simulations)
    serve(
        spec,
        protocol,
        make_player,
        game=game,
        connect=connect,
        token=token,
        name=name,
        limit=None if limit == Limit() else limit,
        front=front,
    )
