"""Views of a match, a tournament and a tuning as HTML: what the page shows live, and what a report saves."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from starscout import games
from starscout.arena.director import stopping_rule_from_json
from starscout.arena.export import PlayedMatch
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.spsa import Tuning
from starscout.arena.standings import Standings
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tournament import TournamentPlan
from starscout.drawing.charts import Band, heat_map, histogram, intervals, lines
from starscout.search.limits import Limit
from starscout.views.elements import (
    Figure,
    Markup,
    combined,
    estimate,
    heading,
    paragraph,
    quoted,
    score_bar,
    share_bar,
    table,
    word,
)
from starscout.views.highlights import highlights_view, located
from starscout.views.match_progress import MOST_FORFEITS, MatchProgress

PairFinder = Callable[[int], PairRecord | None]
"""(number of a pair) → the pair, if it is there."""


def seen_match(store: Store, match: StoredMatch, progress: MatchProgress | None = None) -> MatchProgress:
    """The progress of a match, with whatever is new in the store."""
    progress = progress or MatchProgress()
    progress.take_all(store.counted_pairs(match, len(progress.scores)))
    return progress


def score_chart(progress: MatchProgress) -> str:
    """The running score with its 95 % band, raw and luck-adjusted."""
    return lines(progress.score_bands(), "pairs", "score of A", level=0.5, percent=True)


class LiveMatch(NamedTuple):
    """A match in the store: its number there, and how far it is."""

    number: int
    state: Markup


def live_match_view(store: Store, match: StoredMatch, progress: MatchProgress) -> Markup:
    """A match in the store, with links to its games and its latest game on a board."""
    rule = stopping_rule_from_json(match.stopping_rule)
    summary = progress.tally.summary(rule.sprt, rule.adjusted)
    state = word("finished") if match.counted is not None else word("running")
    live = LiveMatch(match.id, combined(state, f", {len(progress.scores)} / {rule.pairs}"))
    return match_view(match.plan, summary, progress, pair_finder(store, match.id), live)


def match_view(
    plan: MatchPlan, summary: dict[str, Any], progress: MatchProgress, find: PairFinder, live: LiveMatch | None = None
) -> Markup:
    """A match: its plan, the fields of its result, and its pairs."""
    number, result = 0 if live is None else live.number, _result(summary)
    state = () if live is None else (", ", live.state)
    parts = [
        Markup(f"<h1>{combined(quoted(plan.first), ' – ', quoted(plan.second))}</h1>"),
        paragraph(plan.game, ", ", _limit_text(plan.limit), ", ", word("seed"), f" {plan.seed}", *state, kind="faint"),
        _forfeits(plan, summary, progress),
        Markup("") if live is None else Markup(f'<div class="columns">{result}{_latest(number, progress)}</div>'),
        _figures(
            *([result] if live is None else []),
            ("Score over time", score_chart(progress)),
            ("Length of the games", histogram(progress.plies, "plies", "games")),
            ("Thinking time of a move", time_chart(progress.times)),
        ),
        highlights_view(
            located(number, plan, progress.losses, find),
            located(number, plan, progress.swings, find),
            linked=live is not None,
        ),
    ]
    return combined(*parts)


def _figures(*cards_or_charts: Markup | tuple[str, str]) -> Markup:
    """Cards, and charts with their headings, side by side where there is room."""
    cards = [
        card if isinstance(card, Markup) else f'<div class="sheet">{heading(card[0])}{card[1]}</div>'
        for card in cards_or_charts
    ]
    return Markup(f'<div class="figures">{"".join(cards)}</div>')


def time_chart(times: Sequence[float]) -> str:
    """How long moves took; a few long ones do not flatten the rest."""
    return histogram([1000 * seconds for seconds in times], "milliseconds", "moves", growing=True)


def pair_finder(store: Store, match: int) -> PairFinder:
    """A finder of the pairs of a match in the store."""
    return lambda number: next((pair for pair in store.pairs(match, number) if pair.pair == number), None)


def _result(summary: dict[str, Any]) -> Markup:
    if not summary["games"]:
        return Markup(f'<div class="sheet">{word("nothing yet")}</div>')
    low, high = summary["score_interval"]
    rows: list[tuple[Any, Any]] = [
        (word("games"), f"{summary['games']}   +{summary['wins']} −{summary['losses']} ={summary['draws']}"),
        (word("Elo"), estimate(summary["elo"], summary["elo_interval"], "{:+.0f}")),
        (word("A is stronger"), f"{summary['los']:.1%}"),
    ]
    if luck := summary["luck_adjusted"]:
        rows.append((word("luck-adjusted"), estimate(luck["score"], luck["score_interval"], "{:.1%}")))
    if test := summary["sprt"]:
        verdict = {"elo1": f"A > {test['elo1']:g} Elo", "elo0": f"A < {test['elo0']:g} Elo"}.get(test["verdict"], "…")
        said = f"{test['llr']:+.2f} ({test['lower']:.2f} … {test['upper']:.2f}): {verdict}"
        rows.append((word("sequential test"), said))
    used = summary["used"]
    for name in ("A", "B"):
        depth = f", {used[name]['mean_depth']:.1f} plies" if used[name]["mean_depth"] else ""
        rows.append((combined(name, " ", word("per move")), f"{1000 * used[name]['seconds_per_move']:.3g} ms{depth}"))
    counts = [(float(score), count) for score, count in summary["pair_counts"].items()]
    return combined(
        Markup('<div class="sheet">'),
        Markup('<div class="status">'),
        word("score of A"),
        f" {summary['score']:.1%}",
        Markup("</div>"),
        score_bar(summary["score"], low, high),
        paragraph(f"95 %: {low:.1%} … {high:.1%}", kind="small faint"),
        table(("", ""), rows),
        heading("Pair scores", 3),
        table(("score of a pair", "pairs"), [(f"{score:g}", count) for score, count in counts]),
        Markup("</div>"),
    )


def _forfeits(plan: MatchPlan, summary: dict[str, Any], progress: MatchProgress) -> Markup:
    """The forfeits with their reasons, first of all; empty when there was none."""
    if not any(summary["forfeits"].values()):
        return Markup("")
    names = {"A": plan.first, "B": plan.second}
    totals = [
        (names[who], word(reason), count) for who, why in summary["forfeits"].items() for reason, count in why.items()
    ]
    rows = [(f"{f.pair}/{f.half}", names[f.player], word(f.reason), f.detail) for f in progress.forfeits]
    return combined(
        heading("Forfeits"),
        table(("player", "reason", "games"), totals),
        table(("pair", "player", "reason", "detail"), rows, "small"),
    )


def _latest(match: int, progress: MatchProgress) -> Markup:
    """Where the page replays the latest game."""
    if progress.last is None:
        return Markup("<div></div>")
    key = f"match/{match}/{progress.last.pair}/{len(progress.last.scores) - 1}"
    return Markup(f'<div class="stack" data-replay="{key}"></div>')


def tournament_view(
    plan: TournamentPlan, standings: Standings, matches: Sequence[PlayedMatch], *, live: bool
) -> Markup:
    """A tournament as far as it is played; `matches` are those of its meetings."""
    ranks = standings.table()
    names, order = [row["player"] for row in ranks], standings.order()
    scores, errors = standings.cross_table(), [row["elo_error"] or 0.0 for row in ranks]
    kind, seen = word(_capital(plan.kind)), seen_matches(matches)
    played, wanted = sum(sum(p.tally.results.values()) for p in standings.meetings), plan.games or 2 * plan.pairs
    parts = [
        Markup(f"<h1>{combined(kind, ' · ', word('players'), f' {len(plan.players)}')}</h1>"),
        paragraph(
            plan.game, ", ", _limit_text(plan.limit), ", ", word("seed"), f" {plan.seed}, {played} ", word("games"),
            f" ({wanted} ", word("in each meeting"), ")", kind="faint",
        ),
        table(
            ("rank", "player", "games", "points", "opponents' points", "Elo"),
            [_rank_row(row) for row in ranks],
        ),
        _figures(
            ("Ratings", intervals(names, [row["elo"] for row in ranks], errors, "Elo")),
            ("Cross table", heat_map(names, [[scores[a][b] for b in order] for a in order])),
        ),
        heading("Rounds"),
        _rounds(standings, live),
        forfeits_table(seen),
        match_highlights(seen, linked=live),
    ]  # fmt: skip
    return combined(*parts)


def _rank_row(row: dict[str, Any]) -> tuple[Any, ...]:
    points = Figure(f"{row['score']:g}"), Figure(f"{row['opponents_score']:g}")
    return row["rank"], row["player"], row["games"], *points, Figure(_rating(row))


def _rounds(standings: Standings, live: bool) -> Markup:
    rows = [
        (row["round"], row["rests"], word("rests"), "", "")
        if "rests" in row
        else (
            row["round"], row["first"], row["second"], _points(row, live), row["forfeits"],
        )
        for row in standings.rounds()
    ]  # fmt: skip
    return table(("round", "first", "second", "points", "forfeits"), rows)


def _points(row: dict[str, Any], live: bool) -> Any:
    points = " – ".join(f"{score:g}" for score in row["points"])
    return Markup(f'<a href="#/watch/match/{row["match"]}">{points}</a>') if live else points


class SeenMatch(NamedTuple):
    """A match among several: its number in the store, its plan, and what has been seen of it."""

    number: int
    plan: MatchPlan
    progress: MatchProgress
    find: PairFinder


def seen_matches(matches: Iterable[PlayedMatch]) -> list[SeenMatch]:
    """Matches whose pairs are at hand."""
    seen = []
    for number, plan, pairs in matches:
        progress = MatchProgress()
        progress.take_all(pairs)
        seen.append(SeenMatch(number, plan, progress, pairs_by_number(pairs)))
    return seen


def match_highlights(matches: Sequence[SeenMatch], *, linked: bool) -> Markup:
    """The games of several matches to look at first."""
    losses, swings = [], []
    for match in matches:
        losses += located(match.number, match.plan, match.progress.losses[:1], match.find)
        swings += located(match.number, match.plan, match.progress.swings[:1], match.find)
    for found in (losses, swings):
        found.sort(key=lambda place: -place.highlight.size)
    return highlights_view(losses, swings, linked=linked)


def forfeits_table(matches: Sequence[SeenMatch]) -> Markup:
    """The forfeits of several matches with their reasons; empty when there was none."""
    rows = [
        (match.number, f.pair, {"A": match.plan.first, "B": match.plan.second}[f.player], word(f.reason), f.detail)
        for match in matches
        for f in match.progress.forfeits
    ]
    if not rows:
        return Markup("")
    return combined(heading("Forfeits"), table(("match", "pair", "player", "reason", "detail"), rows[:MOST_FORFEITS]))


def pairs_by_number(pairs: Iterable[PairRecord]) -> PairFinder:
    """A finder of the pairs at hand."""
    return {pair.pair: pair for pair in pairs}.get


def played_matches(store: Store, standings: Standings) -> list[PlayedMatch]:
    """The matches of a tournament's meetings."""
    numbers = dict.fromkeys(played.match for played in standings.meetings)
    stored = [store.match(number) for number in numbers]
    return [(match.id, match.plan, list(store.counted_pairs(match))) for match in stored]


