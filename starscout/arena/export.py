"""Export of stored games: CSV and Parquet with one row per game, JSON with full records.

Export of tournament tables, with grades.
"""

import csv
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.game import GameError
from starscout.players.names import player_names, with_names
from starscout.records.json_lines import record_to_json
from starscout.records.packed import SeatedGame
from starscout.settings.options import read_decimal

COLUMNS: tuple[str, ...] = (
    "match", "game", "a", "b", "seed", "pair", "half", "a_side", "a_score", "a_points", "winner", "reason", "plies",
    "a_luck", "seconds", "a_seconds", "a_left", "a_depth", "a_nodes", "a_simulations", "b_seconds", "b_left", "b_depth",
    "b_nodes", "b_simulations", "start", "rolls", "moves",
)  # fmt: skip


PlayedMatch = tuple[int, MatchPlan, Sequence[PairRecord]]
"""Number, plan and pairs of a match."""


def export_games(matches: Sequence[PlayedMatch], path: str) -> int:
    """Write games to a .csv, .json or .parquet file; return the number of games."""
    writers = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
    ending = Path(path).suffix
    if ending not in writers:
        raise GameError(f"{path}: expected a file name ending in {', '.join(writers)}")
    return writers[ending](matches, path)


def game_rows(matches: Sequence[PlayedMatch]) -> Iterator[dict[str, Any]]:
    """Yield one dictionary per game, in order of matches and pairs."""
    for match, plan, luck, game in _games(matches):
        record = game.record
        yield {
            "match": match,
            "game": plan.game,
            "a": plan.first,
            "b": plan.second,
            "seed": record.seed,
            "pair": record.pair,
            "half": record.half,
            "a_side": game.side,
            "a_score": game.score,
            "a_points": game.points,
            "winner": record.winner,
            "reason": record.reason,
            "plies": len(record.plies),
            "a_luck": luck,
            "seconds": sum(ply.seconds for ply in record.plies),
            **_used(game, "A"),
            **_used(game, "B"),
            "start": record.start,
            "rolls": " ".join(text for text in record.event_texts() if text),
            "moves": " ".join(ply.text for ply in record.plies),
        }


def forfeit_lines(
    match: int, plan: MatchPlan, pairs: Sequence[PairRecord], known: Mapping[str, str] | None = None
) -> list[str]:
    """Describe every forfeit of a match: game, player and reason; `known` as in `player_names`."""
    specs = plan.first, plan.second
    names = player_names(specs, known)
    return [
        f"match {match}, pair {pair.pair}, game {half}: {names['AB'.index(loser)]}: {pair.reasons[half]}: "
        f"{with_names(detail, specs, names)}"
        for pair in pairs
        for half, detail in enumerate(pair.details())
        for loser in pair.forfeiters(half)
    ]


Scale = tuple[tuple[float, str], ...]
"""Minimum percentage and name of each grade, best first."""


def read_scale(text: str) -> Scale:
    """Parse a scale of grades such as `A=75,B=60,F=0`; raises GameError.

    >>> read_scale("B=60, A=75")
    ((75.0, 'A'), (60.0, 'B'))
    """
    scale: list[tuple[float, str]] = []
    for entry in text.replace(",", " ").split():
        name, _, least = entry.rpartition("=")
        percent = read_decimal(least)
        if not name or percent is None or not 0 <= percent <= 100:
            raise GameError(f"grades: expected GRADE=PERCENT such as A=75,B=60,F=0, got {entry[:60]!r}")
        scale.append((percent, name))
    if not scale or len(dict(scale)) < len(scale):
        raise GameError(f"grades: expected grades with different percentages, got {text[:60]!r}")
    return tuple(sorted(scale, reverse=True))


def grade_of(percent: float, scale: Scale) -> str:
    """Return the best grade whose minimum is reached; empty if there is none."""
    # Keep all digits of percentages: rounding could change a grade.
    return next((name for least, name in scale if percent >= least - 1e-9), "")


def write_table_csv(rows: Sequence[dict[str, Any]], path: str) -> None:
    """Write rows as CSV for a spreadsheet program, which must not interpret a name as a formula."""
    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: not_a_formula(value) for name, value in row.items()})


def not_a_formula(value: Any) -> Any:
    """Return a value that a spreadsheet program does not interpret as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _used(game: SeatedGame, player: str) -> dict[str, float | int | None]:
    """Return time, clock, mean depth, nodes and simulations of a player; None if not reported."""
    plies, name = game.plies_of(player), player.lower()
    depths = [ply.depth for ply in plies if ply.depth is not None]
    return {
        f"{name}_seconds": sum(ply.seconds for ply in plies),
        f"{name}_left": game.record.left[game.side_of(player)],
        f"{name}_depth": sum(depths) / len(depths) if depths else None,
        f"{name}_nodes": sum(ply.nodes or 0 for ply in plies) or None,
        f"{name}_simulations": sum(ply.simulations or 0 for ply in plies) or None,
    }


def _games(matches: Sequence[PlayedMatch]) -> Iterator[tuple[int, MatchPlan, float | None, SeatedGame]]:
    """Yield every game with its match and A's net luck."""
    for match, plan, pairs in matches:
        for pair in pairs:
            for half, game in enumerate(pair.games(plan.game, (plan.first, plan.second), plan.seed)):
                yield match, plan, None if pair.luck is None else pair.luck[half], game


def _write_csv(matches: Sequence[PlayedMatch], path: str) -> int:
    count = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in game_rows(matches):
            writer.writerow(row)
            count += 1
    return count


def _write_json(matches: Sequence[PlayedMatch], path: str) -> int:
    """Write each game as its full record with luck and losses."""
    games = []
    for match, _, _, game in _games(matches):
        extra = {} if game.annotation is None else game.annotation._asdict()
        games.append({**record_to_json(game.record), "match": match, **extra})
    Path(path).write_text(json.dumps({"games": games}), encoding="utf-8")
    return len(games)


def _write_parquet(matches: Sequence[PlayedMatch], path: str) -> int:
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise GameError("Parquet export needs pyarrow: pip install 'starscout[data]', or export to .csv") from error
    table = pyarrow.Table.from_pylist(list(game_rows(matches)))
    parquet.write_table(table, path)
    return table.num_rows
