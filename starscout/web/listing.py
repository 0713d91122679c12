"""Lists of finished games for the archive: which games of the store and of the page pass a filter."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from starscout import games
from starscout.arena.pair import PairRecord
from starscout.arena.store import Store, StoredMatch
from starscout.game import GameError
from starscout.game.state import parse
from starscout.records.json_lines import record_from_json
from starscout.records.record import GameRecord
from starscout.web.worker import Context


@dataclass(frozen=True)
class GameFilter:
    """A filter by game, part of a player's name, and a position that occurred; empty fields match all games."""

    game: str = ""
    player: str = ""
    position: str = ""

    def accepts(self, game: str, players: Sequence[str]) -> bool:
        """Whether a game with these players may be listed."""
        wanted = self.player.casefold()
        return self.game in ("", game) and any(wanted in name.casefold() for name in players)

    def passes(self, record: GameRecord) -> bool:
        """Whether a game passes through the position; an event in it need not be the same.

        Raises GameError for an invalid position of the chosen game.
        """
        if not self.position:
            return True
        try:
            wanted = parse(games.find(record.game), self.position).before_event.text
        except GameError:
            if self.game:
                raise
            # It is a position of another game.
            return False
        return any(state.before_event.text == wanted for state in record.states())


def passing_games(context: Context, wanted: GameFilter, records: Sequence[str]) -> list[bool]:
    """For each record in JSON, whether it passes through the position; raises GameError."""
    return [not context.stopped and wanted.passes(record_from_json(json.loads(text))) for text in records]


def stored_games(context: Context, path: str, wanted: GameFilter, limit: int, skipped: int) -> list[dict[str, Any]]:
    """The games of the store that a filter accepts, newest matches first, without the first `skipped` games."""
    with Store(path) as store:
        return list(islice(_accepted_games(context, store, wanted, skipped), limit))


def _accepted_games(context: Context, store: Store, wanted: GameFilter, skipped: int) -> Iterator[dict[str, Any]]:
    for match in reversed(store.matches()):
        plan = match.plan
        if not wanted.accepts(plan.game, (plan.first, plan.second)):
            continue
        for pair in store.counted_pairs(match):
            if context.stopped:
                return
            if not wanted.position and skipped >= len(pair.scores):
                skipped -= len(pair.scores)
                continue
            rows = _rows_of(pair, match, wanted)
            yield from rows[skipped:]
            skipped = max(0, skipped - len(rows))


def _rows_of(pair: PairRecord, match: StoredMatch, wanted: GameFilter) -> list[dict[str, Any]]:
    plan, rows = match.plan, []
    try:
        played = pair.games(plan.game, (plan.first, plan.second), plan.seed)
    except GameError:
        # A game file that this process has not loaded cannot be replayed.
        return []
    for half, (game, annotation) in enumerate(zip(played, pair.annotations(), strict=True)):
        record = game.record
        if not wanted.passes(record):
            continue
        losses = [] if annotation is None else [pair.in_probability(loss) for loss in annotation.loss]
        lucks = [] if annotation is None else [pair.in_probability(luck) for luck in annotation.luck]
        luck = sum(luck * (1 - 2 * side) for luck, side in zip(lucks, record.movers(), strict=False))
        rows.append({
            "key": f"match/{match.id}/{pair.pair}/{half}", "date": match.created, "game": record.game,
            "players": list(record.players), "winner": record.winner, "reason": record.reason,
            "plies": len(record.plies), "luck": luck if any(lucks) else None, "loss": max(losses, default=None),
        })  # fmt: skip
    return rows