def tuning_view(tuning: Tuning) -> Markup:
    """A tuning: its parameters and the score of each step."""
    plan, steps = tuning.plan, tuning.history
    results = tuning.result()
    parts = [
        Markup(f"<h1>{combined(word('Tuning'), ' ', quoted(plan.player))}</h1>"),
        paragraph(
            plan.game, f", {len(steps)} / {plan.horizon} ", word("steps"), f", {plan.pairs} ", word("pairs each"), ", ",
            _limit_text(plan.limit), ", ", word("seed"), f" {plan.seed}", kind="faint",
        ),
        table(
            ("parameter", "start", "range", "result"),
            [
                (p.name, f"{p.start:g}", f"{p.low:g} … {p.high:g}", f"{results[p.name]:g}")
                for p in plan.parameters
            ],
        ),
        paragraph(word("The tuned player"), ": ", quoted(tuning.tuned_player())),
    ]  # fmt: skip
    figures = [
        (parameter.name, lines([Band(parameter.name, [parameter.start, *taken])], "step", "value"))
        for parameter in plan.parameters
        for taken in [[step["parameters"][parameter.name] for step in steps]]
    ]
    scores = [step["score"] for step in steps]
    chart = lines([Band("score", scores)], "step", "score", level=0.5, percent=True)
    parts.append(_figures(*figures, ("Score of the first player of each step", chart)))
    return combined(*parts)


