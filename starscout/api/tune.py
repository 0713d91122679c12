"""`starscout.tune`: tune parameters of a player by self-play (SPSA)."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import game_name, isolated, limit_of, logged, opened_runner, opened_store, worker_settings
from starscout.arena.batch import warm
from starscout.arena.plan import make_plan
from starscout.arena.spsa import Tuning, TuningPlan, parse_parameters
from starscout.drawing.charts import Band, lines
from starscout.game import Game
from starscout.settings.arguments import checked
from starscout.settings.schema import File, Pairs, RunSettings, Steps
from starscout.views.html import table as html_table
from starscout.views.store import tuning_report, write_report

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class TuneResult(PlottedResult):
    """The tuned parameters and the history of the steps.

    >>> spec, quick = "mcts simulations=10 nodes=1000", {"store": ":memory:", "workers": 0}
    >>> result = tune("ewn-3x3-3", spec, "c=1:0.2:2", steps=1, pairs=1, **quick)
    >>> result.rows()[0]["step"]
    1
    """

    parameters: dict[str, float]
    """Name → tuned value."""
    history: tuple[dict[str, Any], ...]
    """Every step: number, parameters after it, the two players and the score of the first."""
    player: str
    """SPEC of the tuned player."""
    start: str
    """SPEC of the initial player."""
    tuning: Tuning

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout tune --json`."""
        return {"parameters": self.parameters, "history": list(self.history), "player": self.player}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per step."""
        return [{"step": step["step"], "score": step["score"], **step["parameters"]} for step in self.history]

    def plot(self) -> Picture:
        """Plot every parameter over the steps, as a fraction of its range."""
        parameters = self.tuning.plan.parameters
        parts = [
            Band(
                parameter.name, [parameter.fraction(parameter.start), *(step["parts"][place] for step in self.history)]
            )
            for place, parameter in enumerate(parameters)
        ]
        return Picture(lines(parts, "step", "fraction of the range"))

    def report(self, path: File) -> None:
        """Write an HTML report; raises GameError."""
        write_report(tuning_report(self.tuning), os.fspath(path))

    def summary(self) -> str:
        """Return the progress and the current values."""
        values = "  ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        return f"step {len(self.history)} of {self.tuning.plan.horizon}: {values}"

    def __rich__(self) -> "RenderableType":
        return self.summary()

    def _repr_html_(self) -> str:
        rows = [[name, f"{value:g}"] for name, value in self.parameters.items()]
        curve = self.plot().svg if self.history else ""
        return f"<div>{html_table(('parameter', 'value'), rows, inline=True)}{curve}</div>"

    def __repr__(self) -> str:
        return f"<tuning: {self.summary()}>"


@checked
@isolated
def tune(
    game: str | Game,
    player: str,
    parameters: str,
    *,
    steps: Steps = 100,
    pairs: Pairs = 16,
    **settings: Unpack[RunSettings],
) -> TuneResult:
    """Tune parameters of a player by SPSA: perturbed players play each other, and the winner sets the direction.

    `player` is a SPEC with {name} in place of a parameter; `parameters` is `name=start:low:high`, separated by commas.
    See `RunSettings` for the other keywords. The same call resumes an interrupted tuning; Ctrl-C raises `Interrupted`.
    Raises GameError.

    >>> spec, quick = "mcts simulations=10 nodes=1000", {"store": ":memory:", "workers": 0}
    >>> result = tune("ewn-3x3-3", spec, "c=1:0.2:2", steps=1, pairs=1, **quick)
    >>> 0.2 <= result.parameters["c"] <= 2
    True
    """
    limit, seed = limit_of(settings), settings.get("seed", 0)
    name, wanted = game_name(game), parse_parameters(parameters)
    plain = TuningPlan(name, player, wanted, pairs, steps)
    start = plain.described([parameter.fraction(parameter.start) for parameter in wanted])
    match = make_plan(name, start, start, limit, seed, settings.get("opening_plies"), settings.get("luck"))
    plan = TuningPlan(
        match.game, player, wanted, pairs, steps,
        limit, seed, match.opening_plies, match.luck, match.contents,
    )  # fmt: skip
    with opened_store(settings.get("store")) as store:
        tuning = Tuning(plan, store)

        def result() -> TuneResult:
            return TuneResult(tuning.result(), tuple(tuning.history), tuning.tuned_player(), start, tuning)

        try:
            if len(tuning.history) < steps:
                with logged(settings.get("log")):
                    warm(match)
                with (
                    opened_runner(plan.game, (start,), *worker_settings(settings)) as runner,
                    redrawn(result, shown=settings.get("progress", True)) as redraw,
                ):
                    tuning.play(runner, redraw)
        except KeyboardInterrupt as stop:
            raise Interrupted(result()) from stop
        return result()
