"""The games to look at first: where most was lost, and where the dice decided, each with its board."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from starscout.arena.luck import make_meter
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.drawing.svg import BEST, Arrow, board_svg, input_squares
from starscout.game import GameError
from starscout.game.state import State
from starscout.views.elements import Markup, combined, heading, paragraph, word
from starscout.views.match_progress import Highlight

SHOWN = 3
"""Games of each kind."""


class Place(NamedTuple):
    """A highlight of a match: its number, plan and pair."""

    match: int
    plan: MatchPlan
    pair: PairRecord
    highlight: Highlight


def highlights_view(losses: Iterable[Place], swings: Iterable[Place], *, linked: bool) -> Markup:
    """Boards with captions; empty when nothing was measured. `linked`: each leads to its game on the page."""
    try:
        shown = [
            *(_figure(place, "largest loss", linked) for place in list(losses)[:SHOWN]),
            *(_figure(place, "luckiest roll", linked) for place in list(swings)[:SHOWN]),
        ]
    except GameError:
        # A game file that nobody has named here cannot be replayed.
        return Markup("")
    if not shown:
        return Markup("")
    return combined(heading("The games to look at first"), Markup('<div class="boards">'), *shown, Markup("</div>"))


def _figure(place: Place, kind: str, linked: bool) -> Markup:
    plan, highlight = place.plan, place.highlight
    record = place.pair.games(plan.game, (plan.first, plan.second), plan.seed)[highlight.half].record
    state = next(state for number, state in enumerate(record.states()) if number == highlight.ply)
    played = record.plies[highlight.ply].text
    best = _best(plan, state)
    arrows = [
        arrow for text, label in ((played, ""), (best, BEST)) if (arrow := _arrow(state, text, label, text == best))
    ]
    picture = board_svg(state, arrows=arrows if best != played else arrows[-1:])
    said = combined(
        word(kind), f" {100 * highlight.size:.1f} %: {record.players[state.mover]} (",
        word(state.game.sides[state.mover]), ") ",
        Markup(f"<b>{played}</b>"), *([f" – {best} ✓"] if best != played else []),
    )  # fmt: skip
    number = f"{place.match}/{highlight.pair}/{highlight.half}"
    match = [word("match"), f" {place.match}, "] if place.match else []
    where = paragraph(*match, word("pair"), f" {highlight.pair}, ", word("ply"), f" {highlight.ply + 1}")
    if linked:
        where = Markup(f'<a href="#/analyse/match/{number}">{where}</a>')
    return Markup(f"<figure>{picture}<figcaption>{said}{where}</figcaption></figure>")


def _best(plan: MatchPlan, state: State) -> str:
    values = make_meter(state.game, plan.luck).move_values(state)
    return state.game.format_move(state.position, max(values, key=lambda move: values[move]))


def _arrow(state: State, text: str, label: str, best: bool) -> Arrow | None:
    squares = input_squares(state.game, state.position, state.parse_move(text))
    return Arrow(squares[0], squares[-1], label, 1.0 if best else 0.0) if squares else None


def located(
    match: int, plan: MatchPlan, found: Iterable[Highlight], pair_of: Callable[[int], PairRecord | None]
) -> list[Place]:
    """The highlights of a match with their pairs."""
    pairs = [(highlight, pair_of(highlight.pair)) for highlight in found if highlight.size > 0]
    return [Place(match, plan, pair, highlight) for highlight, pair in pairs if pair is not None]
