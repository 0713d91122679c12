"""The Play tab: start a game, move by a click on the board, take back, get a hint, save."""

from typing import Any

from starscout.api.analyse import analyse
from starscout.game import GameError
from starscout.records.files import write_record
from starscout.search.limits import Limit
from starscout.settings.schema import GameTime, Increment
from starscout.web.board import line_arrows, state_json
from starscout.web.catalogue import read_level
from starscout.web.games import Setup, Table
from starscout.web.message import Message
from starscout.web.session import Action, Session

MAX_CLOCK = 24 * 3600.0
HINT_SECONDS = 1.0


async def _catalogue(session: Session, message: Message) -> dict[str, Any]:
    return {"games": session.server.catalogue.to_json()}


async def _new(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    named = message.optional_text("opponent")
    opponent = None if named is None else catalogue.player(game, named)
    clock = message.setting("clock", GameTime | None, MAX_CLOCK, 1.0)
    increment = message.setting("increment", Increment | None, 600.0) or 0.0
    limit = Limit() if clock is None else Limit(clock=clock, increment=increment)
    first = None if message.fields.get("first") is None else message.whole("first", 0, 1)
    setup = Setup(game, opponent, message.whole("side", 0, 1), read_level(message), (limit, limit), first)
    table = await session.server.tables.open(setup)
    if not message.flag("place"):
        session.server.spawn(table.begin())
    return {"table": table.name}


async def _join(session: Session, message: Message) -> dict[str, Any]:
    table = _table(session, message)
    if table.name not in session.tables:
        table.enter()
    session.tables[table.name] = message.flag("turned")
    return {"shown": table.to_json(message.flag("turned"))}


async def _leave(session: Session, message: Message) -> dict[str, Any]:
    table = _table(session, message)
    if session.tables.pop(table.name, None) is not None:
        table.leave()
    return {}


async def _place(session: Session, message: Message) -> dict[str, Any]:
    _table(session, message).exchange(message.whole("first", 0, 10_000), message.whole("second", 0, 10_000))
    return {}


async def _begin(session: Session, message: Message) -> dict[str, Any]:
    await _table(session, message).begin()
    return {}


async def _move(session: Session, message: Message) -> dict[str, Any]:
    _table(session, message).play(message.whole("ply", 0, 100_000), message.text("move", 40))
    return {}


async def _back(session: Session, message: Message) -> dict[str, Any]:
    await _table(session, message).take_back()
    return {}


async def _resign(session: Session, message: Message) -> dict[str, Any]:
    await _table(session, message).resign()
    return {}


async def _hurry(session: Session, message: Message) -> dict[str, Any]:
    await _table(session, message).hurry()
    return {}


async def _hint(session: Session, message: Message) -> dict[str, Any]:
    """The move of the game's default player."""
    state = _table(session, message).state()
    if state.over:
        raise GameError("the game is over: there is no hint", code="game_over_hint")
    analysis = await session.start_job("hint", lambda: analyse(state, time=HINT_SECONDS)).result()
    arrows = line_arrows(state, [analysis.best])
    return {
        "move": analysis.best,
        "wins": analysis.win_probability,
        "svg": state_json(state, turned=message.flag("turned"), arrows=arrows)["svg"],
        "ply": state.ply,
    }


async def _save(session: Session, message: Message) -> dict[str, Any]:
    return {"record": write_record(_table(session, message).record(), "json")}


def _table(session: Session, message: Message) -> Table:
    return session.server.tables.find(message.text("table", 40))


PLAY_ACTIONS: dict[str, Action] = {
    "catalogue": _catalogue,
    "new": _new,
    "join": _join,
    "leave": _leave,
    "place": _place,
    "begin": _begin,
    "move": _move,
    "back": _back,
    "resign": _resign,
    "hurry": _hurry,
    "hint": _hint,
    "save": _save,
}
