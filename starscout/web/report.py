"""Reports: the page's own views, saved as one file that needs nothing else and speaks both languages."""

import re
from html import escape
from pathlib import Path

from starscout.arena.standings import Standings
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tournament import TournamentPlan
from starscout.arena.tune import Tuning
from starscout.game import GameError
from starscout.web.elements import Markup
from starscout.web.views import match_view, seen_match, tournament_view, tuning_view

STATIC = Path(__file__).parent / "static"


def write_report(text: str, path: str) -> None:
    """Write a report; raises GameError when the file cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"the report {path} cannot be written: {error.strerror}") from error


def match_report(store: Store, match: StoredMatch) -> str:
    """The report of a match as far as it is stored."""
    view = match_view(store, match, seen_match(store, match), live=False)
    return saved_page(f"{match.plan.first} – {match.plan.second}", view)


def tournament_report(store: Store, plan: TournamentPlan, standings: Standings) -> str:
    """The report of a tournament as far as it is played."""
    title = f"{plan.kind[0].upper()}{plan.kind[1:]} of {len(plan.players)} players"
    return saved_page(title, tournament_view(store, plan, standings, live=False))


def tuning_report(tuning: Tuning) -> str:
    """The report of a tuning: its parameters and the score of each step."""
    return saved_page(f"Tuning of {tuning.plan.player}", tuning_view(tuning))


def saved_page(title: str, view: Markup) -> str:
    """A view with the page's style, words, language and theme, in one file."""
    style = (STATIC / "page.css").read_text(encoding="utf-8")
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
    """A script of the page without its imports and exports, so that several fit into one."""
    text = (STATIC / name).read_text(encoding="utf-8")
    return re.sub(r"^(import .*?;|export )", "", text, flags=re.MULTILINE)
