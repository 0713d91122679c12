"""Views of tournaments, tunings and the list of everything in the store.

Reports: views saved as self-contained HTML files in both languages.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from starscout import games
from starscout.arena.export import PlayedMatch
from starscout.arena.pair import PairRecord
from starscout.arena.pairing import GAUNTLET, SWISS
from starscout.arena.plan import MatchPlan
from starscout.arena.standings import Standings
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tournament import TournamentPlan
from starscout.arena.tuning import Tuning
from starscout.drawing.charts import Band, heat_map, intervals, lines
from starscout.game import GameError
from starscout.players.names import player_names
from starscout.views.html import (
    COMMA,
    NOTHING,
    Markup,
    NumberText,
    code_text,
    concat,
    heading,
    label,
    paragraph,
    percent,
    progress_bar,
    progress_line,
    table,
)
from starscout.views.match import (
    MatchProgress,
    figures,
    forfeits_table,
    latest_game,
    limit_text,
    match_highlights,
    match_view,
    matches_with_progress,
    pairs_by_number,
)


def tournament_view(
    plan: TournamentPlan,
    standings: Standings,
    matches: Sequence[PlayedMatch],
    *,
    live: bool,
    progress: Markup = NOTHING,
) -> Markup:
    """The view of a finished or running tournament; `matches` are those of its meetings."""
    ranks = standings.table()
    names, order = [row["player"] for row in ranks], standings.order()
    scores, errors = standings.cross_table(), [row["elo_error"] or 0.0 for row in ranks]
    kind, seen = label(_capital(plan.kind)), matches_with_progress(matches)
    played, wanted = sum(sum(p.tally.results.values()) for p in standings.meetings), plan.games or 2 * plan.pairs
    parts = [
        Markup(f"<h1>{concat(kind, f' · {len(plan.players)} ', label('players'))}</h1>"),
        paragraph(
            plan.game, COMMA, limit_text(plan.limit), COMMA, label("seed"), f" {plan.seed}", COMMA, f"{played} ",
            label("games"), f" ({wanted} ", label("per pairing"), ")", kind="faint",
        ),
        progress,
        Markup('<div class="columns wide">' if live else "<div>"),
        Markup('<div class="stack"><div class="sheet">'),
        table(
            ("rank", "player", "games", "points", "opponents' points", "Elo"),
            [_rank_row(row) for row in ranks],
            "standings",
        ),
        Markup("</div>"),
        figures(
            ("Ratings", intervals(names, [row["elo"] for row in ranks], errors, "Elo")),
            ("Cross table", heat_map(names, [[scores[a][b] for b in order] for a in order])),
        ),
        Markup("</div>"),
        latest_game(seen) if live else "",
        Markup("</div>"),
        heading("Rounds"),
        Markup('<div class="sheet">'),
        _rounds(standings, live),
        Markup("</div>"),
        forfeits_table(seen, plan.known_names),
        match_highlights(seen, linked=live),
    ]  # fmt: skip
    return concat(*parts)


def tournament_progress(store: Store, number: int, plan: TournamentPlan) -> Markup:
    """The progress of a tournament with the estimated time left, if its meetings are known in advance."""
    many, per_pairing = len(plan.players), plan.games or 2 * plan.pairs
    meetings = {SWISS: many // 2, GAUNTLET: many - 1}.get(plan.kind, many * (many - 1) // 2) * plan.rounds
    matches = [store.match(match) for *_, match in store.meetings(number)]
    played, seconds = sum(match.games for match in matches), sum(match.seconds for match in matches)
    wanted = max(played, meetings * per_pairing)
    finished = len(matches) >= meetings and all(match.counted is not None for match in matches)
    return progress_line(played, wanted, "games", seconds, finished=finished)


def _rank_row(row: dict[str, Any]) -> tuple[Any, ...]:
    points = NumberText(f"{row['score']:g}"), NumberText(f"{row['opponents_score']:g}")
    return row["rank"], row["player"], row["games"], *points, NumberText(_rating(row))


def _rounds(standings: Standings, live: bool) -> Markup:
    rows = [
        (row["round"], row["rests"], label("bye"), "", "")
        if "rests" in row
        else (row["round"], row["first"], row["second"], _points(row, live), row["forfeits"])
        for row in standings.rounds()
    ]
    columns = ("round", "first", "second", "points", "forfeits")
    shown = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    return table(columns[:shown], [row[:shown] for row in rows])


def _points(row: dict[str, Any], live: bool) -> Any:
    points = " – ".join(f"{score:g}" for score in row["points"])
    return Markup(f'<a href="#/watch/match/{row["match"]}">{points}</a>') if live else points


def meeting_matches(store: Store, standings: Standings) -> list[PlayedMatch]:
    """The matches of a tournament's meetings."""
    numbers = dict.fromkeys(played.match for played in standings.meetings)
    stored = [store.match(number) for number in numbers]
    return [(match.id, match.plan, list(store.counted_pairs(match))) for match in stored]


