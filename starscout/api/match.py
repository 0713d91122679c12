"""`starscout.match`: is A stronger than B?"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Unpack, cast

from starscout import games
from starscout.api import html
from starscout.api.progress import redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import (
    ChosenSettings,
    Interrupted,
    Pace,
    PlayerLike,
    RunSettings,
    game_name,
    opened_runner,
    opened_store,
    player_spec,
)
from starscout.api.tables import result_table
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run, stopping_rule_from_json
from starscout.arena.export import export_games, game_rows
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan, limits_in_force, make_plan
from starscout.arena.sprt import Sprt
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.game import Game, GameError
from starscout.players.player import Limits
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from starscout.settings.arguments import checked, number
from starscout.views.match_progress import MatchProgress
from starscout.views.report import match_report, write_report
from starscout.views.store_views import score_chart

if TYPE_CHECKING:
    from rich.console import RenderableType

PAIRS, MOST_PAIRS = 100, 20_000
"""Pairs of a match by default: without a sequential test, and with one at most."""
MOST_ELO = 10_000
"""The largest difference that a sequential test asks for."""


@dataclass(frozen=True)
class LuckAdjusted:
    """The score of A after the luck of every roll is subtracted.

    >>> quick = {"store": ":memory:", "workers": 0}
    >>> luck = match("ewn-3x3-3", "random", "random", pairs=20, **quick).luck_adjusted
    >>> luck is not None and 0 < luck.score < 1
    True
    """

    score: float
    score_error: float
    score_interval: tuple[float, float]
    variance_ratio: float | None
    """The variance that is left, as a part of the raw one."""
    beta: tuple[float, ...]
    los: float


@dataclass(frozen=True)
class SprtState:
    """A sequential test: the log-likelihood ratio between its bounds, and the verdict.

    >>> quick = {"store": ":memory:", "workers": 0}
    >>> match("ewn-3x3-3", "random", "random", pairs=2, sprt=(0, 10), **quick).sprt.verdict
    'undecided'
    """

    llr: float
    lower: float
    upper: float
    verdict: str
    """`elo1`: A is better by `elo1` Elo; `elo0`: it is not better than `elo0`; `undecided`."""
    elo0: float
    elo1: float
    luck_adjusted: bool


@dataclass(frozen=True, repr=False)
class MatchResult(PlottedResult):
    """The result of a match, as far as it is played, for player A.

    >>> result = match("ewn-3x3-3", "random", "random", pairs=20, seed=1, store=":memory:", workers=0)
    >>> result.games, result.pairs
    (40, 20)
    >>> round(result.score, 3) == result.wins / result.games
    True
    """

    match: int
    """Its number in the store."""
    plan: MatchPlan
    """Everything that decides its games."""
    pairs: int
    games: int
    wins: int
    losses: int
    draws: int
    pair_counts: dict[str, int]
    """Pair score → how many pairs."""
    score: float
    """The mean score of A, 0 to 1."""
    score_error: float
    """Half of the 95 % interval."""
    score_interval: tuple[float, float]
    elo: float | None
    """None: infinite."""
    elo_error: float | None
    elo_interval: tuple[float | None, float | None]
    los: float
    """How likely it is that A is stronger."""
    decisive_p_value: float
    luck_adjusted: LuckAdjusted | None
    """None where luck is not measured."""
    sprt: SprtState | None
    forfeits: dict[str, dict[str, int]]
    """"A" and "B" → reason → how many games."""
    first_forfeit: str | None
    mean_plies: float
    used: dict[str, dict[str, float | int | None]]
    """"A" and "B" → time, depth and counts per move."""
    seconds: float
    hopeless: str | None = None
    """"A" or "B" if it forfeited every game before its first move."""
    limits: Limits = (Limit(), Limit())
    """What A and B may use for each move."""
    resumed: int = 0
    """How many of the pairs were in the store already."""
    notes: tuple[str, ...] = ()
    """What a person should know about how it was played."""
    created: float = 0.0
    """When it was begun, in seconds since 1970."""
    finished: bool = True
    current_code: bool = True
    """Whether it was played by the present code."""
    wanted: int = 0
    """The pairs that it is played for."""
    pair_records: tuple[PairRecord, ...] = field(default=(), compare=False)
    """The pairs as they are stored."""
    pace: str = ""
    """How fast it goes, while it is played."""

    @property
    def game(self) -> str:
        """The name of the game, or the path of its file."""
        return self.plan.game

    @property
    def a(self) -> str:
        """The description of player A."""
        return self.plan.first

    @property
    def b(self) -> str:
        """The description of player B."""
        return self.plan.second

    @property
    def seed(self) -> int:
        """What numbers the starts and the dice."""
        return self.plan.seed

    def json(self) -> dict[str, Any]:
        """The fields of `starscout match --json`."""
        return {**{name: _plain(getattr(self, name)) for name in SUMMARY}, "seconds": self.seconds, "match": self.match}

    def rows(self) -> list[dict[str, Any]]:
        """One row per game: seats, result, length, luck, times, start, rolls and moves."""
        return list(game_rows([(self.match, self.plan, self.pair_records)]))

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """Every game as it was played; a notebook shows one as a board to step through.

        >>> result = match("ewn-3x3-3", "random", "random", pairs=1, store=":memory:", workers=0)
        >>> [record.half for record in result.records]
        [0, 1]
        """
        pairs = (pair.games(self.game, (self.a, self.b), self.seed) for pair in self.pair_records)
        return tuple(seated.record for games_of_pair in pairs for seated in games_of_pair)

    def plot(self) -> Picture:
        """The running score with its 95 % band, raw and luck-adjusted."""
        progress = MatchProgress()
        progress.take_all(self.pair_records)
        return Picture(score_chart(progress))

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write the games to a .csv, .json or .parquet file; returns how many. Raises GameError."""
        return export_games([(self.match, self.plan, self.pair_records)], os.fspath(path))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report; raises GameError."""
        write_report(match_report(self.plan, self.json(), self.pair_records), os.fspath(path))

    def forfeited(self) -> list[str]:
        """Every forfeit: which game, whose, and why."""
        names = {"A": self.a, "B": self.b}
        return [
            f"match {self.match}, pair {pair.pair}, game {half}: {names[loser]}: {pair.reasons[half]}: {detail}"
            for pair in self.pair_records
            for half, detail in enumerate(pair.details())
            if (loser := pair.forfeiter(half)) is not None
        ]

    def __rich__(self) -> "RenderableType":
        return result_table(self)

    def _repr_html_(self) -> str:
        return html.match_html(self)

    def __repr__(self) -> str:
        error = f"{self.score:.1%} ± {self.score_error:.1%}"
        return f"<match {self.match} of {self.game}: {self.a} scores {error} against {self.b} in {self.games} games>"


SUMMARY = tuple(Tally().summary())
"""The fields of a result that a tally knows: those of `starscout match --json`."""


@checked()
def match(
    game: str | Game,
    a: PlayerLike,
    b: PlayerLike,
    *,
    pairs: int | None = None,
    sprt: tuple[float, float] | None = None,
    sprt_luck: bool = False,
    **settings: Unpack[RunSettings],
) -> MatchResult:
    """Play pairs of games with the same dice and swapped seats until it is clear whether A is stronger than B.

    A player is a SPEC, or a Python class with a method `choose(self, state, limit)`. `pairs` is 100 by default, with
    `sprt=(E0, E1)` at most 20,000: the test stops when A is better by E1 Elo, or not by E0; `sprt_luck` lets it use the
    luck-adjusted pairs. See `RunSettings` for the other keywords.

    Every finished pair is stored at once. The same call continues an interrupted match, and shows a finished one.
    Ctrl-C raises `Interrupted`, a KeyboardInterrupt with the `result` so far. Raises GameError.

    >>> result = match("ewn-3x3-3", "negascout depth=2 eval=zero", "random", pairs=10, store=":memory:", workers=0)
    >>> result.wins > result.losses
    True
    """
    chosen = ChosenSettings(**settings)
    name, first, second = game_name(game), player_spec(a), player_spec(b)
    plan = make_plan(name, first, second, chosen.limit, chosen.seed, chosen.opening_plies, chosen.luck)
    rules = games.load(plan.game)
    notes = ()
    if plan.opening_plies != (rules.opening_plies or 0) and chosen.opening_plies is None:
        notes = ("no random openings: a program plays only from the start of the game",)
    test = None if sprt is None else _sequential_test(sprt)
    if sprt_luck and (test is None or not plan.luck or not rules.has_dice):
        raise GameError("--sprt-luck is for a sequential test (--sprt) of a game with dice whose luck is measured")
    usual = MOST_PAIRS if test else PAIRS
    rule = StoppingRule(usual if pairs is None else pairs, test, sprt_luck)
    limits = limits_in_force(plan)
    with opened_store(chosen.store) as store:
        match_run, pace = MatchRun(store, plan, rule), Pace()
        stored = store.match(match_run.id)

        def draw() -> MatchResult:
            return match_result(
                stored, match_run.tally, match_run.seconds, limits=limits, notes=notes, pace=pace.text(match_run)
            )

        def result() -> MatchResult:
            now = store.match(match_run.id)
            records = tuple(store.counted_pairs(now))
            facts = {"limits": limits, "notes": notes, "resumed": match_run.resumed, "pair_records": records}
            return match_result(now, match_run.tally, match_run.seconds, **facts)

        try:
            if not match_run.finished:
                # Compile here, once: the workers then load what they need.
                warm(plan)
                with (
                    opened_runner(plan.game, (first, second), chosen) as runner,
                    redrawn(draw, shown=chosen.progress) as redraw,
                ):
                    run([match_run], runner, store, redraw, stop_when_failing=True)
        except KeyboardInterrupt as stop:
            raise Interrupted(result()) from stop
        return result()


def _sequential_test(bounds: tuple[float, float]) -> Sprt:
    """The test between two differences in Elo; raises GameError."""
    if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GameError(f"sprt is a pair of differences in Elo, like (0, 5), not {bounds!r}")
    return Sprt(*(number("sprt", bound, -MOST_ELO, MOST_ELO) for bound in bounds))


def stored_result(store: Store, match: StoredMatch) -> MatchResult:
    """The result of a match as far as it is stored."""
    records = tuple(store.counted_pairs(match))
    limits = match.plan.limit, match.plan.limit
    return match_result(match, _tally(records), match.seconds, limits=limits, pair_records=records)


def _tally(records: tuple[PairRecord, ...]) -> Tally:
    tally = Tally()
    for record in records:
        tally.add(record)
    return tally


def match_result(match: StoredMatch, tally: Tally, seconds: float, **facts: Any) -> MatchResult:
    """The result of a stored match that has this tally; `facts` are other fields."""
    rule = stopping_rule_from_json(match.stopping_rule)
    summary = tally.summary(rule.sprt, rule.adjusted)
    luck, test = summary["luck_adjusted"], summary["sprt"]
    typed: dict[str, Any] = {
        "score_interval": tuple(summary["score_interval"]),
        "elo_interval": tuple(summary["elo_interval"]),
        "luck_adjusted": None if luck is None else LuckAdjusted(**_tuples(luck)),
        "sprt": None if test is None else SprtState(**test),
    }
    return MatchResult(
        **{**summary, **typed, **facts},
        match=match.id,
        plan=match.plan,
        seconds=seconds,
        hopeless=tally.failing_player,
        created=match.created,
        finished=match.counted is not None,
        current_code=match.current,
        wanted=rule.pairs,
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(cast(list[Any], value)) if isinstance(value, list) else value for name, value in values.items()}


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    return asdict(value) if isinstance(value, LuckAdjusted | SprtState) else value
