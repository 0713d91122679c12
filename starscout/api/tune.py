"""`starscout.tune`: tune parameters of a player by self-play."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from starscout.api.games import given_game
from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import (
    PlayerLike,
    game_name,
    isolated,
    limit_of,
    logged,
    opened_runner,
    opened_store,
    player_specs,
    worker_settings,
)
from starscout.arena.batch import warm
from starscout.arena.plan import make_plan
from starscout.arena.tuning import Tuning, TuningPlan, parse_parameters
from starscout.drawing.charts import Band, lines
from starscout.errors import public
from starscout.game import Game, GameError
from starscout.players.python_class import PREFIX
from starscout.players.spec import check_arguments, describe
from starscout.settings.arguments import checked
from starscout.settings.schema import File, Pairs, RunSettings, Steps, TuningMethod
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
    intervals: dict[str, tuple[float, float]]
    """Name → 95 % interval of the optimum; empty with `method="spsa"`."""
    start: str
    """SPEC of the initial player."""
    tuning: Tuning

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout tune --json`."""
        return {
            "parameters": self.parameters,
            "intervals": {name: list(interval) for name, interval in self.intervals.items()},
            "history": list(self.history),
            "player": self.player,
        }

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

    @public
    def report(self, path: File) -> None:
        """Write an HTML report; raises GameError."""
        write_report(tuning_report(self.tuning), os.fspath(path))

    def summary(self) -> str:
        """Return the progress and the current values."""
        values = "  ".join(f"{name} {value:g}{self._interval(name)}" for name, value in self.parameters.items())
        return f"step {len(self.history)} of {self.tuning.plan.horizon}: {values}"

    def _interval(self, name: str) -> str:
        low, high = self.intervals.get(name, (None, None))
        return "" if low is None or high is None else f" (95 %: {low:g} to {high:g})"

    def __rich__(self) -> "RenderableType":
        return self.summary()

    def _repr_html_(self) -> str:
        rows = [[name, f"{value:g}{self._interval(name)}"] for name, value in self.parameters.items()]
        curve = self.plot().svg if self.history else ""
        return f"<div>{html_table(('parameter', 'value'), rows, inline=True)}{curve}</div>"

    def __repr__(self) -> str:
        return f"<tuning: {self.summary()}>"


@checked
@isolated
def tune(
    game: str | Game,
    player: PlayerLike,
    parameters: str | Mapping[str, Sequence[float]],
    *,
    steps: Steps = 100,
    pairs: Pairs = 16,
    method: TuningMethod = "gp",
    **settings: Unpack[RunSettings],
) -> TuneResult:
    """Tune parameters of a player: each step is a duel between two players that differ in them.

    `player` is a SPEC with {name} in place of a parameter; a parameter without a placeholder is an option of the
    search, an option that the engine announces, or a parameter of the class. `parameters` maps names to (start, low,
    high): `{"own": (5, 0, 20)}`, or as text `own=5:0:20`, separated by commas. `method` is a Gaussian process, or SPSA.
    See `RunSettings` for the other keywords. The same call resumes an interrupted tuning; Ctrl-C raises `Interrupted`.
    Raises GameError.

    >>> spec, quick = "mcts simulations=10 nodes=1000", {"store": ":memory:", "workers": 0}
    >>> result = tune("ewn-3x3-3", spec, "c=1:0.2:2", steps=1, pairs=1, **quick)
    >>> 0.2 <= result.parameters["c"] <= 2
    True
    """
    limit, seed = limit_of(settings), settings.get("seed", 0)
    name, wanted = game_name(game), parse_parameters(_parameter_text(parameters))
    (spec,) = player_specs((player,), settings.get("each"), given_game(game))
    plain = TuningPlan(name, spec, wanted, pairs, steps)
    start = plain.described(plain.start)
    _check_parameters(plain, given_game(game))
    match = make_plan(name, start, start, limit, seed, settings.get("opening_plies"), settings.get("luck"))
    plan = TuningPlan(
        match.game, spec, wanted, pairs, steps,
        limit, seed, match.opening_plies, match.luck, match.contents, method,
    )  # fmt: skip
    with opened_store(settings.get("store")) as store:
        tuning = Tuning(plan, store)

        def result() -> TuneResult:
            found, intervals = tuning.result(), tuning.intervals()
            return TuneResult(found, tuple(tuning.history), tuning.tuned_player(), intervals, start, tuning)

        try:
            if len(tuning.history) < steps:
                with logged(settings.get("log")):
                    warm(match, hosted=settings.get("workers") != 0)
                with (
                    opened_runner(plan.game, (start,), *worker_settings(settings)) as runner,
                    redrawn(result, shown=settings.get("progress", True)) as redraw,
                ):
                    tuning.play(runner, redraw)
        except KeyboardInterrupt as stop:
            raise Interrupted(result()) from stop
        return result()


def _parameter_text(parameters: str | Mapping[str, Sequence[float]]) -> str:
    """Return parameters as text; raises GameError."""
    if isinstance(parameters, str):
        return parameters
    if not isinstance(parameters, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GameError(f"parameters: expected text or a dictionary, got {parameters!r:.60}")
    for name, values in parameters.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != 3:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise GameError(f"parameters: {name}: expected (start, low, high), got {values!r:.60}")
    return ",".join(f"{name}={':'.join(map(str, values))}" for name, values in parameters.items())


def _check_parameters(plan: TuningPlan, game: Game) -> None:
    """Raise GameError if the player does not accept a parameter, at the start or at an end of its range."""
    low, high = plan.corners()
    try:
        for parts in (plan.start, [0.0] * len(plan.parameters), [1.0] * len(plan.parameters)):
            described = describe(plan.described(parts), game)
        if low:
            check_arguments(plan.described(plan.start), game, *((low, high) if described.command is not None else ()))
    except GameError as error:
        is_program = ":" in plan.player and not plan.player.startswith(PREFIX)
        place = " ".join("{" + name + "}" for name in low)
        hint = f"; to pass it in the command line of a program, write {place} there" if is_program else ""
        raise GameError(f"parameters: {error}{hint if low else ''}") from error
