"""What a page can do to understand: look at positions and games, and let players think about them."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from starscout import games
from starscout.api.solve import SolveResult, solve
from starscout.arena.review import Review, move_evaluator, review
from starscout.drawing.svg import BEST, Arrow, input_squares, side_colours
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game import state as states
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.players.analysis import Analysis, analyse
from starscout.players.player import MoveReport
from starscout.players.spec import default_player, make_player
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from starscout.search.trace import DEEPEST, explain
from starscout.web.disc_ends import disc_differences, exact_ends
from starscout.web.library import headline
from starscout.web.message import Message
from starscout.web.picture import line_arrows, state_json
from starscout.web.session import Action, Session

FIRST_SECONDS, LONGEST_ANALYSIS, SOLVE_SECONDS = 0.1, 600.0, 20.0
MOST_TREE_SIMULATIONS = 100_000
JUDGE_SECONDS = 0.2
"""How long the judge looks at each ply of a game."""
LONGEST_RECORD = 900_000
"""Characters of a dropped file."""
PLAYED = 0.0
"""The strength of the arrow of a move that was played although another was better."""


# Positions.


async def _position(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    return {"shown": state_json(state, turned=message.flag("turned"))}


async def _advance(session: Session, message: Message) -> dict[str, Any]:
    """A move or a roll on an analysis board."""
    state = _state(session, message)
    if message.fields.get("roll") is not None:
        state = state.rolled(message.whole("roll", 1, state.game.faces))
    else:
        state = state.play(message.text("move", 40))
    return {"shown": state_json(state, turned=message.flag("turned"))}


def _state(session: Session, message: Message) -> State:
    game = session.server.catalogue.known_game(message.text("game"))
    text = message.optional_text("position")
    return states.start(game) if text is None else states.parse(game, text)


# Analysis: a player thinks longer and longer, and every answer is shown.


async def _analyse(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    if state.over:
        raise GameError("the game is over: there is nothing to analyse")
    name = message.text("name", 40)
    offer = session.server.catalogue.player(state.game, message.text("player"))
    if not offer.local:
        raise GameError(f"{offer.name} is a program: it cannot be asked about any position")
    seconds, turned = message.number("seconds", 0.1, LONGEST_ANALYSIS), message.flag("turned")
    loop = asyncio.get_running_loop()
    await session.stop_job(name)

    def tell(fields: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(session.push, {"push": "analysis", "name": name, "position": state.text, **fields})

    job = session.start_job(name, lambda: _deepen(offer.spec, state, seconds, turned, tell, lambda: job.stopped))
    await job.result()
    return {}


def _deepen(
    spec: str,
    state: State,
    seconds: float,
    turned: bool,
    tell: Callable[[dict[str, Any]], None],
    is_stopped: Callable[[], bool],
) -> None:
    """Analyse in steps of twice the time each; a player keeps what it knows, so that little is searched twice."""
    player = make_player(spec, state.game)
    try:
        player.new_game(state.game, 0)
        began = time.monotonic()
        shares = _shares(seconds)
        for number, share in enumerate(shares, 1):
            analysis = analyse(player, state, Limit(time=share))
            if is_stopped():
                return
            used = time.monotonic() - began
            tell(_analysis_json(state, analysis, used, turned) | {"done": number == len(shares)})
    finally:
        player.close()


def _shares(seconds: float) -> list[float]:
    """Times that double and sum up to `seconds`."""
    shares, share = [], FIRST_SECONDS
    while seconds > 0:
        shares.append(min(share, seconds))
        seconds -= share
        share *= 2
    return shares


def _analysis_json(state: State, analysis: Analysis, seconds: float, turned: bool) -> dict[str, Any]:
    name = state.game.format_move
    decision = analysis.decision
    moves: list[dict[str, Any]] = []
    line: list[str] = []
    if decision is not None:
        moves = [_report_json(state, report) for report in decision.moves]
        line = list(decision.line) or [name(state.position, decision.move)]
    rolls = [
        {
            "roll": state.game.die(state.position, report.roll),
            "move": name(state.position, report.decision.move),
            "wins": _wins(report.decision.value),
        }
        for report in analysis.rolls
    ]
    return {
        "wins": _wins(analysis.value),
        "value": analysis.value,
        "moves": moves,
        "rolls": rolls,
        "line": line,
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "seconds": seconds,
        "svg": state_json(state, turned=turned, arrows=line_arrows(state, line))["svg"],
    }


def _report_json(state: State, report: MoveReport) -> dict[str, Any]:
    low, high = report.interval or (None, None)
    return {
        "move": state.game.format_move(state.position, report.move),
        "wins": _wins(report.value),
        "visits": report.visits,
        "interval": None if report.interval is None else [_wins(low), _wins(high)],
        "proven": report.proven,
        "pruned": report.pruned,
    }


def _wins(value: float | None) -> float | None:
    return None if value is None else win_probability(value)


async def _stop(session: Session, message: Message) -> dict[str, Any]:
    await session.stop_job(message.text("name", 40))
    return {}


async def _solve(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    if state.over:
        raise GameError("the game is over: its result is known")
    solution = await session.start_job("solve", _solved, state).result()
    found = {"depth": solution.depth, "nodes": solution.nodes, "best": solution.best, "discs": solution.discs}
    return {"exact": solution.exact, "wins": solution.win_probability, "line": list(solution.pv), **found}


def _solved(state: State) -> SolveResult:
    return solve(state, time=SOLVE_SECONDS)


# The tree that a search sees.


async def _tree(session: Session, message: Message) -> dict[str, Any]:
    state = _state(session, message)
    depth = message.whole("depth", 1, DEEPEST)
    if message.text("search", 20) == "alpha-beta":
        return {"tree": await session.start_job("tree", _alpha_beta_tree, state, depth).result()}
    if state.needs_roll:
        raise GameError("a Monte-Carlo tree grows after the roll: choose a die")
    offer = session.server.catalogue.player(state.game, message.text("player"))
    simulations = message.whole("simulations", 1, MOST_TREE_SIMULATIONS)
    return {"tree": await session.start_job("tree", _sampled_tree, offer.spec, state, depth, simulations).result()}


def _alpha_beta_tree(state: State, depth: int) -> dict[str, Any]:
    return asdict(explain(state.game, load_evaluation(state.game), state.position, state.roll, depth))


def _sampled_tree(spec: str, state: State, depth: int, simulations: int) -> dict[str, Any]:
    player = make_player(spec, state.game)
    try:
        player.new_game(state.game, 0)
        player.choose(state, Limit(simulations=simulations))
        return player.tree(depth)
    finally:
        player.close()


# Games.


async def _drop(session: Session, message: Message) -> dict[str, Any]:
    text = message.text("text", LONGEST_RECORD)
    return {"games": await session.start_job("drop", session.server.library.add_text, text).result()}


async def _review(session: Session, message: Message) -> dict[str, Any]:
    """The review by the meter at once; then the judge looks at every move, and the page is told what it thinks."""
    key = message.text("key", 80)
    await session.stop_job("judge")
    record = await session.start_job("review", session.server.library.find, key).result()
    quick = await session.start_job("review", _reviewed, record).result()
    game = session.server.catalogue.known_game(record.game)
    loop = asyncio.get_running_loop()

    def judged() -> None:
        found = _reviewed(record, default_player(game)) | {"exact": exact_ends(record, lambda: job.stopped)}
        loop.call_soon_threadsafe(session.push, {"push": "review", "key": key, **found})

    job = session.start_job("judge", judged)
    return quick


def _reviewed(record: GameRecord, judge: str = "") -> dict[str, Any]:
    game = games.find(record.game)
    if judge:
        player = make_player(judge, game)
        player.new_game(game, 0)
        try:
            reviewed = review(record, evaluator=move_evaluator(player, Limit(time=JUDGE_SECONDS)))
        finally:
            player.close()
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
        "colours": [side_colours(game, side)[0] for side in (0, 1)], "discs": disc_differences(record),
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
    return await session.server.pool.run(_stepped, session.server.library.find, key, ply, best, turned)


def _stepped(find: Callable[[str], GameRecord], key: str, ply: int, best: str | None, turned: bool) -> dict[str, Any]:
    """The state of a game at a ply, with an arrow for the move that was played and one for the best."""
    record = find(key)
    if ply > len(record.plies):
        raise GameError(f"the game has {len(record.plies)} plies, not {ply}")
    state = next(state for number, state in enumerate(record.states()) if number == ply)
    arrows = []
    if ply < len(record.plies):
        played = record.plies[ply].text
        arrows = [_move_arrow(state, played, "", PLAYED)] if best is None or best != played else []
        arrows += [_move_arrow(state, best, BEST, 1.0)] if best is not None and best in state.moves else []
    shown = state_json(state, turned=turned, arrows=[arrow for arrow in arrows if arrow is not None])
    return {"shown": shown, "plies": len(record.plies), "players": list(record.players), "seats": _seats(record, ply)}


def _seats(record: GameRecord, ply: int) -> list[dict[str, Any]]:
    """What each side has reported and used before a ply."""
    first = next(record.states()).mover
    played = [(first + number) % 2 for number in range(ply)]
    seats = []
    for side in (0, 1):
        own = [entry for entry, mover in zip(record.plies, played, strict=False) if mover == side]
        value = own[-1].value if own else None
        seats.append({"wins": _wins(value), "seconds": sum(entry.seconds for entry in own)})
    return seats


def _move_arrow(state: State, text: str, label: str, strength: float) -> Arrow | None:
    squares = input_squares(state.game, state.position, state.parse_move(text))
    return Arrow(squares[0], squares[-1], label, strength) if squares else None


STUDYING: dict[str, Action] = {
    "position": _position,
    "advance": _advance,
    "analyse": _analyse,
    "stop": _stop,
    "solve": _solve,
    "tree": _tree,
    "drop": _drop,
    "review": _review,
    "step": _step,
}
