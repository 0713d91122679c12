"""HTML reports of a match, a tournament and a tuning: one self-contained file each, with plots as inline SVG."""

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starscout.arena import plots
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.standings import Standings
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.arena.tournament import TournamentPlan
from starscout.arena.tune import Tuning
from starscout.game import GameError

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .2rem .7rem; text-align: left; }
th { border-bottom: 1px solid #888; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; } code { background: #f2f2f2; padding: .1rem .3rem; }
"""


def write_report(text: str, path: str) -> None:
    """Write a report; raises GameError when the file cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"the report {path} cannot be written: {error.strerror}") from error


def match_report(plan: MatchPlan, summary: dict[str, Any], pairs: Sequence[PairRecord]) -> str:
    """The report of a match: its plan, the fields of its result, and its pairs."""
    tally = Tally()
    for record in pairs:
        tally.add(record)
    rows = [(name, _text(summary[name])) for name in ("pairs", "games", "wins", "losses", "draws")]
    rows += [("score of A", _estimate(summary["score"], summary["score_interval"], "{:.1%}"))]
    rows += [("Elo", _estimate(summary["elo"], summary["elo_interval"], "{:+.0f}"))]
    rows += [("likelihood that A is stronger", f"{summary['los']:.1%}")]
    if luck := summary["luck_adjusted"]:
        rows += [("luck-adjusted score", _estimate(luck["score"], luck["score_interval"], "{:.1%}"))]
        rows += [("variance left by the adjustment", _text(luck["variance_ratio"]))]
    if test := summary["sprt"]:
        between = f"{test['llr']:+.2f} between {test['lower']:.2f} and {test['upper']:.2f}"
        rows += [("sequential test", f"{between}: {test['verdict']}")]
    rows += [
        (f"forfeits of {name}", ", ".join(f"{reason} {count}×" for reason, count in reasons.items()))
        for name, reasons in summary["forfeits"].items()
        if reasons
    ]
    scores = [record.score for record in pairs]
    adjusted = adjusted_scores(pairs, tally)
    moves = [seconds for record in pairs for game in record.move_times() for seconds in game]
    parts = [
        f"<p>A: <code>{html.escape(plan.first)}</code><br>B: <code>{html.escape(plan.second)}</code></p>",
        f"<p>{html.escape(plan.game)}, {html.escape(_limit_text(plan.limit))}, seed {plan.seed}"
        + (f", luck by <code>{html.escape(plan.luck)}</code>" if plan.luck else "")
        + "</p>",
        html_table(("", ""), rows),
        "<h2>Score over time</h2>" + plots.score_over_time(scores, adjusted),
        "<h2>Length of the games</h2>" + plots.histogram([n for record in pairs for n in record.plies], "plies"),
        "<h2>Thinking time of a move</h2>" + plots.histogram([seconds * 1000 for seconds in moves], "milliseconds"),
    ]
    return html_page(f"{plan.first} against {plan.second}", parts)


def tournament_report(plan: TournamentPlan, standings: Standings) -> str:
    """The report of a tournament as far as it is played."""
    table, order = standings.table(), standings.order()
    names = [row["player"] for row in table]
    scores = standings.cross_table()
    rows = [
        (row["rank"], row["player"], row["games"], f"{row['score']:g}", f"{row['opponents_score']:g}", _rating(row))
        for row in table
    ]
    plies = [played.tally.plies / max(1, sum(played.tally.results.values())) for played in standings.played]
    thinking = [played.tally.thinking for played in standings.played]
    parts = [
        f"<p>{html.escape(plan.game)}, {plan.kind}, {plan.games or 2 * plan.pairs} games in each meeting, "
        f"{html.escape(_limit_text(plan.limit))}, seed {plan.seed}</p>",
        html_table(("rank", "player", "games", "points", "opponents' points", "Elo"), rows),
        "<h2>Ratings</h2>"
        + plots.rating_bars(names, [row["elo"] for row in table], [row["elo_error"] or 0.0 for row in table]),
        "<h2>Cross table</h2>" + plots.heat_map(names, [[scores[a][b] for b in order] for a in order]),
        "<h2>Rounds</h2>" + html_table(("round", "first", "second", "points", "forfeits"), _rounds(standings)),
        "<h2>Mean length of the games of a meeting</h2>" + plots.histogram(plies, "plies"),
        "<h2>Thinking time of a meeting</h2>" + plots.histogram(thinking, "seconds"),
    ]
    return html_page(f"{plan.kind[0].upper()}{plan.kind[1:]} of {len(plan.players)} players", parts)


