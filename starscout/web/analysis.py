"""The Analyse tab: positions, analyses by players, exact solutions and search trees."""

import asyncio
import functools
import random
from typing import Any

from starscout.api.games import parse, start
from starscout.drawing.svg import board_svg
from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.search.trace import MAX_TRACE_DEPTH
from starscout.settings.schema import Depth, Seconds, Simulations
from starscout.web.board import goals_of, line_arrows, state_json
from starscout.web.catalogue import Offer
from starscout.web.message import Message
from starscout.web.session import Action, Session

FIRST_SECONDS, LONGEST_ANALYSIS = 0.1, 600.0
MAX_TREE_SIMULATIONS = 100_000
MAX_LINES = 5
"""Maximum number of best lines of an analysis."""
MAX_LINE = 60
"""Maximum number of moves and events of a line."""
RANDOM_GAMES, RANDOM_PLIES = 3, 30


async def _position(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    return {"shown": state_json(state, turned=message.flag("turned"))}


async def _advance(session: Session, message: Message) -> dict[str, Any]:
    """A move or an event on an analysis board."""
    state = _state(session, message)
    if message.fields.get("roll") is not None:
        plain = state.game.has_plain_die
        state = state.rolled(message.whole("roll", 1, state.game.faces) if plain else message.text("roll", 40))
    else:
        state = state.play(message.text("move", 40))
    return {"shown": state_json(state, turned=message.flag("turned"))}


def _state(session: Session, message: Message) -> State:
    game = session.server.catalogue.known_game(message.text("game"))
    text = message.optional_text("position")
    return start(game) if text is None else parse(game, text)


async def _analyse(session: Session, message: Message) -> dict[str, Any]:
    """An analysis with doubling time limits; the page gets every intermediate result."""
    state = _state(session, message)
    if state.over:
        raise GameError("the game is over: there is nothing to analyse", code="game_over_analysis")
    name = message.text("name", 40)
    offer = session.server.catalogue.player(state.game, message.text("player"))
    _check_local(offer)
    steps, turned = doubling_steps(message.setting("seconds", Seconds, LONGEST_ANALYSIS, 0.1)), message.flag("turned")
    lines = 1 if message.fields.get("lines") is None else message.whole("lines", 1, MAX_LINES)
    await session.stop_job(name)

    def send(found: dict[str, Any]) -> None:
        svg = board_svg(state, turned=turned, arrows=line_arrows(state, found["line"]), goals=goals_of(state.game))
        session.push({"push": "analysis", "name": name, "position": state.text, **found, "svg": svg})

    arguments = state.game.name, state.text, offer.spec, steps, lines
    await session.start_job(name, "analyse", *arguments, lane="analysis", progress=send).result()
    return {}


def _check_local(offer: Offer) -> None:
    """Raise GameError if a player runs in a separate process: a program or a Python class."""
    if not offer.local:
        raise GameError(
            f"{offer.name} is an external program and cannot analyse positions",
            code="program_analysis", player=offer.name,
        )  # fmt: skip


def doubling_steps(seconds: float) -> list[float]:
    """Time limits that double from step to step and sum to `seconds`."""
    steps, step = [], FIRST_SECONDS
    while seconds > 0:
        steps.append(min(step, seconds))
        seconds -= step
        step *= 2
    return steps


async def _line(session: Session, message: Message) -> dict[str, Any]:
    """The states along a line of moves and events, up to the first illegal step."""
    state, turned = _state(session, message), message.flag("turned")
    steps: list[dict[str, Any]] = []
    event = None
    for text in message.texts("line", MAX_LINE):
        try:
            if state.over:
                break
            if state.needs_roll:
                state, event = state.rolled(text), text
                continue
            state = state.play(text)
        except GameError:
            break
        steps.append({"move": text, "roll": event, "shown": state_json(state, turned=turned)})
        event = None
    return {"steps": steps}


async def _letters(session: Session, message: Message) -> dict[str, Any]:
    """The characters of the pieces of a game in its positions, collected from random moves: a board may start empty."""
    game = session.server.catalogue.known_game(message.text("game"))
    return {"letters": await asyncio.to_thread(piece_letters, game)}


@functools.lru_cache(maxsize=32)
def piece_letters(game: Game) -> str:
    """The characters of the squares in positions of random games."""
    found: set[str] = set()
    generator = random.Random(1)
    for _ in range(RANDOM_GAMES):
        state = start(game)
        for _ in range(RANDOM_PLIES):
            state = state.rolled(next(iter(state.chance))) if state.needs_roll else state
            found |= set(state.text.split(" ")[0].replace("/", ""))
            if state.over:
                break
            state = state.play(generator.choice(state.legal))
    return "".join(sorted(found))


async def _stop(session: Session, message: Message) -> dict[str, Any]:
    await session.stop_job(message.text("name", 40))
    return {}


async def _solve(session: Session, message: Message) -> dict[str, Any]:
    """The exact value of a position; the page gets that of each move as soon as it is known."""
    state = _state(session, message)
    if state.over:
        raise GameError("the game is over: its result is known", code="game_over_solve")
    await session.stop_job("solve")

    def send(found: dict[str, Any]) -> None:
        session.push({"push": "exact", "position": state.text, **found})

    arguments = state.game.name, state.text
    return await session.start_job("solve", "solve", *arguments, lane="analysis", progress=send).result()


async def _tree(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    depth = message.setting("depth", Depth, MAX_TRACE_DEPTH)
    if message.text("search", 20) == "alpha-beta":
        await session.stop_job("tree")
        task, arguments = "alpha-beta-tree", (state.game.name, state.text, depth)
        return {"tree": await session.start_job("tree", task, *arguments, lane="tree").result()}
    if state.needs_roll:
        raise GameError("a Monte-Carlo tree starts after the roll: choose a die", code="tree_before_roll")
    offer = session.server.catalogue.player(state.game, message.text("player"))
    _check_local(offer)
    simulations = message.setting("simulations", Simulations, MAX_TREE_SIMULATIONS)

    def send(found: dict[str, Any]) -> None:
        session.push({"push": "growth", "position": state.text, **found})

    arguments = state.game.name, state.text, offer.spec, depth, simulations
    await session.stop_job("tree")
    job = session.start_job("tree", "sampled-tree", *arguments, lane="tree", progress=send)
    return {"tree": await job.result()}


async def _path(session: Session, message: Message) -> dict[str, Any]:
    """The state at the end of a path of moves and events, and the first board with the moves as arrows."""
    state, turned = _state(session, message), message.flag("turned")
    path = message.texts("path", MAX_LINE)
    svg = board_svg(state, turned=turned, arrows=line_arrows(state, path), goals=goals_of(state.game))
    for text in path:
        state = state.rolled(text) if state.needs_roll else state.play(text)
    return {"shown": state_json(state, turned=turned), "svg": svg}


ANALYSIS_ACTIONS: dict[str, Action] = {
    "position": _position,
    "advance": _advance,
    "analyse": _analyse,
    "line": _line,
    "letters": _letters,
    "stop": _stop,
    "solve": _solve,
    "tree": _tree,
    "path": _path,
}
