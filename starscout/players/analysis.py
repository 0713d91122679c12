"""Analysis of a position by a player: every move after the event, or every event before it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starscout.game import Game, GameError, Position
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.search.limits import Limit


@dataclass(frozen=True)
class RollReport:
    """The player's decision for one event; None if the event ends the game."""

    roll: int
    decision: Decision | None
    value: float | None = None
    """The value of the event for the mover of the analysed position."""


@dataclass(frozen=True)
class Analysis:
    """`decision` after the event, else `rolls`; `value` is the mover's expected result."""

    value: float | None
    decision: Decision | None
    rolls: tuple[RollReport, ...]

    @property
    def depth(self) -> int | None:
        """The depth that all parts reached."""
        depths = [part.depth for part in self._parts if part.depth is not None]
        return min(depths, default=None)

    @property
    def nodes(self) -> int | None:
        """Total nodes or simulations; events with the same decision count once."""
        distinct = {id(part): part.nodes if part.nodes is not None else part.simulations for part in self._parts}
        known = [count for count in distinct.values() if count is not None]
        return sum(known) if known else None

    @property
    def _parts(self) -> list[Decision]:
        if self.decision is not None:
            return [self.decision]
        return [report.decision for report in self.rolls if report.decision is not None]


def analyse(player: Player, state: State, limit: Limit) -> Analysis:
    """Analyse a state; before an event, all events share the time, nodes and simulations.

    Raises GameError if the game is over or the player fails.
    """
    if state.over:
        raise GameError(f"the game is over in {state.text!r}: there is nothing to analyse")
    if not state.needs_roll:
        state.check_moves()
        decision = _answer(player, state, limit)
        return Analysis(decision.value, decision, ())
    game, weights = state.game, state.chance
    answers: dict[tuple[Position, tuple[int, ...]], Decision] = {}
    drawn = {event: state.rolled(event) for event in weights}
    for after in drawn.values():
        after.check_moves()
    share = _share(limit, max(len({_situation(after) for after in drawn.values() if not after.over}), 1))
    reports: list[RollReport] = []
    total: float | None = 0.0
    for event, after in drawn.items():
        decision, value = None, game.outcome(after.position) / game.points
        if not after.over:
            same = _situation(after)
            if same not in answers:
                answers[same] = _answer(player, after, share)
            decision = answers[same]
            value = decision.value
        value = -value if value is not None and after.mover != state.mover else value
        reports.append(RollReport(event, decision, value))
        total = None if total is None or value is None else total + weights[event] * value
    mean = None if total is None else total / sum(weights.values())
    return Analysis(mean, None, tuple(reports))


def _situation(state: State) -> tuple[Position, tuple[int, ...]]:
    """What a decision depends on: the position and the moves that the event allows."""
    return state.position, tuple(state.legal)


def _answer(player: Player, state: State, limit: Limit) -> Decision:
    try:
        return player.analyse(state, limit)
    except PlayerError as failure:
        raise GameError(f"{player.name} fails in {state.text!r}: {failure}") from failure


def _share(limit: Limit, parts: int) -> Limit:
    return replace(
        limit,
        time=None if limit.time is None else limit.time / parts,
        nodes=None if limit.nodes is None else max(limit.nodes // parts, 1),
        simulations=None if limit.simulations is None else max(limit.simulations // parts, 1),
    )


def line_text(game: Game, line: Sequence[str]) -> str:
    """Format a line of play with its rolls: `A2B3, then 6: E3D3, then 1: B3C4`."""
    rolls, answers = line[1::2], line[2::2]
    if not game.has_dice or not all(roll.isdecimal() for roll in rolls):
        return " ".join(line)
    # A line may end with a roll without a move.
    return ", then ".join([*line[:1], *(f"{roll}: {move}" for roll, move in zip(rolls, answers, strict=False))])
