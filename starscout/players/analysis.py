"""Analysis of a position by a player: every move after the roll, or every roll before it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.search.limits import Limit


@dataclass(frozen=True)
class RollReport:
    """The player's decision for one roll."""

    roll: int
    decision: Decision


@dataclass(frozen=True)
class Analysis:
    """`decision` after the roll, else `rolls`; `value` is the mover's expected result."""

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
        """Total nodes or simulations; rolls with the same moves count once."""
        distinct = {id(part): part.nodes if part.nodes is not None else part.simulations for part in self._parts}
        known = [count for count in distinct.values() if count is not None]
        return sum(known) if known else None

    @property
    def _parts(self) -> list[Decision]:
        return [self.decision] if self.decision is not None else [report.decision for report in self.rolls]


def analyse(player: Player, state: State, limit: Limit) -> Analysis:
    """Analyse a state; before a roll, all rolls share the time, nodes and simulations.

    Raises GameError if the game is over or the player fails.
    """
    if state.over:
        raise GameError(f"the game is over in {state.text!r}: there is nothing to analyse")
    if not state.needs_roll:
        state.check_moves()
        decision = _answer(player, state, limit)
        return Analysis(decision.value, decision, ())
    answers: dict[tuple[int, ...], Decision] = {}
    rolled = [state.rolled(roll) for roll in range(1, state.game.faces + 1)]
    for after in rolled:
        after.check_moves()
    share = _share(limit, len({tuple(after.legal) for after in rolled}))
    reports = []
    for after in rolled:
        same = tuple(after.legal)
        if same not in answers:
            answers[same] = _answer(player, after, share)
        reports.append(RollReport(after.roll, answers[same]))
    values = [report.decision.value for report in reports]
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if len(known) == len(values) else None
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
    if not game.has_dice or not all(roll.isdecimal() for roll in rolls):
        return " ".join(line)
    # A line may end with a roll without a move.
    return ", then ".join([*line[:1], *(f"{roll}: {move}" for roll, move in zip(rolls, answers, strict=False))])
