"""Reports: views saved as self-contained HTML files in both languages."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from starscout.arena.export import PlayedMatch
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.spsa import Tuning
from starscout.arena.standings import Standings
from starscout.arena.tournament import TournamentPlan
from starscout.game import GameError
from starscout.views.html import Markup
from starscout.views.match import MatchProgress, match_view, pairs_by_number
from starscout.views.store import tournament_view, tuning_view

ASSETS = Path(__file__).parent / "assets"
"""Style sheet and scripts that the page and the reports share."""


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
    return standalone_page(f"{plan.first} – {plan.second}", match_view(plan, summary, progress, pairs_by_number(pairs)))


def tournament_report(plan: TournamentPlan, standings: Standings, matches: Sequence[PlayedMatch]) -> str:
    """The report of a finished or running tournament; `matches` are those of its meetings."""
    title = f"{plan.kind[0].upper()}{plan.kind[1:]} of {len(plan.players)} players"
    return standalone_page(title, tournament_view(plan, standings, matches, live=False))


def tuning_report(tuning: Tuning) -> str:
    """The report of a tuning: its parameters and the score of each step."""
    return standalone_page(f"Tuning of {tuning.plan.player}", tuning_view(tuning))


def standalone_page(title: str, view: Markup) -> str:
    """A view as one HTML file with the page's style sheet, translations and themes."""
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    scripts = "\n".join(_inlined(name) for name in ("theme.js", "words.js", "switcher.js", "saved.js"))
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