def _rounds(standings: Standings) -> list[tuple[Any, ...]]:
    """Who met whom in each round, with their points and forfeits."""
    return [
        (row["round"], row["rests"], "rests", "", "")
        if "rests" in row
        else (row["round"], row["first"], row["second"], " – ".join(f"{p:g}" for p in row["points"]), row["forfeits"])
        for row in standings.rounds()
    ]


def tuning_report(tuning: Tuning) -> str:
    """The report of a tuning: its parameters and the score of each step."""
    plan, steps = tuning.plan, tuning.history
    rows = [
        (parameter.name, f"{parameter.start:g}", f"{parameter.low:g} to {parameter.high:g}", f"{value:g}")
        for parameter, value in zip(plan.parameters, tuning.result().values(), strict=True)
    ]
    parts = [
        f"<p><code>{html.escape(plan.player)}</code>, {html.escape(plan.game)}, "
        f"{len(steps)} steps of {plan.pairs} pairs, {html.escape(_limit_text(plan.limit))}, seed {plan.seed}</p>",
        html_table(("parameter", "start", "range", "result"), rows),
        f"<p>The tuned player: <code>{html.escape(tuning.tuned_player())}</code></p>",
    ]
    parts += [
        f"<h2>{html.escape(p.name)}</h2>"
        + plots.lines({p.name: [p.start, *(s["parameters"][p.name] for s in steps)]}, p.name)
        for p in plan.parameters
    ]
    parts += [
        "<h2>Score of the first player of each step</h2>" + plots.lines({"score": [s["score"] for s in steps]}, "score")
    ]
    return html_page(f"Tuning of {plan.player}", parts)


def counted_pairs(store: Store, match: StoredMatch) -> list[PairRecord]:
    """The pairs that make up the result of a match: all up to the first that is missing, or to where it was decided."""
    pairs = []
    for number, record in enumerate(store.pairs(match.id)):
        if record.pair != number or number == match.counted:
            break
        pairs.append(record)
    return pairs


def adjusted_scores(records: Sequence[PairRecord], tally: Tally) -> list[float] | None:
    """The luck-adjusted score of every pair; None where luck is not measured."""
    betas = tally.luck.betas()
    if not records or records[0].luck is None:
        return None
    lucky = [(record, sum(record.luck) / len(record.luck)) for record in records if record.luck]
    return [record.score - betas[record.pair % 2] * luck for record, luck in lucky]


def html_page(title: str, parts: Sequence[str]) -> str:
    """A page with this heading; the parts are HTML."""
    heading = html.escape(title)
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{heading}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{heading}</h1>\n{body}\n</body>\n</html>\n"
    )


def html_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; its texts are escaped."""
    head = "".join(f"<th>{html.escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: Any) -> str:
    kind = ' class="number"' if isinstance(value, int | float) else ""
    return f"<td{kind}>{html.escape(str(value))}</td>"


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _estimate(value: float | None, ends: Sequence[float | None], form: str) -> str:
    low, high = ("∞" if end is None else form.format(end) for end in ends)
    return f"{'∞' if value is None else form.format(value)} (95 %: {low} to {high})"


def _rating(row: dict[str, Any]) -> str:
    return f"{row['elo']:+.0f}" + ("" if row["elo_error"] is None else f" ± {row['elo_error']:.0f}")


def _limit_text(limit: Any) -> str:
    return str(limit) or "the players' own limits"
