"""The Watch tab: live views of the store, and starting matches and tournaments."""

import asyncio
from typing import Any

from starscout.arena.broadcast import LiveGame
from starscout.arena.pairing import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.settings.schema import Pairs, Swiss
from starscout.web.board import state_json
from starscout.web.catalogue import read_level
from starscout.web.message import Message
from starscout.web.review import seats_json
from starscout.web.runs import limit_arguments
from starscout.web.searches import EngineError, SearchPool
from starscout.web.session import Action, Session
from starscout.web.worker import InternalError, StoppedError

POLL_SECONDS, LIVE_SECONDS = 1.0, 0.4
PLIES = 12
"""Number of latest moves of a game in progress that a page shows."""
MAX_PAIRS, MAX_PLAYERS, MAX_ROUNDS = 100_000, 64, 32
KINDS = {"round-robin": ROUND_ROBIN, "swiss": SWISS, "gauntlet": GAUNTLET}


async def push_views(sessions: set[Session], pool: SearchPool) -> None:
    """Push every changed view to its subscribers, forever."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        for key in {session.watched for session in sessions if session.watched}:
            try:
                view = await pool.run("view", key, lane="store")
            except (GameError, EngineError, InternalError, StoppedError):
                continue
            for session in [session for session in sessions if session.watched == key and session.seen != view]:
                session.seen = view
                session.push({"push": "view", "key": key, "html": view})


async def push_live(sessions: set[Session], pool: SearchPool) -> None:
    """Push the games in progress to the pages that show them, forever."""
    shown: dict[str, str] = {}
    while True:
        await asyncio.sleep(LIVE_SECONDS)
        keys = {session.live for session in sessions if session.live}
        shown = {key: shown.get(key, "") for key in keys}
        for key in keys:
            try:
                game = await pool.run("live", key, shown[key], lane="store")
                drawn = _live_json(game)
            except (GameError, EngineError, InternalError, StoppedError):
                continue
            shown[key] = "" if game is None else game.name
            version = None if game is None else (game.name, game.record.pair, game.record.half, len(game.record.plies))
            for session in [session for session in sessions if session.live == key and session.live_seen != version]:
                session.live_seen = version
                session.push({"push": "live", "key": key, "game": drawn})


def _live_json(game: LiveGame | None) -> dict[str, Any] | None:
    """A game in progress for the page."""
    if game is None:
        return None
    state, record = game.state, game.record
    movers = record.movers()
    return {
        "match": game.match, "pair": record.pair, "half": record.half, "players": list(record.players),
        "over": game.over, "age": game.age, "left": list(record.left), "seats": seats_json(record, len(record.plies)),
        "shown": state_json(state) | {"moves": []},
        "values": [
            None if ply.value is None else win_probability(ply.value if side == 0 else -ply.value)
            for ply, side in zip(record.plies, movers, strict=False)
        ],
        "plies": [{"side": side, "move": ply.text} for ply, side in zip(record.plies, movers, strict=False)][-PLIES:],
    }  # fmt: skip


async def _live(session: Session, message: Message) -> dict[str, Any]:
    session.live, session.live_seen = message.text("key", 40), None
    return {}


async def _watch(session: Session, message: Message) -> dict[str, Any]:
    key = message.text("key", 40)
    view = await session.server.pool.run("view", key, lane="store", client=session.client)
    session.watched, session.seen = key, view
    return {"html": view}


async def _unwatch(session: Session, message: Message) -> dict[str, Any]:
    session.watched = session.seen = session.live = ""
    return {}


async def _runs(session: Session, message: Message) -> dict[str, Any]:
    runs = session.server.runs.to_json(session.client.id)
    keys = await session.server.pool.run("keys", lane="store", client=session.client) if runs else {}
    return {"runs": [run | {"key": keys.get(run["seed"])} for run in runs]}


async def _stop_run(session: Session, message: Message) -> dict[str, Any]:
    session.server.runs.stop(message.whole("run", 1, 10_000), session.client.id)
    return {}


async def _start_match(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    first, second = (catalogue.player(game, message.text(name)).spec for name in ("first", "second"))
    pairs = message.setting("pairs", Pairs, MAX_PAIRS)
    arguments = ["match", catalogue.command_name(game), first, second, "--pairs", str(pairs)]
    limit = limit_arguments(read_level(message))
    run = await session.server.runs.start(f"{game.name}: {first} – {second}", [*arguments, *limit], session.client.id)
    return {"run": run.number}


async def _start_tournament(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    names = message.texts("players", MAX_PLAYERS)
    if len(names) < 2:
        raise GameError("a tournament needs at least two players", code="too_few_players")
    players = [catalogue.player(game, name).spec for name in names]
    kind = message.text("kind", 20)
    if kind not in KINDS:
        raise GameError(
            f"kind: expected one of {', '.join(KINDS)}, got {kind!r}", code="unknown_tournament_kind", kind=kind
        )
    rounds = [str(message.setting("rounds", Swiss, MAX_ROUNDS))] if kind == "swiss" else []
    pairs = message.setting("pairs", Pairs, MAX_PAIRS)
    arguments = ["tournament", catalogue.command_name(game), *players, f"--{kind}", *rounds, "--pairs", str(pairs)]
    run = await session.server.runs.start(
        f"{game.name}: {kind}, {len(players)}", [*arguments, *limit_arguments(read_level(message))], session.client.id
    )
    return {"run": run.number}


WATCH_ACTIONS: dict[str, Action] = {
    "watch": _watch,
    "unwatch": _unwatch,
    "live": _live,
    "runs": _runs,
    "stop-run": _stop_run,
    "match": _start_match,
    "tournament": _start_tournament,
}
