"""`starscout engine`: a player of ours as a program that speaks a protocol."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import LogFile
from starscout.cli.support.compiler_import import load_compiler
from starscout.cli.support.output import standard_output

NEVER_READY = ("otp", "tcg-raw")
"""The protocols in which an engine cannot say that it is ready."""


def command(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The player, as in: negascout depth=8")],
    protocol: Annotated[str, typer.Option(help="lab, tcg-ewn, tcg-raw, otp, nboard or gtp.")] = "lab",
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
    log: LogFile = None,
    write: Annotated[
        Path | None, typer.Option(help="Write a program that does this, for referees that take one without arguments.")
    ] = None,
) -> None:
    """Speak a protocol as an engine, over standard input and output or over TCP."""
    if write is not None:
        _write_program(write)
        _compile_ahead(spec, protocol, game)
        return
    # Without a word for "ready" a front of plain Python speaks, while the engine behind it compiles. The compiler is
    # switched off before it is imported, so the protocols are named here.
    front = protocol in NEVER_READY and "NUMBA_DISABLE_JIT" not in os.environ
    if front:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    load_compiler()
    import starscout

    starscout.engine(
        spec, protocol=protocol, game=game, connect=connect, token=token, name=name, time=time, depth=depth,
        nodes=nodes, simulations=simulations, log=log, front=front,
    )  # fmt: skip


def _write_program(path: Path) -> None:
    """Write an executable script that starts this engine with the words of this command."""
    import shlex

    from starscout.protocols.process import own_command

    words = sys.argv[1:]
    place = next(index for index, word in enumerate(words) if word.split("=")[0] == "--write")
    del words[place : place + (1 if "=" in words[place] else 2)]
    path.write_text(f"#!/bin/sh\nexec {shlex.join(own_command(*words))}\n", encoding="utf-8")
    path.chmod(0o755)
    print(f"{path} written: starscout {shlex.join(words)}", file=standard_output())


def _compile_ahead(spec: str, protocol: str, game: str | None) -> None:
    """Compile the player for the games of the protocol, so that the program never does so on a referee's clock."""
    load_compiler()
    import starscout
    from starscout.protocols.registry import find_protocol

    for name in (game,) if game is not None else find_protocol(protocol).games:
        starscout.warm(name, spec)
