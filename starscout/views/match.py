"""The view of a match: result, forfeits, charts, and the games with the largest mistakes and the luckiest rolls."""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

from starscout.arena.director import stopping_rule_from_json
from starscout.arena.export import PlayedMatch
from starscout.arena.luck import make_meter
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.statistics import Sample, confidence_interval, shrunk_prior
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.drawing.charts import Band, histogram, lines
from starscout.drawing.svg import BEST, Arrow, board_svg, input_squares
from starscout.game import GameError
from starscout.game.state import State
from starscout.players.names import player_names, with_names
from starscout.search.limits import Limit
from starscout.views.html import (
    COMMA,
    Markup,
    code_text,
    concat,
    estimate,
    heading,
    label,
    paragraph,
    percent,
    progress_line,
    score_bar,
    table,
)

HIGHLIGHTS = 4
"""Number of highlights of each kind to keep."""
MAX_FORFEITS = 20
"""Maximum number of forfeits to list."""
MAX_TIMES = 200_000
"""Maximum number of thinking times to keep for the histogram."""


class Highlight(NamedTuple):
    """The ply with the largest mistake or the luckiest roll of a game; `size` is in win probability."""

    size: float
    pair: int
    half: int
    ply: int


class ForfeitedGame(NamedTuple):
    """A game that `player` ("A" or "B") forfeited."""

    pair: int
    half: int
    player: str
    reason: str
    detail: str


@dataclass
class MatchProgress:
    """Running statistics of a match, updated pair by pair."""

    tally: Tally = field(default_factory=Tally)
    scores: list[float] = field(default_factory=list)
    luck: list[float | None] = field(default_factory=list)
    """The mean luck of A in each pair."""
    plies: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    losses: list[Highlight] = field(default_factory=list)
    """The largest mistakes, in descending order."""
    swings: list[Highlight] = field(default_factory=list)
    """The luckiest rolls, in descending order."""
    forfeits: list[ForfeitedGame] = field(default_factory=list)
    """The first MAX_FORFEITS forfeits."""
    last: PairRecord | None = None

    def add_all(self, records: Iterable[PairRecord]) -> None:
        """Add several pairs."""
        for record in records:
            self.add(record)

    def add(self, record: PairRecord) -> None:
        """Add a pair."""
        self.tally.add(record)
        self.scores.append(record.score)
        self.luck.append(record.net_luck)
        self.plies += record.plies
        if len(self.times) < MAX_TIMES:
            self.times += [seconds for game in record.move_times() for seconds in game]
        for half, annotation in enumerate(record.annotations()):
            if annotation is not None and annotation.loss:
                losses = [record.in_probability(loss) for loss in annotation.loss]
                # The luck of a final event, which has no ply, is not shown.
                swings = [record.in_probability(luck) for luck in annotation.luck[: len(losses)]]
                self.losses = _largest(self.losses, record.pair, half, losses)
                self.swings = _largest(self.swings, record.pair, half, swings)
        if len(self.forfeits) < MAX_FORFEITS:
            self.forfeits += _forfeits_of(record)
        self.last = record

    def score_bands(self) -> list[Band]:
        """The running score of A with its 95 % confidence band, raw and luck-adjusted."""
        bands = [_running("raw", self.scores)]
        known = [luck for luck in self.luck if luck is not None]
        if any(known) and len(known) == len(self.scores):
            betas = self.tally.luck.betas()
            adjusted = [
                score - betas[n % 2] * luck for n, (score, luck) in enumerate(zip(self.scores, known, strict=True))
            ]
            bands.append(_running("luck-adjusted", adjusted, self.scores))
        return bands if self.scores else []


def _forfeits_of(record: PairRecord) -> list[ForfeitedGame]:
    losers = [(half, loser) for half in range(len(record.scores)) for loser in record.forfeiters(half)]
    details = record.details() if losers else []
    return [ForfeitedGame(record.pair, half, loser, record.reasons[half], details[half]) for half, loser in losers]


def _largest(known: list[Highlight], pair: int, half: int, sizes: Sequence[float]) -> list[Highlight]:
    ply = max(range(len(sizes)), key=lambda number: sizes[number])
    return heapq.nlargest(HIGHLIGHTS, [*known, Highlight(sizes[ply], pair, half, ply)])


def _running(name: str, values: Sequence[float], raw: Sequence[float] | None = None) -> Band:
    """The band of values so far; `raw`: the scores that luck-adjusted values are based on."""
    means, lows, highs = [], [], []
    sums, raw_sums = _Sums(), _Sums()
    for value, score in zip(values, values if raw is None else raw, strict=True):
        sums.add(value)
        raw_sums.add(score)
        low, high = confidence_interval(sums.sample, shrunk_prior(sums.sample, raw_sums.sample))
        means.append(sums.sample.mean)
        lows.append(low)
        highs.append(high)
    return Band(name, means, lows, highs)


