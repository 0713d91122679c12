"""The review of a game: luck, mistakes and win probabilities at every ply, and stepping through its positions."""

import asyncio
from collections.abc import Callable
from typing import Any

from starscout import games
from starscout.api.review import exact_scores, leads, review
from starscout.drawing.svg import side_colours
from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.players.spec import default_player
from starscout.records.record import GameRecord
from starscout.web.board import move_arrows, state_json
from starscout.web.message import Message
from starscout.web.session import Action, Session

MAX_RECORD_LENGTH = 900_000
"""Maximum number of characters of an uploaded file."""


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


def _reviewed(record: GameRecord, judge: str | None = None) -> dict[str, Any]:
    """The review with what the page needs to show it; it names the plies `moves`, as it does everywhere."""
    game = games.find(record.game)
    return review(record, judge).json() | {
        "title": game.title, "sides": list(game.sides), "dice": game.has_chance, "plies": len(record.plies),
        "positions": [state.text for state in record.states()], "discs": leads(record),
        "colours": [side_colours(game, side)[0] for side in (0, 1)],
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
    played = record.movers()[:ply]
    seats = []
    for side in (0, 1):
        own = [entry for entry, mover in zip(record.plies, played, strict=False) if mover == side]
        value = own[-1].value if own else None
        wins = None if value is None else win_probability(value)
        seats.append({"wins": wins, "seconds": sum(entry.seconds for entry in own)})
    return seats


REVIEW_ACTIONS: dict[str, Action] = {"upload": _upload, "review": _review, "step": _step}
