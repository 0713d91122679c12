"""Tuning: parameters of a player improved by play, by SPSA over pairs (J. C. Spall, 1992).

Each step shifts all parameters at once, up or down at random, plays the shifted player against the one shifted the
other way, and moves in the direction of the winner. Parameters are seen as parts of their range, 0 to 1:

    up, down = u ± c·Δ          Δ = ±1 each at random           c = 0.1 / k^0.101
    u ← u + a · r / (2c) · Δ    r = 2 · score of `up` − 1       a = 0.05 · ((A + 1)/(A + k))^0.602

The score is the luck-adjusted one where luck can be measured. The result is the mean over the last quarter of the
steps. Every step is in the store as soon as it is played, and a tuning resumes from there.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan, identity_of
from starscout.arena.standings import seeded_hash
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.search.limits import Limit
from starscout.settings.numbers import read_decimal

WIDEST = 1e15
"""The widest range of a parameter: its whole numbers are still told apart."""

FIRST_SHIFT, SHIFT_DECAY = 0.1, 0.101
FIRST_GAIN, GAIN_DECAY = 0.05, 0.602


@dataclass(frozen=True)
class Parameter:
    """A number of a player's description with the range it may take; whole numbers stay whole."""

    name: str
    start: float
    low: float
    high: float
    whole: bool

    def value(self, part: float) -> float:
        """The value at a part of the range, 0 to 1."""
        value = self.low + min(max(part, 0.0), 1.0) * (self.high - self.low)
        return round(value) if self.whole else float(f"{value:.6g}")

    def part(self, value: float) -> float:
        """The inverse of `value`."""
        return (value - self.low) / (self.high - self.low)


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parameters written `name=start:low:high`, with commas between them; raises GameError."""
    found = []
    for word in text.split(","):
        match = re.fullmatch(r"\s*([\w-]+)=([^:]+):([^:]+):([^:]+)\s*", word)
        texts = [text.strip() for text in match.groups()[1:]] if match else []
        values = [value for text in texts if (value := read_decimal(text)) is not None]
        if match is None or len(values) < len(texts):
            raise GameError(f"{word[:60]!r} is not a parameter: write name=start:low:high, like c=1.2:0.2:3")
        start, low, high = values
        if not (low < high and low <= start <= high and high - low <= WIDEST):
            raise GameError(f"{word[:60]!r}: low must be below high, and start between them (at most {WIDEST:g} apart)")
        whole = all(re.fullmatch(r"[+-]?[0-9]+", text) for text in texts)
        found.append(Parameter(match[1], start, low, high, whole))
    if len({parameter.name for parameter in found}) < len(found):
        raise GameError(f"{text!r} names a parameter twice")
    return tuple(found)


@dataclass(frozen=True)
class TuningPlan:
    """Everything that decides a tuning except its length."""

    game: str
    player: str
    """A description with {name} where a parameter stands; parameters without a place become options at its end."""
    parameters: tuple[Parameter, ...]
    pairs: int
    """Pairs of games per step."""
    horizon: int
    """The number of steps that the gains are planned for."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""
    contents: str = ""
    """As in MatchPlan."""

    @property
    def identity(self) -> str:
        """A digest of the plan and of the code that plays it."""
        return identity_of(self)

    def described(self, parts: Sequence[float]) -> str:
        """The player with parameters at these parts of their ranges."""
        text = self.player
        for parameter, part in zip(self.parameters, parts, strict=True):
            value = f"{parameter.value(part):{'d' if parameter.whole else 'g'}}"
            place = "{" + parameter.name + "}"
            text = text.replace(place, value) if place in text else f"{text} {parameter.name}={value}"
        return text

    def values(self, parts: Sequence[float]) -> dict[str, float]:
        """The parameters by name at these parts of their ranges."""
        return {parameter.name: parameter.value(part) for parameter, part in zip(self.parameters, parts, strict=True)}


class Tuning:
    """A tuning under way; steps that the store has are not played again."""

    def __init__(self, plan: TuningPlan, store: Store, number: int | None = None) -> None:
        """The tuning of a plan, or number `number` of the store as far as it went."""
        self.plan = plan
        self._store = store
        self.id = store.open_tuning(plan.identity, asdict(plan)) if number is None else number
        self._start = [parameter.part(parameter.start) for parameter in plan.parameters]
        self.history: list[dict[str, Any]] = store.tuning_steps(self.id)
        """Every step: its number, the parameters after it, the two players and the score of the first."""

    def play(self, runner: Runner, watch: Callable[[], None] = lambda: None) -> None:
        """Play the steps that are left of the horizon."""
        while len(self.history) < self.plan.horizon:
            step = self._step(len(self.history) + 1, runner)
            self._store.add_tuning_step(self.id, step["step"], step)
            self.history.append(step)
            watch()

    def _step(self, number: int, runner: Runner) -> dict[str, Any]:
        plan = self.plan
        parts = self.history[-1]["parts"] if self.history else self._start
        shift = FIRST_SHIFT / number**SHIFT_DECAY
        steady = plan.horizon / 10
        gain = FIRST_GAIN * ((steady + 1) / (steady + number)) ** GAIN_DECAY
        signs = [1 if int(seeded_hash(plan.seed, number, index)[0], 16) % 2 else -1 for index in range(len(parts))]
        up = plan.described([part + shift * sign for part, sign in zip(parts, signs, strict=True)])
        down = plan.described([part - shift * sign for part, sign in zip(parts, signs, strict=True)])
        score = 0.5 if up == down else self._score(up, down, number, runner)
        slope = (2 * score - 1) / (2 * shift)
        moved = [min(max(part + gain * slope * sign, 0.0), 1.0) for part, sign in zip(parts, signs, strict=True)]
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
        """The tuned parameters: the mean over the last quarter of the steps taken."""
        if not self.history:
            return self.plan.values(self._start)
        last = self.history[-max(1, len(self.history) // 4) :]
        return self.plan.values([sum(column) / len(last) for column in zip(*(s["parts"] for s in last), strict=True)])

    def tuned_player(self) -> str:
        """The description of the player with the tuned parameters."""
        values = self.result()
        return self.plan.described([parameter.part(values[parameter.name]) for parameter in self.plan.parameters])


def stored_tuning(store: Store, number: int) -> Tuning:
    """A tuning as far as the store has it; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tunings()}
    if number not in descriptions:
        raise GameError(f"there is no tuning {number} in {store.path}")
    values = descriptions[number]
    parameters = tuple(Parameter(**parameter) for parameter in values["parameters"])
    plan = TuningPlan(**{**values, "parameters": parameters, "limit": Limit(**values["limit"])})
    return Tuning(plan, store, number)
