"""The Analyse tab: positions, analyses by players, exact solutions and search trees."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from starscout.api.analyse import analyse_in_steps
from starscout.api.games import parse, start
from starscout.api.players import player
from starscout.api.solve import SolveResult, solve
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game.state import State
from starscout.search.limits import Limit
from starscout.search.trace import MAX_TRACE_DEPTH, trace_search
from starscout.settings.schema import Depth, Seconds, Simulations
from starscout.web.board import line_arrows, state_json
from starscout.web.catalogue import Offer
from starscout.web.message import Message
from starscout.web.session import Action, Session

FIRST_SECONDS, LONGEST_ANALYSIS, SOLVE_SECONDS = 0.1, 600.0, 20.0
MAX_TREE_SIMULATIONS = 100_000


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
    loop = asyncio.get_running_loop()
    await session.stop_job(name)

    def send(fields: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(session.push, {"push": "analysis", "name": name, "position": state.text, **fields})

    job = session.start_job(name, lambda: _deepen(offer.spec, state, steps, turned, send, lambda: job.stopped))
    await job.result()
    return {}


def _check_local(offer: Offer) -> None:
    """Raise GameError if a player runs in a process of its own: a program or a Python class."""
    if not offer.local:
        raise GameError(
            f"{offer.name} is an external program and cannot analyse positions",
            code="program_analysis", player=offer.name,
        )  # fmt: skip


def _deepen(
    spec: str,
    state: State,
    steps: list[float],
    turned: bool,
    send: Callable[[dict[str, Any]], None],
    is_stopped: Callable[[], bool],
) -> None:
    for number, analysis in enumerate(analyse_in_steps(state, spec, steps), 1):
        if is_stopped():
            return
        line = analysis.pv or ((analysis.best,) if analysis.best is not None else ())
        svg = state_json(state, turned=turned, arrows=line_arrows(state, line))["svg"]
        send({**analysis.json(complete=True), "svg": svg, "done": number == len(steps)})


def doubling_steps(seconds: float) -> list[float]:
    """Time limits that double from step to step and sum up to `seconds`."""
    steps, step = [], FIRST_SECONDS
    while seconds > 0:
        steps.append(min(step, seconds))
        seconds -= step
        step *= 2
    return steps


async def _stop(session: Session, message: Message) -> dict[str, Any]:
    await session.stop_job(message.text("name", 40))
    return {}


async def _solve(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    if state.over:
        raise GameError("the game is over: its result is known", code="game_over_solve")
    solution = await session.start_job("solve", _solved, state).result()
    return {**solution.json(), "depth": solution.depth}


def _solved(state: State) -> SolveResult:
    return solve(state, time=SOLVE_SECONDS, progress=False)


async def _tree(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    depth = message.setting("depth", Depth, MAX_TRACE_DEPTH)
    if message.text("search", 20) == "alpha-beta":
        return {"tree": await session.start_job("tree", _alpha_beta_tree, state, depth).result()}
    if state.needs_roll:
        raise GameError("a Monte-Carlo tree starts after the roll: choose a die", code="tree_before_roll")
    offer = session.server.catalogue.player(state.game, message.text("player"))
    _check_local(offer)
    simulations = message.setting("simulations", Simulations, MAX_TREE_SIMULATIONS)
    return {"tree": await session.start_job("tree", _sampled_tree, offer.spec, state, depth, simulations).result()}


def _alpha_beta_tree(state: State, depth: int) -> dict[str, Any]:
    return asdict(trace_search(state.game, load_evaluation(state.game), state.position, state.roll, depth))


def _sampled_tree(spec: str, state: State, depth: int, simulations: int) -> dict[str, Any]:
    searcher = player(spec, state.game)
    try:
        searcher.new_game(state.game, 0)
        searcher.choose(state, Limit(simulations=simulations))
        return searcher.tree(depth)
    finally:
        searcher.close()


ANALYSIS_ACTIONS: dict[str, Action] = {
    "position": _position,
    "advance": _advance,
    "analyse": _analyse,
    "stop": _stop,
    "solve": _solve,
    "tree": _tree,
}
