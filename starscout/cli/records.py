"""Commands for game records: replay, export, review."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from starscout.cli.output import check_plot, console, print_result, save_plot, standard_output
from starscout.errors import GameError
from starscout.settings.schema import (
    File,
    GameFiles,
    Json,
    Luck,
    Plot,
    SearchLimits,
    Setting,
    SettingError,
    StoreFile,
)

if TYPE_CHECKING:
    from starscout.records.record import GameRecord


def replay(
    files: Annotated[list[Path], Setting("Files of game records.")],
    *,
    game: GameFiles | None = None,
    json: Json = False,
) -> None:
    """Replay recorded games and check every move.

    Exit code 1 if a game is illegal.
    """
    import starscout

    result = starscout.replay(*files, game=game or ())
    if not json:
        for fault in result.illegal:
            print(f"{fault.file}:{fault.line}: {fault.why}", file=sys.stderr)
    print_result(result, json)
    if result.illegal:
        raise typer.Exit(1)


def export(
    file: Annotated[File, Setting("A file of game records in any known format.")],
    *,
    form: Annotated[
        str, Setting("json, text, ggf or moves (Othello), server (ewn), mat (backgammon).", flags=("--format",))
    ] = "json",
    game: GameFiles | None = None,
    output: Annotated[File | None, Setting("Write to this file instead of standard output.", metavar="FILE")] = None,
) -> None:
    """Convert game records to another format.

    Every game is checked.
    """
    import starscout

    text = starscout.export(file, form, game=game or (), output=output)
    if output is None:
        standard_output().write(text)


def review(
    source: Annotated[str, Setting("A file of game records, or the number of a stored match.", metavar="FILE|MATCH")],
    *,
    game: Annotated[int, Setting("Number of the game in the file or match.", 1, metavar="N")] = 1,
    judge: Annotated[str | None, Setting("Player that judges the moves (default: the luck meter).")] = None,
    boards: Annotated[bool, Setting("Draw the board after every ply.")] = False,
    luck: Luck = "",
    plot: Annotated[Plot | None, Setting("Plot the win probability: .svg, .png or .pdf.")] = None,
    rules: Annotated[GameFiles | None, Setting(flags=("--rules",))] = None,
    store: StoreFile | None = None,
    json: Json = False,
    **limits: Unpack[SearchLimits],
) -> None:
    """Review a recorded game.

    Prints the win probability at every ply, the luck of every roll, the loss of every move, and for each side its luck
    and its error rate, the mean loss per decision. Mistakes are marked ?! (doubtful), ? (bad) and ?? (very bad).
    """
    import starscout

    if source.isdecimal() and not Path(source).exists():
        records = starscout.results(int(source), store=store).matches[0].records
        where = f"match {source}"
    else:
        replayed = starscout.replay(source, game=rules or ())
        for fault in replayed.illegal:
            print(f"{fault.file}:{fault.line}: {fault.why}", file=sys.stderr)
        records, where = replayed.records, source
    print_review(records, game, where, boards=boards, plot=plot, json=json, judge=judge, luck=luck, **limits)


def print_review(
    records: "tuple[GameRecord, ...]",
    number: int,
    where: str,
    *,
    boards: bool = False,
    plot: File | None = None,
    json: bool = False,
    judge: str | None = None,
    luck: str = "",
    **limits: Unpack[SearchLimits],
) -> None:
    """Print the review of game `number`, counted from 1; raises GameError."""
    import starscout

    check_plot(plot)
    if not records:
        raise GameError(f"{where} has no games")
    if not 1 <= number <= len(records):
        raise SettingError("{}", ("game",), f": expected 1 to {len(records)}, the games of {where}, got {number}")
    reviewed = starscout.review(records[number - 1], judge, luck=luck, **limits)
    save_plot(reviewed, plot)
    if not json and len(records) > 1:
        console(stderr=True).print(f"game {number} of {len(records)}")
    if boards and not json:
        console().print(reviewed.boards())
    else:
        print_result(reviewed, json)
