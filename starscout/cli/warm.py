"""`starscout warm [GAME] [SPEC…]`: compiles ahead what games and players need."""

import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, progress


def command(
    game: Annotated[str | None, typer.Argument(help="A game by name, or a file; default: all the games.")] = None,
    players: Annotated[
        list[str] | None, typer.Argument(metavar="SPEC…", help="Players, each in quotes; default: the game's presets.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that compile (default: one per core).")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Compile ahead, so that no first game waits: every kernel that these players need goes to the cache."""
    from starscout import games
    from starscout.arena.workers import default_workers
    from starscout.cache import cache_files
    from starscout.spec import describe, presets_of

    names = [game] if game else list(games.NAMES)
    work: list[tuple[str, str]] = []
    for name in names:
        rules = games.load(name)
        # The strongest first: it is what a person meets, and the others share kernels with it.
        work += [(name, spec) for spec in players or [preset.name for preset in presets_of(rules)]]
        for spec in players or ():
            describe(spec, rules)
    began, before = time.perf_counter(), len(cache_files())
    crew = min(workers or default_workers(), len(work))
    with progress("compiling") as show, ProcessPoolExecutor(crew, get_context("spawn")) as pool:
        jobs = [pool.submit(warm_player, *item) for item in work]
        for number, job in enumerate(as_completed(jobs), 1):
            job.result()
            show(number / len(jobs))
    kernels, seconds = len(cache_files()) - before, time.perf_counter() - began
    if json:
        print_json({"kernels": kernels, "seconds": seconds})
    else:
        console().print(f"{kernels} kernels compiled for {len(work)} players in {seconds:.1f} s")


def warm_player(game: str, spec: str) -> None:
    """Compile everything that one player needs, and mark it as warm."""
    from starscout import games
    from starscout.protocols.thinker import Thinker
    from starscout.protocols.warming import mark_warm
    from starscout.spec import make_player

    rules = games.load(game)
    thinker = Thinker(spec, make_player)
    thinker.new_game(rules, 0)
    thinker.close()
    mark_warm(spec, rules)
