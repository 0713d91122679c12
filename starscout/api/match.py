"""`starscout.match`: play a match between two players."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

from starscout import __version__, games
from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult, elo_text, points_estimate, used_text
from starscout.api.running import (
    Pace,
    PlayerLike,
    game_name,
    game_rules,
    isolated,
    limit_of,
    logged,
    opened_runner,
    opened_store,
    player_specs,
    worker_settings,
)
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run, stopping_rule_from_json
from starscout.arena.export import export_games, forfeit_lines, game_rows
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan, effective_limits, make_plan
from starscout.arena.sprt import Sprt
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import POINTS, Tally
from starscout.errors import public
from starscout.game import Game
from starscout.players.names import player_names, with_names
from starscout.players.player import Limits
from starscout.players.spec import check_class
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from starscout.settings.arguments import argument, checked
from starscout.settings.schema import File, MatchSettings, Pairs, Setting, SettingError
from starscout.views.html import table as html_table
from starscout.views.match import MatchProgress, score_chart
from starscout.views.store import match_report, write_report

if TYPE_CHECKING:
    from rich.console import RenderableType

PAIRS, MOST_PAIRS = 100, 20_000
"""Default number of pairs without a sequential test, and default maximum with one."""
EloBound = Annotated[float, Setting("Hypothesis of a sequential test, in Elo.", -10_000, 10_000, "Elo")]


@dataclass(frozen=True)
class LuckAdjusted:
    """The score of A after subtracting the luck of every roll.

    >>> quick = {"store": ":memory:", "workers": 0}
    >>> luck = match("ewn-3x3-3", "random", "random", pairs=20, **quick).luck_adjusted
    >>> luck is not None and 0 < luck.score < 1
    True
    """

    score: float
    score_error: float
    score_interval: tuple[float, float]
    variance_ratio: float | None
    """Remaining variance divided by the raw variance."""
    beta: tuple[float, ...]
    los: float
    points_per_game: float | None = None
    """None in games without points."""
    points_error: float | None = None
    points_interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class SprtState:
    """A sequential probability ratio test: log-likelihood ratio, bounds and verdict.

    >>> quick = {"store": ":memory:", "workers": 0}
    >>> match("ewn-3x3-3", "random", "random", pairs=2, sprt=(0, 10), **quick).sprt.verdict
    'undecided'
    """

    llr: float
    lower: float
    upper: float
    verdict: str
    """`elo1`: H1 accepted; `elo0`: H0 accepted; or `undecided`."""
    elo0: float
    elo1: float
    luck_adjusted: bool


@dataclass(frozen=True, repr=False)
class MatchResult(PlottedResult):
    """The result of a match so far, from the perspective of player A.

    >>> result = match("ewn-3x3-3", "random", "random", pairs=20, seed=1, store=":memory:", workers=0)
    >>> result.games, result.pairs
    (40, 20)
    >>> round(result.score, 3) == result.wins / result.games
    True
    """

    match: int
    """Number of the match in the store."""
    plan: MatchPlan
    """Everything that determines its games."""
    pairs: int
    games: int
    wins: int
    losses: int
    draws: int
    pair_counts: dict[str, int]
    """Pair score → number of pairs."""
    score: float
    """Mean score of A, 0 to 1."""
    score_error: float
    """Half-width of the 95 % confidence interval."""
    score_interval: tuple[float, float]
    points_per_game: float | None
    """Mean points of A per game; None in games whose wins all count one point."""
    points_error: float | None
    """Half-width of its 95 % confidence interval."""
    points_interval: tuple[float, float] | None
    elo: float | None
    """None if infinite."""
    elo_error: float | None
    elo_interval: tuple[float | None, float | None]
    normalised_elo: float | None
    """Normalised Elo as in fastchess; None if all pairs have the same score."""
    normalised_elo_error: float | None
    """Half-width of fastchess's error bar, which takes the variance as known: too narrow far from 50 %."""
    normalised_elo_interval: tuple[float | None, float | None]
    """95 % confidence interval; None for an infinite end."""
    los: float
    """Likelihood of superiority of A."""
    decisive_p_value: float
    luck_adjusted: LuckAdjusted | None
    """None if luck is not measured."""
    sprt: SprtState | None
    forfeits: dict[str, dict[str, int]]
    """"A" and "B" → reason → number of games."""
    first_forfeit: str | None
    adjudications: dict[str, int]
    """Reason → number of games that the referee ended early."""
    mean_plies: float
    used: dict[str, dict[str, float | int | None]]
    """"A" and "B" → time, depth and counts per move."""
    seconds: float
    failing_player: str | None = None
    """"A" or "B" if it forfeited every game before its first move, which stops the match."""
    forfeiting_player: str | None = None
    """"A" or "B" if it forfeited every game."""
    limits: Limits = (Limit(), Limit())
    """Limits of A and B per move."""
    resumed: int = 0
    """Number of pairs that were already in the store."""
    notes: tuple[str, ...] = ()
    """Remarks on how it was played."""
    created: float = 0.0
    """Start time, in seconds since 1970."""
    finished: bool = True
    current_code: bool = True
    """Whether the current code played it."""
    wanted: int = 0
    """Number of pairs to play."""
    played: int = 0
    """Number of pairs played, including pairs without a valid game."""
    pair_records: tuple[PairRecord, ...] = field(default=(), compare=False)
    """The stored pairs."""
    double_forfeits: int = 0
    """Number of games that both players forfeited; they score 0 – 0 and are not in `games`."""
    pace: str = ""
    """Rate and remaining time while it is played."""
    known_names: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    """SPEC → name of players that were named in a tournament."""

    @property
    def names(self) -> tuple[str, str]:
        """Names of A and B in tables: short forms of their SPECs, or their names in a tournament."""
        a, b = player_names((self.a, self.b), self.known_names)
        return a, b

    @property
    def first_forfeit_text(self) -> str:
        """The first forfeit, with names instead of SPECs; empty if there is none."""
        return with_names(self.first_forfeit or "", (self.a, self.b), self.names)

    @property
    def game(self) -> str:
        """Name of the game, or path of its file."""
        return self.plan.game

    @property
    def a(self) -> str:
        """Description of player A."""
        return self.plan.first

    @property
    def b(self) -> str:
        """Description of player B."""
        return self.plan.second

    @property
    def seed(self) -> int:
        """Random seed for start positions and dice."""
        return self.plan.seed

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout match --json`."""
        summary = {
            name: _plain(getattr(self, name))
            for name in SUMMARY
            if name not in POINTS or getattr(self, name) is not None
        }
        return {
            "game": self.game,
            "players": {"A": self.a, "B": self.b},
            "limits": {name: _limit_json(limit) for name, limit in zip("AB", self.limits, strict=True)},
            "seed": self.seed,
            "version": __version__,
            **summary,
            "stopped_early": self.stopped_early or None,
            "seconds": self.seconds,
            "match": self.match,
        }

    @property
    def stopped_early(self) -> str:
        """Why the match ended before all pairs were played; empty if it did not."""
        played = f"after {self.played} of {self.wanted:,} pairs"
        if self.played >= self.wanted:
            return ""
        if self.failing_player is not None:
            return f"{played}: {self.failing_player} forfeited every game before its first move"
        if self.sprt is not None and self.sprt.verdict != "undecided":
            return f"{played}: the sequential test accepted {VERDICTS[self.sprt.verdict]}"
        return ""

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per game: seats, result, length, luck, times, start, rolls and moves."""
        return list(game_rows([(self.match, self.plan, self.pair_records)]))

    @property
    def records(self) -> tuple[GameRecord, ...]:
        """Records of all games; a notebook displays a record as a board to step through.

        >>> result = match("ewn-3x3-3", "random", "random", pairs=1, store=":memory:", workers=0)
        >>> [record.half for record in result.records]
        [0, 1]
        """
        pairs = (pair.games(self.game, (self.a, self.b), self.seed) for pair in self.pair_records)
        return tuple(seated.record for games_of_pair in pairs for seated in games_of_pair)

    def plot(self) -> Picture:
        """Plot the running score with its 95 % band, raw and luck-adjusted."""
        progress = MatchProgress()
        progress.add_all(self.pair_records)
        return Picture(score_chart(progress))

    @public
    def export(self, path: File) -> int:
        """Write the games to a .csv, .json or .parquet file; returns their number. Raises GameError."""
        return export_games([(self.match, self.plan, self.pair_records)], os.fspath(path))

    @public
    def report(self, path: File) -> None:
        """Write an HTML report; raises GameError."""
        write_report(match_report(self.plan, self.json(), self.pair_records), os.fspath(path))

    def forfeited(self) -> list[str]:
        """Describe every forfeit: game, player and reason."""
        return forfeit_lines(self.match, self.plan, self.pair_records, self.known_names)

    def __rich__(self) -> "RenderableType":
        from rich.table import Table

        title = "A: {}\nB: {}".format(*self.names)
        table = Table(box=None, show_header=False, title=title, title_justify="left")
        table.add_column(style="bold")
        table.add_column()
        for row in summary_rows(self):
            table.add_row(*row)
        return table

    def _repr_html_(self) -> str:
        players = "<br>".join(f"{seat}: <code>{escape(n)}</code>" for seat, n in zip("AB", self.names, strict=True))
        curve = self.plot().svg if self.pair_records else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<div><p>{players}</p>{html_table(('', ''), summary_rows(self), inline=True)}{notes}{curve}</div>"

    def __repr__(self) -> str:
        error = f"{self.score:.1%} ± {self.score_error:.1%}"
        a, b = self.names
        return f"<match {self.match} of {self.game}: {a} scores {error} against {b} in {self.games} games>"


SUMMARY = tuple(Tally().summary())
"""The fields of `starscout match --json` that a tally computes."""
VERDICTS = {"elo1": "H1", "elo0": "H0"}
"""Verdict of a sequential test → accepted hypothesis."""


@checked
@isolated
def match(
    game: str | Game,
    a: PlayerLike,
    b: PlayerLike,
    *,
    pairs: Pairs | None = None,
    sprt: tuple[float, float] | None = None,
    sprt_luck: bool = False,
    **settings: Unpack[MatchSettings],
) -> MatchResult:
    """Play a match between A and B in pairs of games with the same dice and swapped seats.

    A player is a SPEC, or a Python class with a method `choose(self, state, limit)`. `pairs` is 100 by default. With
    `sprt=(E0, E1)`, a sequential test of H0 (E0 Elo) against H1 (E1 Elo) ends the match, after at most 20,000 pairs by
    default; with `sprt_luck` it tests luck-adjusted pairs. See `RunSettings` for the other keywords.

    Every finished pair is stored immediately. The same call resumes an interrupted match and returns a finished one.
    Ctrl-C raises `Interrupted`, a KeyboardInterrupt with the `result` so far. Raises GameError.

    >>> result = match("ewn-3x3-3", "negascout depth=2 eval=zero", "random", pairs=10, store=":memory:", workers=0)
    >>> result.wins > result.losses
    True
    """
    name = game_name(game)
    first, second = player_specs((a, b), settings.get("each"), games.load(name))
    opening, luck = settings.get("opening_plies"), settings.get("luck")
    plan = make_plan(
        name, first, second, limit_of(settings), settings.get("seed", 0), opening, luck, **game_rules(settings)
    )
    rules = games.load(plan.game)
    notes = ()
    if plan.opening_plies != (rules.opening_plies or 0) and opening is None and not plan.openings:
        notes = ("no random openings: a program can only play from the start position",)
    test = None if sprt is None else _sequential_test(sprt)
    if sprt_luck and (test is None or not plan.luck or not rules.has_chance):
        raise SettingError("{} requires {}, a game with dice, and measured luck", ("sprt_luck", "sprt"))
    usual = MOST_PAIRS if test else PAIRS
    rule = StoppingRule(usual if pairs is None else pairs, test, sprt_luck)
    limits = effective_limits(plan)
    for spec in (first, second):
        check_class(spec, rules, hosted=settings.get("workers") != 0)
    with opened_store(settings.get("store")) as store:
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
                # Compile once, before the workers load the kernels.
                with logged(settings.get("log")):
                    warm(plan, hosted=settings.get("workers") != 0)
                with (
                    opened_runner(plan.game, (first, second), *worker_settings(settings)) as runner,
                    redrawn(draw, shown=settings.get("progress", True)) as redraw,
                ):
                    run([match_run], runner, store, redraw, stop_when_failing=True)
        except KeyboardInterrupt as stop:
            raise Interrupted(result()) from stop
        return result()


def _sequential_test(bounds: tuple[float, float]) -> Sprt:
    """Build the test between two Elo differences; raises GameError."""
    if not isinstance(bounds, Sequence) or isinstance(bounds, str) or len(bounds) != 2:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SettingError("{}", ("sprt",), f": expected two Elo differences such as (0, 5), got {bounds!r}")
    return Sprt(*(argument("sprt", bound, EloBound) for bound in bounds))


def stored_result(store: Store, match: StoredMatch) -> MatchResult:
    """Return the result of a match so far from the store."""
    records = tuple(store.counted_pairs(match))
    limits = match.plan.limit, match.plan.limit
    return match_result(match, _tally(records), match.seconds, limits=limits, pair_records=records)


def _tally(records: tuple[PairRecord, ...]) -> Tally:
    tally = Tally()
    for record in records:
        tally.add(record)
    return tally


def match_result(match: StoredMatch, tally: Tally, seconds: float, **facts: Any) -> MatchResult:
    """Build the result of a stored match from its tally; `facts` are other fields."""
    rule = stopping_rule_from_json(match.stopping_rule)
    summary = tally.summary(rule.sprt, rule.adjusted)
    luck, test = summary["luck_adjusted"], summary["sprt"]
    typed: dict[str, Any] = {
        "score_interval": tuple(summary["score_interval"]),
        "points_interval": summary["points_interval"] and tuple(summary["points_interval"]),
        "elo_interval": tuple(summary["elo_interval"]),
        "normalised_elo_interval": tuple(summary["normalised_elo_interval"]),
        "luck_adjusted": None if luck is None else LuckAdjusted(**_tuples(luck)),
        "sprt": None if test is None else SprtState(**test),
    }
    return MatchResult(
        **{**summary, **typed, **facts},
        match=match.id,
        plan=match.plan,
        seconds=seconds,
        failing_player=tally.failing_player,
        forfeiting_player=tally.forfeiting_player,
        double_forfeits=tally.double_forfeits,
        created=match.created,
        finished=match.counted is not None,
        current_code=match.current,
        wanted=rule.pairs,
        played=tally.count,
    )


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(cast(list[Any], value)) if isinstance(value, list) else value for name, value in values.items()}


def _limit_json(limit: Limit) -> dict[str, float | int]:
    """Return the limits that are set."""
    return {name: value for name, value in asdict(limit).items() if value}


def _plain(value: Any) -> Any:
    """Convert a value for JSON."""
    if not isinstance(value, LuckAdjusted | SprtState):
        return value
    return {name: field for name, field in asdict(value).items() if name not in POINTS or field is not None}


def _elo_range(interval: tuple[float | None, float | None]) -> str:
    return f"{elo_text(interval[0], -1)} to {elo_text(interval[1], 1)}"


def summary_rows(result: MatchResult) -> list[tuple[str, str]]:
    """Summarise a match as pairs of label and text; forfeits come first."""
    rows: list[tuple[str, str]] = []
    for name in ("A", "B"):
        reasons = ", ".join(f"{reason} {count}×" for reason, count in result.forfeits[name].items())
        if reasons:
            rows.append((f"forfeits of {name}", f"{reasons} of {result.games} games"))
    if result.first_forfeit:
        rows.append(("first forfeit", result.first_forfeit_text))
    if result.adjudications:
        rows.append(("adjudicated", ", ".join(f"{reason} {count}×" for reason, count in result.adjudications.items())))
    counts = "  ".join(f"{score}: {count}" for score, count in result.pair_counts.items())
    draws = f" ={result.draws}" if result.draws else ""
    pairs = "1 pair" if result.pairs == 1 else f"{result.pairs} pairs"
    rows.append(("games", f"{result.games} in {pairs}   +{result.wins} −{result.losses}{draws}"))
    rows.append(("pair scores", counts or "none yet"))
    low, high = result.score_interval
    rows.append(("score of A", f"{result.score:.1%}   95 %: {low:.1%} to {high:.1%}"))
    if result.points_per_game is not None and result.points_interval is not None:
        rows.append(("points per game", points_estimate(result.points_per_game, result.points_interval)))
    infinite = 1 if result.score > 0.5 else -1
    rows.append(("Elo", f"{elo_text(result.elo, infinite)}   95 %: {_elo_range(result.elo_interval)}"))
    if result.normalised_elo is not None:
        interval = _elo_range(result.normalised_elo_interval)
        rows.append(("normalised Elo", f"{result.normalised_elo:+.0f}   95 %: {interval}"))
    rows.append(("A is stronger", f"{result.los:.1%} likely"))
    luck = result.luck_adjusted
    if luck is not None:
        low, high = luck.score_interval
        ratio = "" if luck.variance_ratio is None else f"   variance × {luck.variance_ratio:.2f}"
        score = min(max(luck.score, 0.0), 1.0)
        rows.append(("luck-adjusted", f"{score:.1%}   95 %: {low:.1%} to {high:.1%}{ratio}"))
        if luck.points_per_game is not None and luck.points_interval is not None:
            rows.append(("luck-adjusted points", points_estimate(luck.points_per_game, luck.points_interval)))
    test = result.sprt
    if test is not None:
        between = f"LLR {test.llr:+.2f} between {test.lower:.2f} and {test.upper:.2f}"
        accepted = f"{VERDICTS[test.verdict]} accepted ({test.verdict})" if test.verdict in VERDICTS else test.verdict
        rows.append(("sequential test", f"H0: {test.elo0:g} Elo, H1: {test.elo1:g} Elo   {between}: {accepted}"))
    if result.stopped_early:
        rows.append(("stopped early", result.stopped_early))
    rows.append(("length", f"{result.mean_plies:.1f} plies"))
    for name, limit in zip(("A", "B"), (str(limit) or "its own default" for limit in result.limits), strict=True):
        rows.append((f"{name} used", f"{used_text(result.used[name])}   limit: {limit}"))
    if result.pace:
        rows.append(("pace", result.pace))
    return rows