def tuning_view(tuning: Tuning) -> Markup:
    """The view of a tuning: its parameters and the score of each step."""
    plan, steps = tuning.plan, tuning.history
    results, intervals = tuning.result(), tuning.intervals()
    parts = [
        Markup(f"<h1>{concat(label('Tuning'), ' ', code_text(plan.player))}</h1>"),
        paragraph(
            plan.game, COMMA, f"{len(steps)} / {plan.horizon} ", label("steps"), COMMA, f"{plan.pairs} ",
            label("pairs per step"), COMMA, limit_text(plan.limit), COMMA, label("seed"), f" {plan.seed}", kind="faint",
        ),
        table(
            ("parameter", "start", "range", "result", "95 % interval"),
            [
                (p.name, f"{p.start:g}", f"{p.low:g} … {p.high:g}", f"{results[p.name]:g}",
                 "{:g} … {:g}".format(*intervals[p.name]) if p.name in intervals else "–")
                for p in plan.parameters
            ],
        ),
        paragraph(label("Tuned player"), ": ", code_text(tuning.tuned_player())),
    ]  # fmt: skip
    charts = [
        (parameter.name, lines([Band(parameter.name, [parameter.start, *taken])], "step", "value"))
        for parameter in plan.parameters
        for taken in [[step["parameters"][parameter.name] for step in steps]]
    ]
    scores = [step["score"] for step in steps]
    chart = lines([Band("score", scores)], "step", "score", level=0.5, percent=True)
    parts.append(figures(*charts, ("Score of the first player per step", chart)))
    return concat(*parts)


def store_view(store: Store) -> Markup:
    """The list of everything in the store, newest first, without the matches of tournaments."""
    counts, scores = store.pair_counts(), store.scores()
    met = {match for number, *_ in store.tournaments() for *_, match in store.meetings(number)}
    matches = [
        (
            _link("match", match.id), _game_title(match.plan.game),
            *player_names((match.plan.first, match.plan.second)),
            _share_of_a(scores.get(match.id)), _progress(counts.get(match.id, 0), match),
        )
        for match in reversed(store.matches())
        if match.id not in met
    ]  # fmt: skip
    tournaments = [
        (
            _link("tournament", number),
            label(_capital(plan["kind"])),
            _game_title(plan["game"]),
            len(plan["players"]),
        )
        for number, plan, _ in reversed(store.tournaments())
    ]
    tunings = [
        (_link("tuning", number), _game_title(plan["game"]), *player_names((plan["player"],)))
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
        concat(
            Markup("<section>"),
            heading(title),
            Markup('<div class="sheet">'),
            table(headings, rows, "listed cards named" if title == "Matches" else "listed"),
            Markup("</div></section>"),
        )
        for title, headings, rows in sections
        if rows
    ]
    if not parts:
        return _nothing_played()
    *small, large = parts
    return concat(Markup('<div class="sections">'), *small, Markup("</div>"), large) if matches else concat(*parts)


def _nothing_played() -> Markup:
    return concat(
        Markup('<div class="sheet empty">'),
        paragraph(label("No games yet.")),
        paragraph(label("Start a match here or on the command line; it appears automatically."), kind="faint"),
        paragraph(code_text("starscout match ewn strong random --pairs 50")),
        Markup("</div>"),
    )