class _Sums:
    """A sample that grows by one value at a time."""

    def __init__(self) -> None:
        self._n, self._total, self._squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self._n += 1
        self._total += value
        self._squares += value * value

    @property
    def sample(self) -> Sample:
        mean = self._total / self._n
        return Sample(self._n, mean, max(self._squares / self._n - mean * mean, 0.0))


PairFinder = Callable[[int], PairRecord | None]
"""(number of a pair) → the pair, or None."""


def updated_progress(store: Store, match: StoredMatch, progress: MatchProgress | None = None) -> MatchProgress:
    """Update the progress of a match with the new pairs in the store."""
    progress = progress or MatchProgress()
    progress.add_all(store.counted_pairs(match, len(progress.scores)))
    return progress


def score_chart(progress: MatchProgress) -> str:
    """Chart of the running score with its 95 % confidence band, raw and luck-adjusted."""
    return lines(progress.score_bands(), "pairs", "score of A", level=0.5, percent=True)


class LiveMatch(NamedTuple):
    """The number of a match in the store, and its progress."""

    number: int
    state: Markup


def live_match_view(store: Store, match: StoredMatch, progress: MatchProgress) -> Markup:
    """The view of a match in the store, with links to its games and a replay of the latest one."""
    rule = stopping_rule_from_json(match.stopping_rule)
    summary = progress.tally.summary(rule.sprt, rule.adjusted)
    done, finished = len(progress.scores), match.counted is not None
    state = progress_line(done, done if finished else rule.pairs, "pairs", match.seconds, finished=finished)
    live = LiveMatch(match.id, state)
    return match_view(match.plan, summary, progress, pair_finder(store, match.id), live)


def match_view(
    plan: MatchPlan, summary: dict[str, Any], progress: MatchProgress, find: PairFinder, live: LiveMatch | None = None
) -> Markup:
    """The view of a match from its plan, the fields of its result, and its pairs."""
    number, result = 0 if live is None else live.number, _result(summary, lucky=any(progress.luck))
    names, specs = player_names((plan.first, plan.second)), (plan.first, plan.second)
    parts = [
        Markup(f"<h1>{concat(code_text(names[0]), ' – ', code_text(names[1]))}</h1>"),
        *(paragraph(code_text(spec), kind="faint") for name, spec in zip(names, specs, strict=True) if name != spec),
        paragraph(plan.game, COMMA, limit_text(plan.limit), COMMA, label("seed"), f" {plan.seed}", kind="faint"),
        *([] if live is None else [live.state]),
        _forfeits(plan, summary, progress),
        Markup("") if live is None else Markup(f'<div class="columns">{result}{_latest(number, progress.last)}</div>'),
        figures(
            *([result] if live is None else []),
            ("Running score", score_chart(progress)),
            ("Game length", histogram(progress.plies, "plies", "games")),
            ("Time per move", time_chart(progress.times)),
        ),
        highlights_view(
            with_pairs(number, plan, progress.losses, find),
            with_pairs(number, plan, progress.swings, find),
            linked=live is not None,
        ),
    ]
    return concat(*parts)


def figures(*cards_or_charts: Markup | tuple[str, str]) -> Markup:
    """A grid of cards and of charts with headings."""
    cards = [
        card if isinstance(card, Markup) else f'<div class="sheet">{heading(card[0])}{card[1]}</div>'
        for card in cards_or_charts
    ]
    return Markup(f'<div class="figures">{"".join(cards)}</div>')


def time_chart(times: Sequence[float]) -> str:
    """Histogram of thinking times, with log-scaled bins if there are outliers."""
    return histogram([1000 * seconds for seconds in times], "milliseconds", "moves", logarithmic=True)


def pair_finder(store: Store, match: int) -> PairFinder:
    """A lookup of the pairs of a match in the store."""
    return lambda number: next((pair for pair in store.pairs(match, number) if pair.pair == number), None)


def _points_rows(summary: dict[str, Any], name: str) -> list[tuple[Any, Any]]:
    """The row of the points per game, if the game has points."""
    if summary.get("points_per_game") is None:
        return []
    return [(label(name), estimate(summary["points_per_game"], summary["points_interval"], "{:+.3f}".format))]


