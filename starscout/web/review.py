"""Finished games on the page: records by key, reviews of them, and stepping through their positions.

Keys fit into a link:

table/NAME          a game that is played on this server
match/3/12/0        game 0 of pair 12 of match 3 in the store
record/DIGEST       an uploaded record; the last MAX_RECORDS are kept
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starscout import games
from starscout.api.players import player
from starscout.arena.review import Review, move_evaluator, review
from starscout.arena.store import Store
from starscout.drawing.svg import side_colours
from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.players.spec import default_player
from starscout.records.files import read_records_of, write_record
from starscout.records.record import GameRecord, RecordError
from starscout.search.limits import Limit
from starscout.web.board import move_arrows, state_json
from starscout.web.game_table import Tables
from starscout.web.message import Message
from starscout.web.score_chart import exact_scores, leads
from starscout.web.session import Action, Session

MAX_RECORDS = 500
MAX_GAMES = 200
"""Maximum number of games listed from one uploaded file."""
MAX_RECORD_LENGTH = 900_000
"""Maximum number of characters of an uploaded file."""
JUDGE_LIMIT = Limit(time=0.2)
"""Time limit per ply for the player that judges the moves."""


class RecordLibrary:
    """Finds game records by key."""

    def __init__(self, tables: Tables, open_store: Callable[[], Store]) -> None:
        self._tables, self._open_store = tables, open_store
        self._records: OrderedDict[str, GameRecord] = OrderedDict()

    def find(self, key: str) -> GameRecord:
        """The record of a key; raises GameError. Reads the store: call it in a thread."""
        match key.split("/"):
            case ["table", name]:
                return self._tables.find(name).record()
            case ["match", *numbers] if len(numbers) == 3 and all(number.isdecimal() for number in numbers):
                return self._stored(*(int(number[:12]) for number in numbers))
            case ["record", digest] if digest in self._records:
                self._records.move_to_end(digest)
                return self._records[digest]
        raise GameError(
            f"no game {key[:60]!r} on this server: it may have been uploaded to another one",
            code="unknown_record", key=key[:60],
        )  # fmt: skip

    def _stored(self, match: int, pair: int, half: int) -> GameRecord:
        with self._open_store() as store:
            plan = store.match(match).plan
            record = next(iter(store.pairs(match, pair)), None)
            if record is not None and record.pair == pair and half < len(record.scores):
                return record.games(plan.game, (plan.first, plan.second), plan.seed)[half].record
        raise GameError(
            f"match {match}: no game {half} in pair {pair}",
            code="unknown_stored_game", match=match, pair=pair, game=half,
        )  # fmt: skip

    def add_text(self, text: str) -> list[dict[str, Any]]:
        """Keep and list the games of an uploaded file; raises GameError if it contains none."""
        listed: list[dict[str, Any]] = []
        for record in read_records_of(text, "the uploaded file"):
            if len(listed) == MAX_GAMES:
                break
            if isinstance(record, RecordError):
                listed.append({"key": None, "error": str(record)})
                continue
            listed.append({"key": f"record/{self._keep(record)}", **headline(record)})
        if not listed:
            raise GameError("the uploaded file contains no game", code="empty_file")
        return listed

    def _keep(self, record: GameRecord) -> str:
        digest = hashlib.blake2b(write_record(record, "json").encode(), digest_size=9).hexdigest()
        self._records[digest] = record
        while len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)
        return digest


def headline(record: GameRecord) -> dict[str, Any]:
    """Game, players, result and length of a record."""
    return {
        "game": record.game,
        "players": list(record.players),
        "winner": record.winner,
        "reason": record.reason,
        "plies": len(record.plies),
    }


async def _upload(session: Session, message: Message) -> dict[str, Any]:
    text = message.text("text", MAX_RECORD_LENGTH)
    return {"games": await session.start_job("upload", session.server.library.add_text, text).result()}


async def _review(session: Session, message: Message) -> dict[str, Any]:
    """Answer with a review by the luck meter; send one with losses judged by a player as soon as it is ready."""
    key = message.text("key", 80)
    await session.stop_job("judge")
    record = await session.start_job("review", session.server.library.find, key).result()
    quick = await session.start_job("review", _reviewed, record).result()
    game = session.server.catalogue.known_game(record.game)
    loop = asyncio.get_running_loop()

    def judged() -> None:
        found = _reviewed(record, default_player(game)) | {"exact": exact_scores(record, lambda: job.stopped)}
        loop.call_soon_threadsafe(session.push, {"push": "review", "key": key, **found})

    job = session.start_job("judge", judged)
    return quick


def _reviewed(record: GameRecord, judge: str = "") -> dict[str, Any]:
    game = games.find(record.game)
    if judge:
        judging = player(judge, game)
        judging.new_game(game, 0)
        try:
            reviewed = review(record, evaluator=move_evaluator(judging, JUDGE_LIMIT))
        finally:
            judging.close()
    else:
        reviewed = review(record)
    texts = [state.text for state in record.states()]
    plies = [
        {
            "side": ply.side, "roll": ply.roll, "move": ply.move, "best": ply.best, "chance": ply.chance,
            "luck": ply.luck, "loss": ply.loss, "reported": ply.reported, "seconds": ply.seconds,
            "lucky": ply.luck_name, "mistake": ply.mistake,
        }
        for ply in reviewed.plies
    ]  # fmt: skip
    return {
        **headline(record), "judge": judge, "title": game.title, "sides": list(game.sides), "dice": game.has_dice,
        "moves": plies, "positions": texts, "end": reviewed.end, "meter": reviewed.meter, "detail": record.detail,
        "sides_review": [_side_json(reviewed, side) for side in (0, 1)],
        "colours": [side_colours(game, side)[0] for side in (0, 1)], "discs": leads(record),
    }  # fmt: skip


def _side_json(reviewed: Review, side: int) -> dict[str, Any]:
    found = reviewed.side(side)
    return {
        "luck": found.luck, "loss": found.loss, "moves": found.moves, "loss_per_move": found.loss_per_move,
        "mistakes": found.mistakes,
    }  # fmt: skip


async def _step(session: Session, message: Message) -> dict[str, Any]:
    key, ply = message.text("key", 80), message.whole("ply", 0, 100_000)
    best, turned = message.optional_text("best", 40), message.flag("turned")
    return await session.server.pool.run(_position_at, session.server.library.find, key, ply, best, turned)


def _position_at(find: Callable[[str], GameRecord], key: str, ply: int, best: str | None, turned: bool) -> Any:
    """A position of a game, with arrows for the move that was played and the best move."""
    record = find(key)
    if ply > len(record.plies):
        raise GameError(
            f"ply: expected at most {len(record.plies)}, the length of the game, got {ply}",
            code="ply_out_of_range", count=len(record.plies), ply=ply,
        )  # fmt: skip
    state = next(state for number, state in enumerate(record.states()) if number == ply)
    arrows = move_arrows(state, record.plies[ply].text, best) if ply < len(record.plies) else []
    shown = state_json(state, turned=turned, arrows=arrows)
    return {"shown": shown, "plies": len(record.plies), "players": list(record.players), "seats": _seats(record, ply)}


def _seats(record: GameRecord, ply: int) -> list[dict[str, Any]]:
    """For each side, the last reported win probability and the time used before a ply."""
    first = next(record.states()).mover
    played = [(first + number) % 2 for number in range(ply)]
    seats = []
    for side in (0, 1):
        own = [entry for entry, mover in zip(record.plies, played, strict=False) if mover == side]
        value = own[-1].value if own else None
        wins = None if value is None else win_probability(value)
        seats.append({"wins": wins, "seconds": sum(entry.seconds for entry in own)})
    return seats


REVIEW_ACTIONS: dict[str, Action] = {"upload": _upload, "review": _review, "step": _step}
