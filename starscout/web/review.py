"""The review of a game: luck, mistakes and win probabilities at every ply, and stepping through its positions.

A review is computed once for all visitors, and kept in the archive.
"""

from typing import Any

from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.records.files import write_record
from starscout.records.record import GameRecord
from starscout.web.archive import record_digest
from starscout.web.board import move_arrows, state_json
from starscout.web.message import Message
from starscout.web.session import Action, Session
from starscout.web.tasks import GameFilter, game_row
from starscout.web.worker import StoppedError

MAX_LISTED, MAX_EXPORTED = 500, 100
MAX_RECORD_LENGTH = 900_000
"""Maximum number of characters of an uploaded file."""


async def _upload(session: Session, message: Message) -> dict[str, Any]:
    text = message.text("text", MAX_RECORD_LENGTH)
    records = await session.start_job("upload", "read", text, lane="review").result()
    return {"games": session.server.library.add(records)}


async def _review(session: Session, message: Message) -> dict[str, Any]:
    """Answer with a review by the luck meter; send one with losses judged by a player as soon as it is ready."""
    key, archive = message.text("key", 80), session.server.archive
    await session.stop_job("judge")
    record = await session.server.library.find(key, session.client)
    judged = archive.review("judge", record)
    if judged is not None:
        return judged
    quick = archive.review("review", record)
    if quick is None:
        quick = await session.start_job("review", "review", record, lane="review").result()
        archive.save_review("review", record, quick)
    session.server.spawn(_judge(session, key, record))
    return quick


async def _judge(session: Session, key: str, record: GameRecord) -> None:
    """Push the judged review to the page; pages that ask for the same one share the search."""
    server = session.server
    shared = server.judgements.get(digest := record_digest(record))
    if shared is None or shared.done:
        shared = server.judgements[digest] = session.start_job("judge", "judge", record, lane="judge")
    try:
        found = await shared.result()
    except StoppedError:
        return
    finally:
        if server.judgements.get(digest) is shared:
            server.judgements.pop(digest, None)
    server.archive.save_review("judge", record, found)
    session.push({"push": "review", "key": key, **found})


async def _step(session: Session, message: Message) -> dict[str, Any]:
    """A position of a game, with arrows for the move that was played and the best move."""
    key, ply = message.text("key", 80), message.whole("ply", 0, 100_000)
    best, turned = message.optional_text("best", 40), message.flag("turned")
    record = await session.server.library.find(key, session.client)
    if ply > len(record.plies):
        raise GameError(
            f"ply: expected at most {len(record.plies)}, the length of the game, got {ply}",
            code="ply_out_of_range", count=len(record.plies), ply=ply,
        )  # fmt: skip
    state = next(state for number, state in enumerate(record.states()) if number == ply)
    arrows = move_arrows(state, record.plies[ply].text, best) if ply < len(record.plies) else []
    shown = state_json(state, turned=turned, arrows=arrows)
    return {"shown": shown, "plies": len(record.plies), "players": list(record.players), "seats": _seats(record, ply)}


async def _explain(session: Session, message: Message) -> dict[str, Any]:
    """Why a move was a mistake: the better line, and the reply to the move, with the result of each event."""
    key, ply = message.text("key", 80), message.whole("ply", 0, 100_000)
    record = await session.server.library.find(key, session.client)
    state = next((state for number, state in enumerate(record.states()) if number == ply), None)
    if state is None or ply >= len(record.plies):
        raise GameError(
            f"ply: expected at most {len(record.plies)}, the length of the game, got {ply}",
            code="ply_out_of_range", count=len(record.plies), ply=ply,
        )  # fmt: skip
    arguments = record.game, state.text, record.plies[ply].text
    await session.stop_job("explain")
    return await session.start_job("explain", "explain", *arguments, lane="analysis").result()


def _seats(record: GameRecord, ply: int) -> list[dict[str, Any]]:
    """For each side, the last reported win probability and the time used before a ply."""
    played = record.movers()[:ply]
    seats = []
    for side in (0, 1):
        own = [entry for entry, mover in zip(record.plies, played, strict=False) if mover == side]
        value = own[-1].value if own else None
        wins = None if value is None else win_probability(value)
        seats.append({"wins": wins, "seconds": sum(entry.seconds for entry in own)})
    return seats


async def _games(session: Session, message: Message) -> dict[str, Any]:
    """The finished games of the page and of the store."""
    texts = {name: message.optional_text(name) or "" for name in ("game", "player", "position")}
    wanted = GameFilter(**texts)
    rows: list[dict[str, Any]] = []
    for entry in session.server.archive.games(MAX_LISTED):
        if not wanted.accepts(entry["game"], (entry["first"], entry["second"])):
            continue
        record = session.server.archive.game(entry["name"])
        if record is not None and wanted.passes(record):
            mine = entry["owner"] == session.client.id
            rows.append(game_row(f"game/{entry['name']}", entry["saved"], record) | {"mine": mine})
    left = MAX_LISTED - len(rows)
    await session.stop_job("games")
    stored = await session.start_job("games", "games", wanted, left, lane="store").result() if left else []
    return {"games": [*rows, *stored], "most": MAX_LISTED}


async def _export(session: Session, message: Message) -> dict[str, Any]:
    """Games as JSON lines."""
    keys = message.texts("keys", MAX_EXPORTED)
    records = [await session.server.library.find(key, session.client) for key in keys]
    return {"text": "".join(write_record(record, "json") for record in records)}


REVIEW_ACTIONS: dict[str, Action] = {
    "upload": _upload,
    "review": _review,
    "step": _step,
    "explain": _explain,
    "games": _games,
    "export": _export,
}