def store_view(store: Store) -> Markup:
    """Everything in the store, the newest first; matches of a tournament are found in it."""
    counts, scores = store.pair_counts(), store.scores()
    met = {match for number, *_ in store.tournaments() for *_, match in store.meetings(number)}
    matches = [
        (
            _link("match", match.id), _game_title(match.plan.game), match.plan.first, match.plan.second,
            _share_of_a(scores.get(match.id)), _progress(counts.get(match.id, 0), match),
        )
        for match in reversed(store.matches())
        if match.id not in met
    ]  # fmt: skip
    tournaments = [
        (_link("tournament", number), word(_capital(plan["kind"])), _game_title(plan["game"]), len(plan["players"]))
        for number, plan, _ in reversed(store.tournaments())
    ]
    tunings = [
        (_link("tuning", number), _game_title(plan["game"]), plan["player"])
        for number, plan, _ in reversed(store.tunings())
    ]
    experiments = [
        (_link("experiment", number), entries.get("name", ""), entries.get("question", ""))
        for number, entries in reversed(store.experiments())
    ]
    sections = [
        ("Tournaments", ("number", "kind", "game", "players"), tournaments),
        ("Experiments", ("number", "experiment", "question"), experiments),
        ("Tunings", ("number", "game", "player"), tunings),
        ("Matches", ("number", "game", "A", "B", "score of A", "pairs"), matches),
    ]
    parts = [
        combined(
            Markup("<section>"),
            heading(title),
            Markup('<div class="sheet">'),
            table(headings, rows, "listed"),
            Markup("</div></section>"),
        )
        for title, headings, rows in sections
        if rows
    ]
    if not parts:
        return _nothing_played()
    *small, large = parts
    return combined(Markup('<div class="sections">'), *small, Markup("</div>"), large) if matches else combined(*parts)


