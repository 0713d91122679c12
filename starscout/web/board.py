"""A board for the page: its SVG, and for every legal move the squares to click."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from starscout.drawing.svg import BEST, PIECES, Arrow, board_svg, changed_squares, input_squares, side_colours
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError, Outcome
from starscout.game.state import State
from starscout.referee.game_in_progress import GameInProgress

LINE_ARROWS = 4
"""Maximum number of moves of a line to draw."""
TOP_ROWS = 0.5
"""A side starts at the top if its start squares are on average more than this many rows above the middle."""
UNASSIGNED = ("#d8cfbf", "#8f877a")
"""Colours of sides that have none yet."""
PALE = 0.0
"""Strength of the arrow of a played move that was not the best."""


def last_squares(state: State) -> tuple[int, ...]:
    """The squares of the last move: those that the game names, else those that the move has changed."""
    before = state.previous
    if before is not None and before.ply == state.ply:
        # An event lies between the two moves.
        before = before.previous
    if state.last_squares or before is None:
        return state.last_squares
    return changed_squares(state.game, before.position, state.position)


def state_json(
    state: State, *, turned: bool = False, arrows: Sequence[Arrow] = (), last: tuple[int, ...] | None = None
) -> dict[str, Any]:
    """The state for a page. Before the event there are no moves.

    `last` are the squares of the last move if the state does not contain the one before it.
    """
    game, outcome = state.game, state.outcome
    legal = [] if state.needs_roll or state.over else state.legal
    sides = [cell.side for cell in game.cells(state.position)]
    return {
        "game": game.name,
        "title": game.title,
        "sides": list(side_names(state)),
        "colours": colours_of(state),
        "position": state.text,
        "ply": state.ply,
        "mover": state.mover,
        "points": game.points,
        # A picture shows the revealed piece.
        "die": None if game.resolves and game.picture is not None else state.shown_event,
        "rolls": game.has_chance and game.has_plain_die and not game.resolves,
        "events": _events(state),
        "coming": list(game.dice_to_come(state.position)),
        # The number of each side's pieces, in games with a score.
        "pieces": [sides.count(0), sides.count(1)] if knowledge_of(game).score else None,
        "moves": [
            {
                "text": game.format_move(state.position, move),
                "squares": list(input_squares(game, state.position, move)),
                **({} if game.move_steps is None else {"steps": game.move_steps(state.position, move)}),
            }
            for move in legal
        ],
        "notes": list(game.notes(state.position)),
        "over": None if outcome is None else outcome_json(game, outcome),
        "turned": turned,
        "svg": board_svg(
            state,
            turned=turned,
            arrows=arrows,
            goals=goals_of(game),
            last=last_squares(state) if last is None else last,
        ),
    }


def colours_of(state: State) -> list[str]:
    """The colours of both sides as CSS values."""
    assigned = knowledge_of(state.game).colours
    if assigned is None:
        return [side_colours(state.game, side)[0] for side in (0, 1)]
    names = assigned(state.position)
    return list(UNASSIGNED) if names is None else [PIECES[name][0] for name in names]


def side_names(state: State) -> Sequence[str]:
    """The names of both sides: their colours, if the game has assigned them."""
    assigned = knowledge_of(state.game).colours
    return (assigned and assigned(state.position)) or state.game.sides


def goals_of(game: Game) -> Mapping[int, int]:
    """Square → the side whose goal it is."""
    goals = knowledge_of(game).goals
    return {} if goals is None else goals(game)


def is_turned(game: Game, side: int) -> bool:
    """Whether the board is turned so that the pieces of a side start at the bottom."""
    cells = game.cells(game.start_position())
    rows = [square // game.columns for square, cell in enumerate(cells) if cell.side == side]
    if game.move_steps is not None:
        # The pieces of each side start on both halves of the board.
        return side == 1
    return bool(rows) and sum(rows) / len(rows) < (game.rows - 1) / 2 - TOP_ROWS


def outcome_json(game: Game, outcome: Outcome) -> dict[str, Any]:
    """The result for a page, with the points of the winner if they vary."""
    points = {"points": outcome.points} if game.points > 1 and outcome.winner is not None else {}
    return {"winner": outcome.winner, "reason": outcome.reason, **points}


def plies_json(game: GameInProgress, quick: Collection[int], passes: Collection[int]) -> list[dict[str, Any]]:
    """The plies of a game; `quick` were chosen in plain Python, `passes` were played automatically."""
    rules = game.start.game
    plain = rules.has_plain_die
    # In games that begin without an event, an event is a piece that a move has revealed.
    reveals = rules.resolves and not rules.events(rules.start_position())
    revealed = [*game.events[1:], game.state.event_text or ""] if reveals else [""] * len(game.events)
    return [
        {
            "side": side, "roll": ply.roll if plain else "" if reveals else event, "revealed": revealed[number],
            "move": ply.text, "value": ply.value,
            "seconds": ply.seconds, "quick": number in quick, "passed": number in passes,
        }
        for number, (ply, side, event) in enumerate(zip(game.plies, game.movers, game.events, strict=True))
    ]  # fmt: skip


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
    drawn = 0
    while steps and drawn < LINE_ARROWS:
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
        drawn += 1
        arrows += _move_arrow(state, text, str(drawn), 1.0 - (drawn - 1) / LINE_ARROWS)
        state = state.play(text)
    return arrows


def move_arrows(state: State, played: str, best: str | None) -> list[Arrow]:
    """Arrows for the move that was played and, if it differs, for the best move."""
    if best is None or best not in state.moves:
        return _move_arrow(state, played, "", PALE)
    arrows = [] if best == played else _move_arrow(state, played, "", PALE)
    return [*arrows, *_move_arrow(state, best, BEST, 1.0)]


def _move_arrow(state: State, text: str, label: str, strength: float) -> list[Arrow]:
    game, move = state.game, state.parse_move(text)
    if game.move_steps is not None:
        return [Arrow(source, target, label, strength) for source, target in game.move_steps(state.position, move)]
    squares = input_squares(game, state.position, move)
    return [Arrow(squares[0], squares[-1], label, strength)] if squares else []
