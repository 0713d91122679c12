"""The Play tab: start a game, move by a click on the board, take back, get a hint, save."""

from dataclasses import replace
from typing import Any

from starscout.game import GameError
from starscout.records.files import write_record
from starscout.search.limits import Limit
from starscout.settings.schema import GameTime, Increment
from starscout.web.board import line_arrows, state_json
from starscout.web.catalogue import LEVEL_NAME, LEVELS, level_limit, read_level
from starscout.web.games import Table
from starscout.web.message import Message
from starscout.web.session import Action, Session
from starscout.web.setup import Setup

MAX_CLOCK = 24 * 3600.0


async def _catalogue(session: Session, message: Message) -> dict[str, Any]:
    return {"games": session.server.catalogue.to_json(), "engines": session.server.warming.to_json()}


async def _new(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    named = message.optional_text("opponent")
    number = None if message.fields.get("level") is None else message.whole("level", 1, len(LEVELS))
    if number is not None:
        named = LEVEL_NAME.format(number)
    opponent = None if named is None else catalogue.player(game, named)
    level = read_level(message) if number is None else level_limit(number)
    clock = message.setting("clock", GameTime | None, MAX_CLOCK, 1.0)
    increment = message.setting("increment", Increment | None, 600.0) or 0.0
    limit = Limit() if clock is None else Limit(clock=clock, increment=increment)
    first = None if message.fields.get("first") is None else message.whole("first", 0, 1)
    side, invite = message.whole("side", 0, 1), named is None and message.flag("invite")
    setup = Setup(game, opponent, side, level, (limit, limit), first, invite)
    table = await session.server.tables.open(setup, session.client)
    if not message.flag("place"):
        table.begin()
    return {"table": table.name}


async def _join(session: Session, message: Message) -> dict[str, Any]:
    table = await _table(session, message)
    sides = table.join(session.client.id)
    if table.name not in session.tables:
        table.enter()
    session.tables[table.name] = message.flag("turned")
    return {"shown": table.to_json(message.flag("turned"), sides)}


async def _leave(session: Session, message: Message) -> dict[str, Any]:
    name = message.text("table", 40)
    table = session.server.tables.open_table(name)
    if session.tables.pop(name, None) is not None and table is not None:
        table.leave()
    return {}


async def _place(session: Session, message: Message) -> dict[str, Any]:
    table, _ = await _seat(session, message)
    table.exchange(message.whole("first", 0, 10_000), message.whole("second", 0, 10_000))
    return {}


async def _begin(session: Session, message: Message) -> dict[str, Any]:
    table, _ = await _seat(session, message)
    table.begin()
    return {}


async def _move(session: Session, message: Message) -> dict[str, Any]:
    table, sides = await _seat(session, message)
    table.play(message.whole("ply", 0, 100_000), message.text("move", 40), sides)
    return {}


async def _back(session: Session, message: Message) -> dict[str, Any]:
    table, sides = await _seat(session, message)
    await table.take_back(sides)
    return {}


async def _refuse(session: Session, message: Message) -> dict[str, Any]:
    table, _ = await _seat(session, message)
    table.refuse()
    return {}


async def _rematch(session: Session, message: Message) -> dict[str, Any]:
    """Start the next game with the sides exchanged; the other user of an invitation has to agree."""
    table, sides = await _seat(session, message)
    if not table.over:
        raise GameError("the game is not over yet", code="game_not_over")
    if not table.rematch and table.wants_rematch(sides):
        setup = replace(table.setup, side=1 - table.setup.side)
        following = await session.server.tables.open(setup, table.owner)
        following.seats = table.seats[::-1]
        following.begin()
        table.go_on(following.name)
    return {"table": table.rematch or None}


async def _resign(session: Session, message: Message) -> dict[str, Any]:
    table, sides = await _seat(session, message)
    await table.resign(sides)
    return {}


async def _hurry(session: Session, message: Message) -> dict[str, Any]:
    table, _ = await _seat(session, message)
    await table.hurry()
    return {}


async def _hint(session: Session, message: Message) -> dict[str, Any]:
    """The move of the game's default player."""
    table, _ = await _seat(session, message)
    state = table.state()
    if state.over:
        raise GameError("the game is over: there is no hint", code="game_over_hint")
    found = await session.start_job("hint", "hint", state.game.name, state.text, lane="move").result()
    arrows = line_arrows(state, [found["move"]])
    return {
        **found,
        "svg": state_json(state, turned=message.flag("turned"), arrows=arrows)["svg"],
        "ply": state.ply,
    }


async def _save(session: Session, message: Message) -> dict[str, Any]:
    return {"record": write_record((await _table(session, message)).record(), "json")}


async def _table(session: Session, message: Message) -> Table:
    return await session.server.tables.find(message.text("table", 40))


async def _seat(session: Session, message: Message) -> tuple[Table, tuple[int, ...]]:
    """The table and the sides of this browser; raises GameError for spectators."""
    table = await _table(session, message)
    return table, table.check_seat(session.client.id)


PLAY_ACTIONS: dict[str, Action] = {
    "catalogue": _catalogue,
    "new": _new,
    "join": _join,
    "leave": _leave,
    "place": _place,
    "begin": _begin,
    "move": _move,
    "back": _back,
    "refuse": _refuse,
    "rematch": _rematch,
    "resign": _resign,
    "hurry": _hurry,
    "hint": _hint,
    "save": _save,
}
