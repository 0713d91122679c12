"""Results for notebooks: tables with bars, boards and curves in HTML and SVG that needs no kernel and no script."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from starscout.api.tables import MATCH_HEADINGS, elo_text, match_words, result_rows
from starscout.drawing.svg import board_html
from starscout.game.values import win_probability

if TYPE_CHECKING:
    from starscout.api.analyse import AnalysisResult
    from starscout.api.match import MatchResult
    from starscout.api.results import StoredResults
    from starscout.api.solve import SolveResult
    from starscout.api.tournament import TournamentResult

BAR_PIXELS = 120
LEFT = "text-align:left;white-space:pre"
"""How cells are set: words keep their distance."""
BAR_STYLE = "display:inline-block;height:0.8em;background:#4878a8;vertical-align:middle"


def table_html(headings: Sequence[str], rows: Sequence[Sequence[str]], bars: Sequence[float | None] = ()) -> str:
    """A table; `bars` adds a bar of a length between 0 and 1 to each row."""
    head = "".join(f'<th style="{LEFT}">{escape(heading)}</th>' for heading in headings)
    body: list[str] = []
    for number, row in enumerate(rows):
        cells = "".join(f'<td style="{LEFT}">{escape(cell)}</td>' for cell in row)
        part = bars[number] if bars else None
        bar = "" if part is None else f'<span style="{BAR_STYLE};width:{round(BAR_PIXELS * part)}px"></span>'
        last = f'<td style="{LEFT};min-width:{BAR_PIXELS}px">{bar}</td>' if bars else ""
        body.append(f"<tr>{cells}{last}</tr>")
    return f"<table><tr>{head}{'<th></th>' if bars else ''}</tr>{''.join(body)}</table>"


def analysis_html(analysis: "AnalysisResult") -> str:
    """The board, every move with a bar of its winning chance, and the line."""
    headings, rows = analysis.table()
    values = [part.value for part in (analysis.rolls if analysis.best is None else analysis.ranked())]
    bars = [None if value is None else win_probability(value) for value in values]
    said = "<br>".join(escape(sentence) for sentence in analysis.sentences())
    return f"<div>{board_html(analysis.state)}{table_html(headings, rows, bars)}<p>{said}</p></div>"


def solve_html(solution: "SolveResult") -> str:
    """The board and the answer."""
    return f"<div>{board_html(solution.state)}<p>{escape(solution.sentence())}</p></div>"


def match_html(result: "MatchResult") -> str:
    """The table of a match, and the curve of its score."""
    players = f"A: <code>{escape(result.a)}</code><br>B: <code>{escape(result.b)}</code>"
    curve = result.plot().svg if result.pair_records else ""
    notes = "".join(f"<p>{escape(note)}</p>" for note in result.notes)
    return f"<div><p>{players}</p>{table_html(('', ''), result_rows(result))}{notes}{curve}</div>"


def tournament_html(result: "TournamentResult") -> str:
    """The final table, and the ratings with their intervals."""
    rows: list[list[str]] = []
    for row in result.table:
        error = "" if row.elo_error is None else f" ± {row.elo_error:.0f}"
        points = (f"{row.score:g}", f"{row.opponents_score:g}")
        rows.append([str(row.rank), row.player, str(row.games), *points, f"{elo_text(row.elo, 1)}{error}"])
    headings = ("rank", "player", "games", "points", "opponents' points", "Elo")
    return f"<div>{table_html(headings, rows)}{result.plot().svg}</div>"


def results_html(results: "StoredResults") -> str:
    """The matches side by side."""
    return table_html(MATCH_HEADINGS, [match_words(match) for match in results.matches])
