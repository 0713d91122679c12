"""A state as a page needs it: the board as a picture, the moves with their squares, and what is said about it."""

from collections.abc import Sequence
from typing import Any

from starscout.drawing.svg import Arrow, board_svg, input_squares, side_colours
from starscout.drawing.text import state_sentence
from starscout.game.state import State

LINE_ARROWS = 4
"""How many moves of a line are drawn."""


def state_json(state: State, *, turned: bool = False, arrows: Sequence[Arrow] = ()) -> dict[str, Any]:
    """The state for a page. Before the roll there are no moves."""
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
        "die": game.die(state.position, state.roll),
        "rolls": game.has_dice,
        "coming": list(game.dice_to_come(state.position)),
        "pieces": [sides.count(0), sides.count(1)],
        "moves": [
            {"text": game.format_move(state.position, move), "squares": list(input_squares(game, state.position, move))}
            for move in legal
        ],
        "over": None if outcome is None else {"winner": outcome.winner, "reason": outcome.reason},
        "sentence": state_sentence(state),
        "turned": turned,
        "svg": board_svg(state, turned=turned, arrows=arrows),
    }


def line_arrows(state: State, line: Sequence[str]) -> list[Arrow]:
    """The moves of a line as arrows with numbers; rolls are skipped, and the line ends where it is no longer legal."""
    arrows: list[Arrow] = []
    words = list(line)
    while words and len(arrows) < LINE_ARROWS:
        if state.over:
            break
        if state.needs_roll:
            roll = words.pop(0)
            if not roll.isdecimal() or not 1 <= int(roll) <= state.game.faces:
                break
            state = state.rolled(int(roll))
            continue
        text = words.pop(0)
        if text not in state.moves:
            break
        move = state.parse_move(text)
        squares = input_squares(state.game, state.position, move)
        if squares:
            strength = 1.0 - len(arrows) / LINE_ARROWS
            arrows.append(Arrow(squares[0], squares[-1], str(len(arrows) + 1), strength))
        state = state.play(move)
    return arrows