def _result(summary: dict[str, Any], *, lucky: bool) -> Markup:
    if not summary["games"]:
        return Markup(f'<div class="sheet">{label("no data yet")}</div>')
    low, high = summary["score_interval"]
    infinite = "−∞" if summary["score"] == 0 else "+∞"
    rows: list[tuple[Any, Any]] = [
        (label("games"), f"{summary['games']}   +{summary['wins']} −{summary['losses']} ={summary['draws']}"),
        *_points_rows(summary, "points per game"),
        (label("Elo"), estimate(summary["elo"], summary["elo_interval"], "{:+.0f}".format, infinite)),
        (label("likelihood of superiority of A"), percent(summary["los"])),
    ]
    # Without chance there is no luck to adjust for.
    if (luck := summary["luck_adjusted"]) and lucky:
        rows.append((label("luck-adjusted"), estimate(luck["score"], luck["score_interval"], percent)))
        rows += _points_rows(luck, "luck-adjusted points")
    if test := summary["sprt"]:
        verdict = {"elo1": f"H1 ({test['elo1']:g} Elo)", "elo0": f"H0 ({test['elo0']:g} Elo)"}.get(test["verdict"], "…")
        said = f"{test['llr']:+.2f} ({test['lower']:.2f} … {test['upper']:.2f}): {verdict}"
        rows.append((label("sequential test"), said))
    used = summary["used"]
    for name in ("A", "B"):
        depth = used[name]["mean_depth"]
        deep = (f", {depth:.1f} ", label("plies deep")) if depth else ()
        said = concat(f"{1000 * used[name]['seconds_per_move']:.3g} ms", *deep)
        rows.append((concat(name, " ", label("per move")), said))
    counts = [(float(score), count) for score, count in summary["pair_counts"].items()]
    return concat(
        Markup('<div class="sheet">'),
        Markup('<div class="status">'),
        label("score of A"),
        f" {percent(summary['score'])}",
        Markup("</div>"),
        score_bar(summary["score"], low, high),
        paragraph(f"95 %: {percent(low)} … {percent(high)}", kind="small faint"),
        table(("", ""), rows),
        heading("Pair scores", 2),
        table(("pair score", "pairs"), [(f"{score:g}", count) for score, count in counts]),
        Markup("</div>"),
    )


def _forfeits(plan: MatchPlan, summary: dict[str, Any], progress: MatchProgress) -> Markup:
    """Tables of the forfeits and their reasons; empty if there are none."""
    if not any(summary["forfeits"].values()):
        return Markup("")
    names = dict(zip("AB", player_names((plan.first, plan.second)), strict=True))
    totals = [
        (names[who], label(reason), count) for who, why in summary["forfeits"].items() for reason, count in why.items()
    ]
    rows = [(f"{f.pair}/{f.half}", names[f.player], label(f.reason), f.detail) for f in progress.forfeits]
    return concat(
        heading("Forfeits"),
        table(("player", "reason", "games"), totals),
        table(("pair", "player", "reason", "detail"), rows, "small"),
    )


def _latest(match: int, last: PairRecord | None) -> Markup:
    """The element in which the page shows a game in progress, or replays the latest one."""
    key = "" if last is None else f"match/{match}/{last.pair}/{len(last.scores) - 1}"
    return Markup(f'<div class="stack" data-replay="{key}"></div>')


class MatchWithProgress(NamedTuple):
    """A match of a tournament or an experiment, with its number in the store."""

    number: int
    plan: MatchPlan
    progress: MatchProgress
    find: PairFinder


def latest_game(matches: Sequence[MatchWithProgress]) -> Markup:
    """The element for the games of several matches, the latest match last."""
    return next(
        (_latest(match.number, match.progress.last) for match in reversed(matches) if match.progress.last is not None),
        _latest(0, None),
    )


def matches_with_progress(matches: Iterable[PlayedMatch]) -> list[MatchWithProgress]:
    """Compute the progress of matches from their pairs."""
    seen = []
    for number, plan, pairs in matches:
        progress = MatchProgress()
        progress.add_all(pairs)
        seen.append(MatchWithProgress(number, plan, progress, pairs_by_number(pairs)))
    return seen


def match_highlights(matches: Sequence[MatchWithProgress], *, linked: bool) -> Markup:
    """The highlights of several matches."""
    losses, swings = [], []
    for match in matches:
        losses += with_pairs(match.number, match.plan, match.progress.losses[:1], match.find)
        swings += with_pairs(match.number, match.plan, match.progress.swings[:1], match.find)
    for found in (losses, swings):
        found.sort(key=lambda place: -place.highlight.size)
    return highlights_view(losses, swings, linked=linked)


