"""Stored games for other programs: CSV and Parquet with a row a game, JSON with everything."""

import csv
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starscout.arena.record import game_records, unpack
from starscout.arena.report import counted_pairs
from starscout.arena.store import Store, StoredMatch
from starscout.game import GameError

COLUMNS: tuple[str, ...] = (
    "match", "game", "a", "b", "seed", "pair", "half", "a_side", "a_score", "winner", "reason", "plies", "a_luck",
    "seconds", "start", "rolls", "moves",
)  # fmt: skip


def export(store: Store, matches: list[StoredMatch], path: str) -> int:
    """Write the games of these matches to a file whose ending says how (.csv, .json, .parquet); returns how many."""
    writers = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
    ending = Path(path).suffix
    if ending not in writers:
        raise GameError(f"{path!r} ends in none of {', '.join(writers)}: the ending says how games are written")
    return writers[ending](store, matches, path)


def rows(store: Store, matches: list[StoredMatch]) -> Iterator[dict[str, Any]]:
    """A dictionary a game, in the order of matches and pairs."""
    for match in matches:
        plan = match.plan
        for record in counted_pairs(store, match):
            content, times = unpack(record)
            for half, game in enumerate(content):
                yield {
                    "match": match.id,
                    "game": plan.game,
                    "a": plan.first,
                    "b": plan.second,
                    "seed": plan.seed,
                    "pair": record.pair,
                    "half": half,
                    "a_side": game["side"],
                    "a_score": record.scores[half],
                    "winner": game["winner"],
                    "reason": game["reason"],
                    "plies": record.plies[half],
                    "a_luck": None if record.luck is None else record.luck[half],
                    "seconds": sum(times[half]),
                    "start": game["start"],
                    "rolls": game["rolls"],
                    "moves": game["moves"],
                }


def _write_csv(store: Store, matches: list[StoredMatch], path: str) -> int:
    count = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in rows(store, matches):
            writer.writerow(row)
            count += 1
    return count


def _write_json(store: Store, matches: list[StoredMatch], path: str) -> int:
    """Each game as the referee's record, with its luck and its losses beside it."""
    games = []
    for match in matches:
        plan = match.plan
        for record in counted_pairs(store, match):
            content, _ = unpack(record)
            for half, game in enumerate(game_records(record, plan.game, (plan.first, plan.second), plan.seed)):
                extra = {name: content[half][name] for name in ("luck", "loss") if name in content[half]}
                games.append({**game.to_json(), "match": match.id, **extra})
    Path(path).write_text(json.dumps({"games": games}, ensure_ascii=False), encoding="utf-8")
    return len(games)


def _write_parquet(store: Store, matches: list[StoredMatch], path: str) -> int:
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise GameError("Parquet needs pyarrow: pip install 'starscout[parquet]', or export to .csv") from error
    table = pyarrow.Table.from_pylist(list(rows(store, matches)))
    parquet.write_table(table, path)
    return table.num_rows
