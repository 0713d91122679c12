"""Analysis of a position by a player: every move after the event, or every event before it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starscout.game import Game, GameError, Position
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.search.limits import Limit


@dataclass(frozen=True)
class RollReport:
    """The player's decision after one event; None if the event ends the game."""

    roll: int
    decision: Decision | None
    weight: int
    """The probability of the event is its weight divided by the sum of the weights."""
    value: float | None
    """The expected result of the side to move before the event."""
    state: State
    """The state after the event."""


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
        """Total nodes or simulations; events with the same moves count once."""
        distinct = {id(part): part.nodes if part.nodes is not None else part.simulations for part in self._parts}
        known = [count for count in distinct.values() if count is not None]
        return sum(known) if known else None

    @property
    def _parts(self) -> list[Decision]:
        decisions = [self.decision] if self.decision is not None else [report.decision for report in self.rolls]
        return [decision for decision in decisions if decision is not None]


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
    # Events that lead to the same position with the same moves are analysed once.
    answers: dict[tuple[Position, tuple[int, ...]], Decision] = {}
    rolled = {event: state.rolled(event) for event in state.chance}
    for after in rolled.values():
        after.check_moves()
    unfinished = [after for after in rolled.values() if not after.over]
    share = _share(limit, max(len({(after.position, tuple(after.legal)) for after in unfinished}), 1))
    reports = []
    for event, weight in state.chance.items():
        after, decision = rolled[event], None
        sign = 1 if after.mover == state.mover else -1
        if (outcome := after.outcome) is not None:
            won = 0 if outcome.winner is None else 1 if outcome.winner == state.mover else -1
            value = won * outcome.points / state.game.points
        else:
            same = after.position, tuple(after.legal)
            if same not in answers:
                answers[same] = _answer(player, after, share)
            decision = answers[same]
            value = None if decision.value is None else sign * decision.value
        reports.append(RollReport(event, decision, weight, value, after))
    known = [(report.weight, report.value) for report in reports if report.value is not None]
    total = sum(weight for weight, _ in known)
    mean = sum(weight * value for weight, value in known) / total if len(known) == len(reports) else None
    return Analysis(mean, None, tuple(reports))


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
    if not game.has_chance or not game.has_plain_die or game.resolves or not all(roll.isdecimal() for roll in rolls):
        return " ".join(line)
    # A line may end with a roll that has no move.
    return ", then ".join([*line[:1], *(f"{roll}: {move}" for roll, move in zip(rolls, answers, strict=False))])
