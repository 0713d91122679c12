"""`starscout.tune`: parameters of a player, improved by play."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from starscout.api import html
from starscout.api.progress import redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import ChosenSettings, Interrupted, RunSettings, game_name, opened_runner, opened_store
from starscout.arena.batch import warm
from starscout.arena.plan import make_plan
from starscout.arena.spsa import Tuning, TuningPlan, parse_parameters
from starscout.drawing.charts import Band, lines
from starscout.game import Game
from starscout.settings.arguments import checked
from starscout.views.report import tuning_report, write_report

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class TuneResult(PlottedResult):
    """The tuned parameters, and how they came about.

    >>> spec, quick = "mcts simulations=10 nodes=1000", {"store": ":memory:", "workers": 0}
    >>> result = tune("ewn-3x3-3", spec, "c=1:0.2:2", steps=1, pairs=1, **quick)
    >>> result.rows()[0]["step"]
    1
    """

    parameters: dict[str, float]
    """Name → the tuned value."""
    history: tuple[dict[str, Any], ...]
    """Every step: its number, the parameters after it, the two players and the score of the first."""
    player: str
    """The SPEC of the tuned player."""
    start: str
    """The SPEC of the player before."""
    tuning: Tuning

    def json(self) -> dict[str, Any]:
        """The fields of `starscout tune --json`."""
        return {"parameters": self.parameters, "history": list(self.history), "player": self.player}

    def rows(self) -> list[dict[str, Any]]:
        """One row per step."""
        return [{"step": step["step"], "score": step["score"], **step["parameters"]} for step in self.history]

    def plot(self) -> Picture:
        """Every parameter over the steps, as a part of its range."""
        parameters = self.tuning.plan.parameters
        parts = [
            Band(
                parameter.name, [parameter.fraction(parameter.start), *(step["parts"][place] for step in self.history)]
            )
            for place, parameter in enumerate(parameters)
        ]
        return Picture(lines(parts, "step", "part of the range"))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report; raises GameError."""
        write_report(tuning_report(self.tuning), os.fspath(path))

    def sentence(self) -> str:
        """How far it is, and the values so far."""
        values = "  ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        return f"step {len(self.history)} of {self.tuning.plan.horizon}: {values}"

    def __rich__(self) -> "RenderableType":
        return self.sentence()

    def _repr_html_(self) -> str:
        rows = [[name, f"{value:g}"] for name, value in self.parameters.items()]
        return f"<div>{html.table_html(('parameter', 'value'), rows)}{self.plot().svg if self.history else ''}</div>"

    def __repr__(self) -> str:
        return f"<tuning: {self.sentence()}>"


@checked()
def tune(
    game: str | Game,
    player: str,
    parameters: str,
    *,
    steps: int = 100,
    pairs: int = 16,
    **settings: Unpack[RunSettings],
) -> TuneResult:
    """Improve parameters of a player by SPSA: play shifted players against each other and follow the winners.

    `player` is a SPEC with {name} where a parameter stands, `parameters` is `name=start:low:high`, with commas between
    several. See `RunSettings` for the other keywords. The same call continues an interrupted tuning; Ctrl-C raises
    `Interrupted`. Raises GameError.

    >>> spec, quick = "mcts simulations=10 nodes=1000", {"store": ":memory:", "workers": 0}
    >>> result = tune("ewn-3x3-3", spec, "c=1:0.2:2", steps=1, pairs=1, **quick)
    >>> 0.2 <= result.parameters["c"] <= 2
    True
    """
    chosen = ChosenSettings(**settings)
    name, wanted = game_name(game), parse_parameters(parameters)
    plain = TuningPlan(name, player, wanted, pairs, steps)
    start = plain.described([parameter.fraction(parameter.start) for parameter in wanted])
    match = make_plan(name, start, start, chosen.limit, chosen.seed, chosen.opening_plies, chosen.luck)
    plan = TuningPlan(
        match.game, player, wanted, pairs, steps,
        chosen.limit, chosen.seed, match.opening_plies, match.luck, match.contents,
    )  # fmt: skip
    with opened_store(chosen.store) as store:
        tuning = Tuning(plan, store)

        def result() -> TuneResult:
            return TuneResult(tuning.result(), tuple(tuning.history), tuning.tuned_player(), start, tuning)

        try:
            if len(tuning.history) < steps:
                warm(match)
                with (
                    opened_runner(plan.game, (start,), chosen) as runner,
                    redrawn(result, shown=chosen.progress) as redraw,
                ):
                    tuning.play(runner, redraw)
        except KeyboardInterrupt as stop:
            raise Interrupted(result()) from stop
        return result()
