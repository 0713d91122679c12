"""`starscout engine`: a player of ours as a program that speaks a protocol."""

from typing import Annotated

import typer


def command(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The player, as in: negascout depth=8")],
    protocol: Annotated[str, typer.Option(help="lab, tcg-ewn, tcg-raw, otp or nboard.")] = "lab",
    connect: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Connect to a judge.")] = None,
    token: Annotated[str, typer.Option(help="What the judge wants to hear from visitors (lab).")] = "-",
    name: Annotated[str | None, typer.Option(help="The name to play under.")] = None,
) -> None:
    """Speak a protocol as an engine, over standard input and output or over TCP."""
    from starscout.protocols.engines import serve

    serve(spec, protocol, connect=connect, token=token, name=name)
