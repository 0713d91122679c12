"""Commands for engines: engine, check."""

import os
import sys
from typing import Annotated, Unpack

import typer

from starscout.cli.main import load_compiler
from starscout.cli.output import print_result, standard_output
from starscout.settings.schema import (
    Depth,
    File,
    GameName,
    GameTime,
    Isolate,
    Json,
    Log,
    SearchLimits,
    Seed,
    Setting,
    Time,
    Trust,
)

WITHOUT_READY = ("otp", "tcg-dark", "tcg-raw")
"""Protocols in which an engine cannot report that it is ready."""


def engine(
    spec: Annotated[str, Setting("The player, for example: negascout depth=8", metavar="SPEC")],
    *,
    protocol: Annotated[str, Setting("lab, tcg-ewn, tcg-raw, tcg-dark, otp, nboard or gtp.")] = "lab",
    game: Annotated[
        str | None,
        Setting("For tcg-raw: ewn-cyclic or kari; for tcg-dark: dark-chess; for lab: your own game, ./my_game.py."),
    ] = None,
    connect: Annotated[str | None, Setting("Connect to a judge (lab, otp).", metavar="HOST:PORT")] = None,
    token: Annotated[str | None, Setting("Token of the judge (lab; default: STARSCOUT_TOKEN).")] = None,
    name: Annotated[str | None, Setting("Name of the engine.")] = None,
    write: Annotated[
        File | None,
        Setting("Write a script that starts this engine, for referees that pass no arguments.", metavar="FILE"),
    ] = None,
    log: Log | None = None,
    **limits: Unpack[SearchLimits],
) -> None:
    """Run a player as an engine.

    Communicates over standard input and output or over TCP. The limits apply where the protocol sets none.
    """
    if write is not None:
        _write_program(str(write))
        _compile_ahead(spec, protocol, game)
        return
    # Without a ready message, a plain-Python front end handles the protocol while the engine behind it compiles. The
    # compiler has to be switched off before it is imported, so the protocols are named here.
    front = protocol in WITHOUT_READY and "NUMBA_DISABLE_JIT" not in os.environ
    if front:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    load_compiler()
    import starscout

    starscout.engine(
        spec, protocol=protocol, game=game, connect=connect, token=token, name=name, log=log, front=front, **limits
    )


def check(
    game: GameName,
    engine: Annotated[str, Setting("PROTOCOL:COMMAND, python:FILE:CLASS, or a command alone.", metavar="ENGINE")],
    *,
    time: Time | None = None,
    game_time: GameTime | None = None,
    depth: Depth | None = None,
    seed: Seed = 0,
    log: Log | None = None,
    trust: Trust = False,
    isolate: Isolate = False,
    json: Json = False,
) -> None:
    """Check whether an engine works, and diagnose what is wrong.

    Tries its handshake and plays a game on each side against random moves. Finds the protocol of a command without one.
    Exit code 1 if there is a problem.
    """
    import starscout

    result = starscout.check(
        game, engine, time=time, game_time=game_time, depth=depth, seed=seed, log=log, trust=trust, isolate=isolate
    )
    print_result(result, json, soft_wrap=True)
    if not result.ok:
        raise typer.Exit(1)


def _write_program(file: str) -> None:
    """Write an executable script that starts this engine with the arguments of this command."""
    import shlex
    from pathlib import Path

    from starscout.protocols.process import own_command

    words = sys.argv[1:]
    place = next(index for index, word in enumerate(words) if word.split("=")[0] == "--write")
    del words[place : place + (1 if "=" in words[place] else 2)]
    path = Path(file)
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
