"""The review of a game: luck, mistakes and win probabilities at every ply, and stepping through its positions.

A review is computed once for all visitors, and kept in the archive.
"""

import json
from collections.abc import Sequence
from typing import Any

from starscout.drawing.summary_card import CardSide, CardTexts, summary_card
from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.records.files import write_record
from starscout.records.record import GameRecord
from starscout.web.archive import record_digest
from starscout.web.board import move_arrows, state_json
from starscout.web.listing import GameFilter
from starscout.web.message import Message
from starscout.web.searches import Client
from starscout.web.session import Action, Session
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
    # The players of an uploaded game are unknown: it counts as the visitor's own.
    kind, _, name = key.partition("/")
    saved = archive.table(name) if kind in ("game", "table") else {"seats": [session.client.id] * 2}
    yours = [] if saved is None else _own_sides(saved["seats"], session.client)
    judged = archive.review("judge", record)
    if judged is not None:
        return judged | {"yours": yours}
    quick = await _quick_review(session, record)
    session.server.spawn(_judge(session, key, record))
    return quick | {"yours": yours}


async def _quick_review(session: Session, record: GameRecord) -> dict[str, Any]:
    archive = session.server.archive
    quick = archive.review("review", record)
    if quick is None:
        quick = await session.start_job("review", "review", record, lane="review").result()
        archive.save_review("review", record, quick)
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
    kind, _, name = key.partition("/")
    if kind in ("game", "table"):
        server.archive.summarise(name, found)
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
    seats = seats_json(record, ply)
    return {"shown": shown, "plies": len(record.plies), "players": list(record.players), "seats": seats}


async def _explain(session: Session, message: Message) -> dict[str, Any]:
    """Explain a mistake: the better line, and the reply to the move, with the result of each event."""
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


def seats_json(record: GameRecord, ply: int) -> list[dict[str, Any]]:
    """For each side, the last reported win probability and the time used before a ply."""
    played = record.movers()[:ply]
    seats = []
    for side in (0, 1):
        own = [entry for entry, mover in zip(record.plies, played, strict=False) if mover == side]
        value = own[-1].value if own else None
        wins = None if value is None else win_probability(value)
        seats.append({"wins": wins, "seconds": sum(entry.seconds for entry in own)})
    return seats


async def _card(session: Session, message: Message) -> dict[str, Any]:
    """The summary of a review as an SVG picture, with the texts of the page."""
    record = await session.server.library.find(message.text("key", 80), session.client)
    names = message.text("first"), message.text("second")
    texts = CardTexts(**{name: message.text(name) for name in CardTexts._fields})
    found = session.server.archive.review("judge", record) or await _quick_review(session, record)
    first, second = (
        CardSide(name, colour, total["luck"] if found["dice"] else None, total["loss"])
        for name, colour, total in zip(names, found["colours"], found["totals"], strict=True)
    )
    return {"svg": summary_card(texts, (first, second), [*(move["chance"] for move in found["moves"]), found["end"]])}


async def _games(session: Session, message: Message) -> dict[str, Any]:
    """A part of the list of finished games of the page and of the store, newest first.

    `page` and `store` are the numbers of games of each that the page already has; the answer contains the next ones.
    """
    texts = {name: message.optional_text(name) or "" for name in ("game", "player", "position")}
    wanted = GameFilter(**texts)
    seen = {name: 0 if message.fields.get(name) is None else message.whole(name) for name in ("page", "store")}
    await session.stop_job("games")
    own = await _page_games(session, wanted, seen["page"])
    stored = await session.start_job("games", "games", wanted, MAX_LISTED, seen["store"], lane="list").result()
    rows = sorted([*own, *stored], key=lambda row: -row["date"])[:MAX_LISTED]
    page = sum(row["key"].startswith("game/") for row in rows)
    more = len(own) + len(stored) > len(rows) or MAX_LISTED in (len(own), len(stored))
    return {"games": rows, "page": seen["page"] + page, "store": seen["store"] + len(rows) - page, "more": more}


async def _page_games(session: Session, wanted: GameFilter, skipped: int) -> list[dict[str, Any]]:
    """The finished games of the page that a filter accepts, after the first `skipped` ones."""
    archive = session.server.archive
    if not wanted.position:
        entries = archive.games(MAX_LISTED, skipped, wanted.game, wanted.player)
        return [_page_row(entry, session.client) for entry in entries]
    found: list[dict[str, Any]] = []
    read = 0
    while len(found) < skipped + MAX_LISTED:
        entries = archive.games(MAX_LISTED, read, wanted.game, wanted.player)
        if not entries:
            break
        read += len(entries)
        texts = archive.record_texts([entry["name"] for entry in entries])
        passing = await session.start_job("games", "passing", wanted, texts, lane="list").result()
        found += [_page_row(entry, session.client) for entry, passes in zip(entries, passing, strict=True) if passes]
    return found[skipped : skipped + MAX_LISTED]


def _page_row(entry: dict[str, Any], client: Client) -> dict[str, Any]:
    """A finished game of the page in a list."""
    shown = {name: entry[name] for name in ("game", "winner", "reason", "plies", "luck", "loss")}
    return shown | {
        "key": f"game/{entry['name']}", "date": entry["saved"], "players": [entry["first"], entry["second"]],
        "yours": _own_sides(json.loads(entry["seats"] or "[]"), client),
    }  # fmt: skip


def _own_sides(seats: Sequence[str | None], client: Client) -> list[int]:
    """The sides that a browser played."""
    return [side for side, browser in enumerate(seats) if browser == client.id]


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
    "card": _card,
    "games": _games,
    "export": _export,
}
