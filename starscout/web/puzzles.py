"""The Puzzles tab: find the best move where a player of a stored game made a large mistake."""

import datetime
from typing import Any

from starscout.api.games import parse
from starscout.game import GameError
from starscout.web.board import state_json
from starscout.web.message import Message
from starscout.web.session import Action, Session
from starscout.web.worker import StoppedError

GRADES = 5
MAX_REVIEWED = 100
"""Maximum number of reviewed games of the page to take puzzles from."""


def wanted_grade(day: datetime.date) -> int:
    """The grade of the puzzle of a day: easy on Monday, hard at the weekend."""
    return min(GRADES, 1 + day.weekday() * GRADES // 7)


async def _puzzles(session: Session, message: Message) -> dict[str, Any]:
    """The puzzles without their solutions, with the puzzle of the day; a search for new ones begins."""
    archive, today = session.server.archive, datetime.date.today()
    if "puzzles" not in session.server.searching:
        session.server.searching.add("puzzles")
        session.server.spawn(_search(session))
    daily = archive.daily_puzzle(today.isoformat(), wanted_grade(today))
    rows = [
        {"key": key, "game": data["game"], "grade": data["grade"], "players": data["players"]}
        for key, data in archive.puzzles()
    ]
    return {"puzzles": rows, "daily": daily, "searching": "puzzles" in session.server.searching}


async def _search(session: Session) -> None:
    """Search for puzzles: one search at a time for all visitors."""
    server = session.server
    try:
        await server.pool.start(
            "puzzles", server.archive.tried_puzzles(), _reviewed_games(session), lane="judge",
            progress=lambda found: server.archive.save_puzzle(found["key"], found["puzzle"]),
        ).result()  # fmt: skip
    except StoppedError:
        return
    finally:
        server.searching.discard("puzzles")
        for other in server.sessions:
            other.push({"push": "puzzles"})


def _reviewed_games(session: Session) -> list[tuple[str, Any, list[float]]]:
    """The latest reviewed games of the page, with the loss of each move."""
    archive, found = session.server.archive, []
    for entry in archive.games(MAX_REVIEWED):
        record = archive.game(entry["name"])
        review = None if record is None else archive.review("judge", record)
        if review is not None:
            found.append((f"game/{entry['name']}", record, [move["loss"] for move in review["moves"]]))
    return found


async def _puzzle(session: Session, message: Message) -> dict[str, Any]:
    """The position of a puzzle."""
    key, data = _found(session, message)
    state = parse(session.server.catalogue.known_game(data["game"]), data["position"])
    return {"shown": state_json(state, turned=message.flag("turned")), "grade": data["grade"], "key": key}


async def _answer(session: Session, message: Message) -> dict[str, Any]:
    """Whether a move solves a puzzle; with `give_up`, only the solution."""
    key, data = _found(session, message)
    values, best = data["values"], data["best"]
    move = best if message.flag("give_up") else message.text("move", 40)
    if move not in values:
        raise GameError(f"{move} is not a move of this puzzle", code="unknown_puzzle_move", move=move)
    return {
        "key": key, "right": move == best, "loss": values[best] - values[move], "best": best, "line": data["line"],
        "played": data["played"], "played_loss": data["loss"], "players": data["players"],
        "source": f"{data['source']}@{data['ply']}", "wins": values[best],
    }  # fmt: skip


def _found(session: Session, message: Message) -> tuple[str, dict[str, Any]]:
    key = message.text("key", 80)
    data = session.server.archive.puzzle(key)
    if data is None:
        raise GameError(f"no puzzle {key!r}", code="unknown_puzzle", key=key)
    return key, data


PUZZLE_ACTIONS: dict[str, Action] = {"puzzles": _puzzles, "puzzle": _puzzle, "answer": _answer}
