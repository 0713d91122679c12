"""Commands for courses: ladder, submit."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.interrupt import kill_child_processes
from starscout.cli.output import console, print_json, standard_output
from starscout.settings.schema import (
    Cluster,
    Depth,
    File,
    GameName,
    Host,
    Json,
    Pairs,
    Port,
    Server,
    Setting,
    SettingError,
    Time,
    Trust,
    Workers,
)

TOKENS = "tokens"
"""First argument that enrols a class; write `./tokens` for a folder of this name."""


def ladder(
    folder: Annotated[str, Setting("Folder of the ladder, or `tokens` to enrol a class.", metavar="FOLDER|tokens")],
    file: Annotated[
        Path | None, Setting("With `tokens`: CSV file with the columns id,name,team,email.", metavar="FILE")
    ] = None,
    *,
    game: Annotated[Sequence[str], Setting("Create a ladder of this game (repeatable).", metavar="GAME")] = (),
    ladder_folder: Annotated[
        Path, Setting("With `tokens`: folder of the ladder.", flags=("--folder",), metavar="FOLDER")
    ] = Path("."),
    out: Annotated[
        Path | None, Setting("With `tokens`: file for the tokens (default: FILE-tokens.csv).", metavar="FILE")
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8020,
    workers: Annotated[Workers | None, Setting("Games played at the same time (default: one per core).", low=1)] = None,
    cluster: Cluster | None = None,
    trust: Trust = False,
) -> None:
    """Run the rating server of a course.

    Students submit engines, which play rated games until the deadline. `starscout ladder tokens class.csv` writes a
    token for every student.
    """
    from starscout.ladder.run import enrol_class, run_ladder

    if folder == TOKENS:
        if file is None:
            raise SettingError("{}: expected the class list, for example: starscout ladder tokens class.csv", ("file",))
        target, count = enrol_class(ladder_folder, file, out)
        print(f"{target}: {count} tokens; send each student theirs", file=standard_output())
        return
    if file is not None:
        raise SettingError("{}: not expected; `starscout ladder tokens {}` enrols a class", ("file", str(file)))
    kill_child_processes()
    run_ladder(
        Path(folder), game, host=host, port=port, workers=workers, cluster=cluster, trust=trust
    )  # fmt: skip


def submit(
    file: Annotated[Path, Setting("A Python file, a program, a zip archive or a folder.", metavar="FILE")],
    *,
    to: Server | None = None,
    game: Annotated[GameName | None, Setting("The game; with --to, if the ladder has several.", metavar="GAME")] = None,
    against: Annotated[
        Sequence[str], Setting("Without --to: an opponent (repeatable; default: random).", metavar="SPEC")
    ] = (),
    pairs: Annotated[Pairs, Setting("Without --to: pairs of games with each opponent.")] = 5,
    time: Time | None = None,
    depth: Depth | None = None,
    badge: Annotated[File | None, Setting("Without --to: write the rating as an SVG badge.", metavar="FILE")] = None,
    json: Json = False,
) -> None:
    """Submit an engine to a ladder, or check it here.

    With --to, the token is read from STARSCOUT_TOKEN. Without --to, the engine is built and checked as on the ladder,
    then plays a gauntlet. Exit code 1 if it is rejected or forfeits a game.
    """
    if to is None:
        _check(file, game, against, pairs, time, depth, badge, json)
        return
    from starscout.ladder.client import submit as send
    from starscout.ladder.client import token_of_environment

    found = send(file, to, token_of_environment(), game, lambda text: print(f"starscout: {text}", file=sys.stderr))
    if json:
        print_json(found)
    else:
        shown = [found["status"] + (f": {found['reason']}" if found["reason"] else "")]
        shown += [found["transcript"]] if found["transcript"] else []
        standing = found["standing"]
        if standing is not None and standing["pairs"]:
            rating = f"rating {standing['elo']:+.0f} ± {standing['error']:.0f}"
            shown.append(f"rank {standing['rank']}, {rating} after {2 * standing['pairs']} games")
        elif standing is not None:
            shown.append("no games yet")
        console().print("\n".join(shown), soft_wrap=True)
    if found["status"] != "accepted":
        raise typer.Exit(1)


def _check(
    file: Path,
    game: str | None,
    against: Sequence[str],
    pairs: int,
    time: float | None,
    depth: int | None,
    badge: File | None,
    json: bool,
) -> None:
    """Check an engine on this machine."""
    from starscout.ladder.client import check_badge, check_here
    from starscout.search.limits import Limit

    if game is None:
        raise SettingError("pass {} with the address of the ladder, or {} to check the engine here", ("to", "game"))
    kill_child_processes()
    limit = Limit(time=0.2 if time is None and depth is None else time, depth=depth)
    found = check_here(file, game, list(against) or ["random"], pairs, limit)
    if badge is not None:
        Path(badge).write_text(check_badge(found), encoding="utf-8")
    if json:
        print_json(
            {
                "ok": found.ok,
                "status": found.status,
                "reason": found.reason,
                "transcript": found.transcript,
                "table": [vars(row) for row in found.table],
                "forfeits": list(found.forfeits),
            }
        )
    else:
        lines = [found.status + (f": {found.reason}" if found.reason else ""), found.transcript, *found.forfeits]
        for row in found.table:
            error = "" if row.elo_error is None else f" ± {row.elo_error:.0f}"
            lines.append(f"{row.rank}. {row.player}: {row.score:g} of {row.games}, {row.elo:+.0f}{error}")
        console().print("\n".join(filter(None, lines)), soft_wrap=True)
    if not found.ok:
        raise typer.Exit(1)
