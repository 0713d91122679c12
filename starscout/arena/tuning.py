"""Tuning: parameters of a player, optimised by duels between players that differ in them.

Each step is a short match between two players that a tuner (`tuners.py`) proposes. The score is luck-adjusted if luck
is measured. Every step is stored as soon as it is played, and a tuning resumes from the store.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan, identity_of, read_stored
from starscout.arena.standings import seeded_hash
from starscout.arena.statistics import Sample
from starscout.arena.store import MEMORY, Store
from starscout.arena.tuners import (
    Array,
    Duel,
    GaussianProcess,
    Optimum,
    Scales,
    gp_optimum,
    next_duel,
    refit_size,
    spsa_duel,
    spsa_optimum,
    spsa_step,
)
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.players.spec import with_options
from starscout.search.limits import Limit
from starscout.settings.options import read_decimal

MAX_WIDTH = 1e15
"""Maximum width of a parameter's range; adjacent integers are still distinct floats."""

GP, SPSA = "gp", "spsa"
METHODS = (GP, SPSA)


@dataclass(frozen=True)
class Parameter:
    """A numeric option of a player with its range; integers stay integers."""

    name: str
    start: float
    low: float
    high: float
    whole: bool

    def value(self, fraction: float) -> float:
        """Return the value at a fraction of the range."""
        value = self.low + min(max(fraction, 0.0), 1.0) * (self.high - self.low)
        return round(value) if self.whole else float(f"{value:.6g}")

    def text(self, fraction: float) -> str:
        """Return the value at a fraction of the range as text."""
        return f"{self.value(fraction):{'d' if self.whole else 'g'}}"

    def fraction(self, value: float) -> float:
        """Return the position of a value in the range, as a fraction."""
        return (value - self.low) / (self.high - self.low)


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse comma-separated parameters `name=start:low:high`; raises GameError."""
    found = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*([\w-]+)=([^:]+):([^:]+):([^:]+)\s*", item)
        texts = [text.strip() for text in match.groups()[1:]] if match else []
        values = [value for text in texts if (value := read_decimal(text)) is not None]
        if match is None or len(values) < len(texts):
            raise GameError(f"parameters: expected name=start:low:high, like c=1.2:0.2:3, got {item[:60]!r}")
        start, low, high = values
        if not (low < high and low <= start <= high and high - low <= MAX_WIDTH):
            raise GameError(
                f"parameters: {item[:60]!r}: expected low ≤ start ≤ high, low < high, width ≤ {MAX_WIDTH:g}"
            )
        whole = all(re.fullmatch(r"[+-]?[0-9]+", text) for text in texts)
        found.append(Parameter(match[1], start, low, high, whole))
    if len({parameter.name for parameter in found}) < len(found):
        raise GameError(f"parameters: {text!r} contains a name twice")
    return tuple(found)


@dataclass(frozen=True)
class TuningPlan:
    """Everything that determines a tuning."""

    game: str
    player: str
    """A player specification with {name} placeholders; parameters without one are added as options."""
    parameters: tuple[Parameter, ...]
    pairs: int
    """Pairs of games per step."""
    horizon: int
    """Total number of steps."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""
    contents: str = ""
    """As in MatchPlan."""
    method: str = SPSA
    """One of METHODS; tunings of earlier versions use SPSA."""

    @property
    def identity(self) -> str:
        """Digest of the plan and of the code that plays it."""
        return identity_of(self)

    def described(self, fractions: Sequence[float]) -> str:
        """Return the player specification with parameters at these fractions of their ranges."""
        text, options = self.player, {}
        for parameter, fraction in zip(self.parameters, fractions, strict=True):
            value, place = parameter.text(fraction), "{" + parameter.name + "}"
            if place in text:
                text = text.replace(place, value)
            else:
                options[parameter.name] = value
        return with_options(text, options)

    @property
    def start(self) -> list[float]:
        """The initial parameters, as fractions of their ranges."""
        return [parameter.fraction(parameter.start) for parameter in self.parameters]

    def corners(self) -> list[dict[str, str]]:
        """Name → text of the parameters that are options, at both ends of their ranges."""
        added = [parameter for parameter in self.parameters if "{" + parameter.name + "}" not in self.player]
        return [{parameter.name: parameter.text(end) for parameter in added} for end in (0.0, 1.0)]

    def snapped(self, points: Array) -> Array:
        """Move points, as fractions of the ranges, to values that the parameters can take."""
        snapped = points.copy()
        for column, parameter in enumerate(self.parameters):
            if parameter.whole:
                snapped[:, column] = [parameter.fraction(parameter.value(part)) for part in points[:, column]]
        return snapped

    def values(self, fractions: Sequence[float]) -> dict[str, float]:
        """Return name → value at these fractions of the ranges."""
        return {
            parameter.name: parameter.value(fraction)
            for parameter, fraction in zip(self.parameters, fractions, strict=True)
        }


