"""What `game` and `judge` share: limits, a line a round, the sum, the file of records."""

import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from starscout.game import Game
    from starscout.referee.rounds import Round, Standing
    from starscout.search.limits import Limit


Time = Annotated[float | None, typer.Option("--time", min=0.001, help="Seconds a move (default: the course's).")]
GameTime = Annotated[float | None, typer.Option("--game-time", min=0.01, help="Seconds a side for the whole game.")]
Increment = Annotated[float, typer.Option("--increment", min=0.0, help="Seconds that come back after each move.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Numbers the boards and the dice.")]
Records = Annotated[
    Path | None, typer.Option("--records", help="Append the games to this file, one JSON object a line.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object for programs.")]


def chosen_limit(time: float | None, game_time: float | None, increment: float, usual: "Limit") -> "Limit":
    """The limit of each side: what the person says, else the usual one."""
    from starscout.search.limits import Limit

    return usual if time is None and game_time is None else Limit(time=time, clock=game_time, increment=increment)


def leave_nobody_behind() -> None:
    """Make a termination of this process end its engines too, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def follow(
    game: "Game", names: tuple[str, str], rounds: Iterable["Round"], records: Path | None
) -> tuple["Standing", list["Round"]]:
    """Play the rounds, say each result on standard error and write the records; returns the sum and the rounds."""
    from starscout.records.json_lines import write_json_line
    from starscout.referee.rounds import Standing

    standing, finished = Standing(), []
    for played in rounds:
        finished.append(played)
        standing.add(played)
        print(round_text(game, names, played), file=sys.stderr, flush=True)
        if records is not None:
            with records.open("a", encoding="utf-8") as file:
                file.write(write_json_line(played.record))
    return standing, finished


def round_text(game: "Game", names: tuple[str, str], played: "Round") -> str:
    """`round 3: B wins as red: corner, 23 plies`."""
    record = played.record
    if record.winner is None:
        result = f"draw: {record.reason}"
    else:
        winner = names[0] if played.score == 1 else names[1]
        result = f"{winner} wins as {game.sides[record.winner]}: {record.reason}"
    detail = f" ({record.detail})" if record.detail else ""
    return f"round {played.number + 1}: {result}, {len(record.plies)} plies{detail}"


def summary(standing: "Standing", rounds: list["Round"]) -> dict[str, Any]:
    """The fields of `starscout match --json`, with every game as a unit of its own."""
    from starscout.arena.tally import Tally

    tally = Tally()
    for played in rounds:
        tally.pairs[played.score] += 1
        tally.results[played.score] += 1
        tally.plies += len(played.record.plies)
    tally.forfeits = {"A": standing.forfeits[0], "B": standing.forfeits[1]}
    seconds = sum(ply.seconds for played in rounds for ply in played.record.plies)
    return {**tally.summary(), "pairs": len(rounds) // 2, "seconds": seconds}