def _progress(count: int, match: StoredMatch) -> Markup:
    wanted = match.stopping_rule.get("pairs", "?")
    if match.counted is not None:
        return concat(f"{match.counted} / {wanted} ", label("finished"))
    share = min(1.0, count / wanted) if isinstance(wanted, int) and wanted else 0.0
    return concat(progress_bar(share), f" {count} / {wanted} ", label("unfinished"))


def _share_of_a(score: float | None) -> Markup:
    return Markup("") if score is None else concat(progress_bar(score), f" {percent(score)}")


def _link(kind: str, number: int) -> Markup:
    return Markup(f'<a href="#/watch/{kind}/{number}">{number}</a>')


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _game_title(name: str) -> str:
    """The name of a game, or the file name of a game file."""
    return name.rpartition("/")[2] if games.is_file(name) else name


def _rating(row: dict[str, Any]) -> str:
    return f"{row['elo']:+.0f}".replace("-", "−") + ("" if row["elo_error"] is None else f" ± {row['elo_error']:.0f}")


ASSETS = Path(__file__).parent / "assets"
"""Style sheet and scripts that the page and the reports share."""
TEXTS = ("games_english.js", "games_chinese.js", "english.js", "chinese.js")
INLINED = ("theme.js", *TEXTS, "words.js", "switcher.js", "saved.js")
"""The scripts of a saved report, in the order of their imports."""


def write_report(text: str, path: str) -> None:
    """Write a report; raises GameError if the file cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"{path}: cannot write the report: {error.strerror}") from error


def match_report(plan: MatchPlan, summary: dict[str, Any], pairs: Sequence[PairRecord]) -> str:
    """The report of a match from its plan, the fields of its result, and its pairs."""
    progress = MatchProgress()
    progress.add_all(pairs)
    title = " – ".join(player_names((plan.first, plan.second)))
    return standalone_page(title, match_view(plan, summary, progress, pairs_by_number(pairs)))


def tournament_report(plan: TournamentPlan, standings: Standings, matches: Sequence[PlayedMatch]) -> str:
    """The report of a finished or running tournament; `matches` are those of its meetings."""
    title = f"{_capital(plan.kind)} of {len(plan.players)} players"
    return standalone_page(title, tournament_view(plan, standings, matches, live=False))


def table_report(plan: TournamentPlan, rows: Sequence[dict[str, Any]]) -> str:
    """The table of a tournament alone, with all columns of its rows."""
    cells = [
        [
            NumberText("" if value is None else f"{value:.6g}") if isinstance(value, float | None) else value
            for value in row.values()
        ]
        for row in rows
    ]
    title = f"{_capital(plan.kind)} of {len(plan.players)} players"
    headings = [name.replace("_", " ") for name in rows[0]]
    return standalone_page(title, concat(heading(title, 1), paragraph(plan.game), table(headings, cells)))


def tuning_report(tuning: Tuning) -> str:
    """The report of a tuning: its parameters and the score of each step."""
    return standalone_page(f"Tuning of {tuning.plan.player}", tuning_view(tuning))


def standalone_page(title: str, view: Markup) -> str:
    """A view as one HTML file with the page's style sheet, translations and themes."""
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    scripts = "\n".join(_inlined(name) for name in INLINED)
    return (
        '<!doctype html>\n<html lang="en" data-theme="light">\n<head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{style}</style></head>\n<body>\n<header><b>StarScout</b><span class="spacer"></span>'
        '<button id="theme" type="button" aria-label="Light or dark">◐</button>'
        '<button id="language" type="button" lang="zh-Hant">中文</button></header>\n'
        f'<main>\n{view}\n</main>\n<script type="module">{scripts}</script>\n</body>\n</html>\n'
    )


def _inlined(name: str) -> str:
    """A script of the page without imports and exports, for concatenation."""
    text = (ASSETS / name).read_text(encoding="utf-8")
    return re.sub(r"^(import .*?;|export )", "", text, flags=re.MULTILINE)