def _nothing_played() -> Markup:
    return combined(
        Markup('<div class="sheet empty">'),
        paragraph(word("Nothing has been played yet.")),
        paragraph(word("Play one here, or with a command in a terminal: it appears by itself."), kind="faint"),
        paragraph(quoted("starscout match ewn strong random --pairs 50")),
        Markup("</div>"),
    )


def _progress(count: int, match: StoredMatch) -> Markup:
    wanted = match.stopping_rule.get("pairs", "?")
    if match.counted is not None:
        return combined(f"{match.counted} / {wanted} ", word("finished"))
    share = min(1.0, count / wanted) if isinstance(wanted, int) and wanted else 0.0
    return combined(share_bar(share), f" {count} / {wanted} ", word("unfinished"))


def _share_of_a(score: float | None) -> Markup:
    return Markup("") if score is None else combined(share_bar(score), f" {score:.1%}")


def _link(kind: str, number: int) -> Markup:
    return Markup(f'<a href="#/watch/{kind}/{number}">{number}</a>')


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _game_title(name: str) -> str:
    """A game by its name, also where its file is not here."""
    return name.rpartition("/")[2] if games.is_file(name) else name


def _rating(row: dict[str, Any]) -> str:
    return f"{row['elo']:+.0f}".replace("-", "−") + ("" if row["elo_error"] is None else f" ± {row['elo_error']:.0f}")


def _limit_text(limit: Limit) -> Any:
    return str(limit) or word("the players' own limits")