class Tuning:
    """A running tuning; steps in the store are not played again."""

    def __init__(self, plan: TuningPlan, store: Store, number: int | None = None) -> None:
        """Open the tuning of a plan, or tuning `number` of the store."""
        self.plan = plan
        self._store = store
        self.id = store.open_tuning(plan.identity, asdict(plan)) if number is None else number
        self._optimum: tuple[int, Optimum] | None = None
        self._scales: dict[int, Scales] = {}
        self.history: list[dict[str, Any]] = store.tuning_steps(self.id)
        """Every step: its number, the parameters after it, both players and the score of the first."""

    def play(self, runner: Runner, watch: Callable[[], None] = lambda: None) -> None:
        """Play the remaining steps."""
        while len(self.history) < self.plan.horizon:
            step = self._step(len(self.history) + 1, runner)
            self._store.add_tuning_step(self.id, step["step"], step)
            self.history.append(step)
            watch()

    def _step(self, number: int, runner: Runner) -> dict[str, Any]:
        plan, before = self.plan, self._parts()
        signs = [1 if int(seeded_hash(plan.seed, number, index)[0], 16) % 2 else -1 for index in range(len(before))]
        if plan.method == SPSA:
            points = spsa_duel(before, number, signs)
        else:
            points = next_duel(self._duels(), plan.start, plan.snapped, plan.pairs, plan.seed, self._scales_now())
        up, down = (plan.described(point) for point in points)
        sample = Sample(plan.pairs, 0.5, 0.125) if up == down else self._score(up, down, number, runner)
        step = {
            "step": number, "up": up, "down": down, "points": [list(point) for point in points],
            "score": sample.mean, "pairs": sample.n, "variance": sample.variance,
        }  # fmt: skip
        if plan.method == SPSA:
            parts = spsa_step(before, number, plan.horizon, signs, sample.mean)
        else:
            duels = [*self._duels(), _duel(step)]
            parts = gp_optimum(duels, plan.start, plan.snapped, plan.seed, self._scales_now(duels), interval=False).best
        return {**step, "parts": list(parts), "parameters": plan.values(parts)}

    def _parts(self) -> Sequence[float]:
        return self.history[-1]["parts"] if self.history else self.plan.start

    def _duels(self) -> list[Duel]:
        return [_duel(step) for step in self.history]

    def _scales_now(self, duels: Sequence[Duel] | None = None) -> Scales | None:
        """The scales of the model; they depend on the history alone, so that a resumed tuning repeats them."""
        duels = self._duels() if duels is None else duels
        size = refit_size(len(duels))
        if size and size not in self._scales:
            self._scales[size] = GaussianProcess(duels[:size]).scales
        return self._scales.get(size)

    def _score(self, up: str, down: str, number: int, runner: Runner) -> Sample:
        plan = self.plan
        seed = int(seeded_hash(plan.seed, number)[:15], 16)
        match = MatchPlan(plan.game, up, down, plan.limit, seed, plan.opening_plies, plan.luck)
        with Store(MEMORY) as memory:
            match_run = MatchRun(memory, match, StoppingRule(plan.pairs))
            run([match_run], runner, memory)
        adjusted = match_run.tally.luck.adjusted()
        return replace(adjusted, mean=min(max(adjusted.mean, 0.0), 1.0)) if adjusted.n else match_run.tally.sample

    def optimum(self) -> Optimum:
        """Return the optimum so far, as fractions of the ranges."""
        steps = len(self.history)
        if self._optimum is None or self._optimum[0] != steps:
            plan = self.plan
            if not steps:
                found = Optimum(plan.start)
            elif plan.method == SPSA:
                found = spsa_optimum([step["parts"] for step in self.history])
            else:
                found = gp_optimum(self._duels(), plan.start, plan.snapped, plan.seed, self._scales_now())
            self._optimum = steps, found
        return self._optimum[1]

    def result(self) -> dict[str, float]:
        """Return the tuned parameters."""
        return self.plan.values(self.optimum().best)

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return name → 95 % interval of the optimum; empty if the method has none."""
        interval = self.optimum().interval
        if interval is None:
            return {}
        low, high = (self.plan.values(ends) for ends in interval)
        return {name: (low[name], high[name]) for name in low}

    def tuned_player(self) -> str:
        """Return the specification of the player with the tuned parameters."""
        values = self.result()
        return self.plan.described([parameter.fraction(values[parameter.name]) for parameter in self.plan.parameters])


def _duel(step: dict[str, Any]) -> Duel:
    first, second = step["points"]
    return Duel(first, second, step["score"], max(1, step["pairs"]), step["variance"])


def stored_tuning(store: Store, number: int) -> Tuning:
    """Return a stored tuning; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tunings()}
    if number not in descriptions:
        raise GameError(f"{store.path}: no tuning {number}")
    return Tuning(read_stored(TuningPlan, descriptions[number]), store, number)