def forfeits_table(matches: Sequence[MatchWithProgress], known: Mapping[str, str] | None = None) -> Markup:
    """The forfeits of several matches; empty if there are none. `known` as in `player_names`."""
    rows = []
    for match in matches:
        specs = match.plan.first, match.plan.second
        names = player_names(specs, known)
        rows += [
            (match.number, f.pair, names["AB".index(f.player)], label(f.reason), with_names(f.detail, specs, names))
            for f in match.progress.forfeits
        ]
    if not rows:
        return Markup("")
    return concat(heading("Forfeits"), table(("match", "pair", "player", "reason", "detail"), rows[:MAX_FORFEITS]))


def pairs_by_number(pairs: Iterable[PairRecord]) -> PairFinder:
    """A lookup of pairs in memory."""
    return {pair.pair: pair for pair in pairs}.get


def limit_text(limit: Limit) -> Markup:
    """The limit in the language of the page."""
    units = (
        (limit.time, "s per move"), (limit.clock, "s per game"),
        (limit.depth, "ply deep" if limit.depth == 1 else "plies deep"), (limit.nodes, "nodes"),
        (limit.simulations, "simulations"),
    )  # fmt: skip
    parts = [concat(f"{number:.12g} ", label(unit)) for number, unit in units if number is not None]
    return Markup(COMMA.join(parts)) if parts else label("limits set by the players")


SHOWN = 3
"""Number of highlights of each kind to show."""


class HighlightedGame(NamedTuple):
    """A highlight with its match and pair."""

    match: int
    plan: MatchPlan
    pair: PairRecord
    highlight: Highlight


def highlights_view(losses: Iterable[HighlightedGame], swings: Iterable[HighlightedGame], *, linked: bool) -> Markup:
    """Boards with captions, linked to the games if `linked`; empty without highlights."""
    try:
        shown = [
            *(_figure(place, "largest mistake", linked) for place in list(losses)[:SHOWN]),
            *(_figure(place, "luckiest roll", linked) for place in list(swings)[:SHOWN]),
        ]
    except GameError:
        # A game file that this process has not loaded cannot be replayed.
        return Markup("")
    if not shown:
        return Markup("")
    unit = paragraph(label("luck and mistakes in win probability"), kind="small faint sentence")
    return concat(heading("Highlights"), unit, Markup('<div class="boards">'), *shown, Markup("</div>"))


def _figure(place: HighlightedGame, kind: str, linked: bool) -> Markup:
    plan, highlight = place.plan, place.highlight
    record = place.pair.games(plan.game, (plan.first, plan.second), plan.seed)[highlight.half].record
    state = next(state for number, state in enumerate(record.states()) if number == highlight.ply)
    played = record.plies[highlight.ply].text
    best = _best(plan, state)
    arrows = [
        arrow for text, sign in ((played, ""), (best, BEST)) if (arrow := _arrow(state, text, sign, text == best))
    ]
    picture = board_svg(state, arrows=arrows if best != played else arrows[-1:])
    said = concat(
        label(kind), f" {100 * highlight.size:.1f} %: {record.players[state.mover]} (",
        label(state.game.sides[state.mover]), ") ",
        Markup(f"<b>{escape(played)}</b>"), *([f" – {best} ✓"] if best != played else []),
    )  # fmt: skip
    number = f"{place.match}/{highlight.pair}/{highlight.half}"
    match = [label("match"), f" {place.match}, "] if place.match else []
    where = paragraph(*match, label("pair"), f" {highlight.pair}, ", label("ply"), f" {highlight.ply + 1}")
    if linked:
        where = Markup(f'<a href="#/analyse/match/{number}@{highlight.ply}">{where}</a>')
    return Markup(f"<figure>{picture}<figcaption>{said}{where}</figcaption></figure>")


def _best(plan: MatchPlan, state: State) -> str:
    values = make_meter(state.game, plan.luck).move_values(state)
    return state.game.format_move(state.position, max(values, key=lambda move: values[move]))


def _arrow(state: State, text: str, sign: str, best: bool) -> Arrow | None:
    squares = input_squares(state.game, state.position, state.parse_move(text))
    return Arrow(squares[0], squares[-1], sign, 1.0 if best else 0.0) if squares else None


def with_pairs(
    match: int, plan: MatchPlan, found: Iterable[Highlight], pair_of: Callable[[int], PairRecord | None]
) -> list[HighlightedGame]:
    """Add the match and the pair to highlights; drops those whose pair is missing."""
    pairs = [(highlight, pair_of(highlight.pair)) for highlight in found if highlight.size > 0]
    return [HighlightedGame(match, plan, pair, highlight) for highlight, pair in pairs if pair is not None]
