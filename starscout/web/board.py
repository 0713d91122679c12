"""A board for the page: its SVG, and for every legal move the squares to click."""

from collections.abc import Mapping, Sequence
from typing import Any

from starscout.drawing.svg import BEST, Arrow, board_svg, input_squares, side_colours
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError, Outcome
from starscout.game.state import State

LINE_ARROWS = 4
"""Maximum number of moves of a line to draw."""
TOP_ROWS = 0.5
"""How many rows above the middle the pieces of a side at the top start on average."""
PALE = 0.0
"""Strength of the arrow of a played move that was not the best."""


def state_json(state: State, *, turned: bool = False, arrows: Sequence[Arrow] = ()) -> dict[str, Any]:
    """The state for a page. Before the event there are no moves."""
    game, outcome = state.game, state.outcome
    legal = [] if state.needs_roll or state.over else state.legal
    sides = [cell.side for cell in game.cells(state.position)]
    return {
        "game": game.name,
        "title": game.title,
        "sides": list(game.sides),
        "colours": [side_colours(game, side)[0] for side in (0, 1)],
        "position": state.text,
        "ply": state.ply,
        "mover": state.mover,
        "die": state.shown_event,
        "rolls": game.has_chance and game.has_plain_die and not game.resolves,
        "events": _events(state),
        "coming": list(game.dice_to_come(state.position)),
        "pieces": [sides.count(0), sides.count(1)],
        "moves": [
            {"text": game.format_move(state.position, move), "squares": list(input_squares(game, state.position, move))}
            for move in legal
        ],
        "over": None if outcome is None else outcome_json(game, outcome),
        "turned": turned,
        "svg": board_svg(state, turned=turned, arrows=arrows, goals=goals_of(game)),
    }


def goals_of(game: Game) -> Mapping[int, int]:
    """Square → the side that wants to reach it."""
    goals = knowledge_of(game).goals
    return {} if goals is None else goals(game)


def is_turned(game: Game, side: int) -> bool:
    """Whether the board is turned so that the pieces of a side start at the bottom."""
    cells = game.cells(game.start_position())
    rows = [square // game.columns for square, cell in enumerate(cells) if cell.side == side]
    return bool(rows) and sum(rows) / len(rows) < (game.rows - 1) / 2 - TOP_ROWS


def outcome_json(game: Game, outcome: Outcome) -> dict[str, Any]:
    """The result for a page, with the points of the winner if they vary."""
    points = {"points": outcome.points} if game.points > 1 and outcome.winner is not None else {}
    return {"winner": outcome.winner, "reason": outcome.reason, **points}


def _events(state: State) -> list[dict[str, Any]]:
    """The events to choose from on an analysis board, in the game's notation with weights; none for a plain die."""
    if state.game.has_plain_die and not state.game.resolves:
        return []
    text = state.game.format_event
    return [{"text": text(state.position, event), "weight": weight} for event, weight in state.chance.items()]


def line_arrows(state: State, line: Sequence[str]) -> list[Arrow]:
    """Numbered arrows for the moves of a line, up to the first illegal one; rolls are played but not drawn."""
    arrows: list[Arrow] = []
    steps = list(line)
    while steps and len(arrows) < LINE_ARROWS:
        if state.over:
            break
        if state.needs_roll:
            try:
                state = state.rolled(steps.pop(0))
            except GameError:
                break
            continue
        text = steps.pop(0)
        if text not in state.moves:
            break
        strength = 1.0 - len(arrows) / LINE_ARROWS
        arrows += _move_arrow(state, text, str(len(arrows) + 1), strength)
        state = state.play(text)
    return arrows


def move_arrows(state: State, played: str, best: str | None) -> list[Arrow]:
    """Arrows for the move that was played and, if it differs, for the best move."""
    if best is None or best not in state.moves:
        return _move_arrow(state, played, "", PALE)
    arrows = [] if best == played else _move_arrow(state, played, "", PALE)
    return [*arrows, *_move_arrow(state, best, BEST, 1.0)]


def _move_arrow(state: State, text: str, label: str, strength: float) -> list[Arrow]:
    squares = input_squares(state.game, state.position, state.parse_move(text))
    return [Arrow(squares[0], squares[-1], label, strength)] if squares else []
