"""SPSA tuner: simultaneous perturbation stochastic approximation (J. C. Spall, 1992).

Each step perturbs all parameters at once in random directions, plays the perturbed player against the one perturbed the
opposite way, and moves towards the winner. Parameters are scaled to their range, 0 to 1:

    up, down = u ± c·Δ          Δ = ±1 each at random           c = 0.1 / k^0.101
    u ← u + a · r / (2c) · Δ    r = 2 · score of `up` − 1       a = 0.05 · ((A + 1)/(A + k))^0.602

The score is luck-adjusted if luck is measured. The result is the mean over the last quarter of the steps. Every step is
stored as soon as it is played, and a tuning resumes from the store.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan, identity_of, read_stored
from starscout.arena.standings import seeded_hash
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.search.limits import Limit
from starscout.settings.options import read_decimal

MAX_WIDTH = 1e15
"""Maximum width of a parameter's range; adjacent integers are still distinct floats."""

FIRST_PERTURBATION, PERTURBATION_DECAY = 0.1, 0.101
FIRST_GAIN, GAIN_DECAY = 0.05, 0.602


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

    def fraction(self, value: float) -> float:
        """Return the fraction of the range at a value."""
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
    """A player specification with {name} placeholders; parameters without one are appended as options."""
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

    @property
    def identity(self) -> str:
        """Digest of the plan and of the code that plays it."""
        return identity_of(self)

    def described(self, fractions: Sequence[float]) -> str:
        """Return the player specification with parameters at these fractions of their ranges."""
        text = self.player
        for parameter, fraction in zip(self.parameters, fractions, strict=True):
            value = f"{parameter.value(fraction):{'d' if parameter.whole else 'g'}}"
            place = "{" + parameter.name + "}"
            text = text.replace(place, value) if place in text else f"{text} {parameter.name}={value}"
        return text

    def values(self, fractions: Sequence[float]) -> dict[str, float]:
        """Return name → value at these fractions of the ranges."""
        return {
            parameter.name: parameter.value(fraction)
            for parameter, fraction in zip(self.parameters, fractions, strict=True)
        }


class Tuning:
    """A tuning under way; steps that the store has are not played again."""

    def __init__(self, plan: TuningPlan, store: Store, number: int | None = None) -> None:
        """Open the tuning of a plan, or tuning `number` of the store."""
        self.plan = plan
        self._store = store
        self.id = store.open_tuning(plan.identity, asdict(plan)) if number is None else number
        self._start = [parameter.fraction(parameter.start) for parameter in plan.parameters]
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
        plan = self.plan
        fractions = self.history[-1]["parts"] if self.history else self._start
        perturbation = FIRST_PERTURBATION / number**PERTURBATION_DECAY
        steady = plan.horizon / 10
        gain = FIRST_GAIN * ((steady + 1) / (steady + number)) ** GAIN_DECAY
        signs = [1 if int(seeded_hash(plan.seed, number, index)[0], 16) % 2 else -1 for index in range(len(fractions))]
        up = plan.described([fraction + perturbation * sign for fraction, sign in zip(fractions, signs, strict=True)])
        down = plan.described([fraction - perturbation * sign for fraction, sign in zip(fractions, signs, strict=True)])
        score = 0.5 if up == down else self._score(up, down, number, runner)
        slope = (2 * score - 1) / (2 * perturbation)
        moved = [
            min(max(fraction + gain * slope * sign, 0.0), 1.0) for fraction, sign in zip(fractions, signs, strict=True)
        ]
        return {
            "step": number, "parts": moved, "parameters": plan.values(moved), "up": up, "down": down, "score": score,
        }  # fmt: skip

    def _score(self, up: str, down: str, number: int, runner: Runner) -> float:
        plan = self.plan
        seed = int(seeded_hash(plan.seed, number)[:15], 16)
        match = MatchPlan(plan.game, up, down, plan.limit, seed, plan.opening_plies, plan.luck)
        with Store(MEMORY) as memory:
            match_run = MatchRun(memory, match, StoppingRule(plan.pairs))
            run([match_run], runner, memory)
        adjusted = match_run.tally.luck.adjusted()
        return min(max(adjusted.mean, 0.0), 1.0) if adjusted.n else match_run.tally.sample.mean

    def result(self) -> dict[str, float]:
        """Return the tuned parameters: the mean over the last quarter of the steps."""
        if not self.history:
            return self.plan.values(self._start)
        last = self.history[-max(1, len(self.history) // 4) :]
        return self.plan.values([sum(column) / len(last) for column in zip(*(s["parts"] for s in last), strict=True)])

    def tuned_player(self) -> str:
        """Return the specification of the player with the tuned parameters."""
        values = self.result()
        return self.plan.described([parameter.fraction(values[parameter.name]) for parameter in self.plan.parameters])


def stored_tuning(store: Store, number: int) -> Tuning:
    """Return a stored tuning; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tunings()}
    if number not in descriptions:
        raise GameError(f"{store.path}: no tuning {number}")
    return Tuning(read_stored(TuningPlan, descriptions[number]), store, number)
