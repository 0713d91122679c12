"""The pages of a ladder for everybody and for its students, as HTML. Names and texts of students are plain text."""

import datetime
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from starscout.arena.pair import PairRecord
from starscout.drawing.charts import Band, intervals, lines
from starscout.drawing.svg import Arrow, board_svg, input_squares
from starscout.game.state import State
from starscout.ladder.badge import rating_text
from starscout.ladder.league import Standing
from starscout.ladder.schema import ACTIVE, BASELINE, Entrant, LoggedPair, Submission, Version
from starscout.records.packed import SeatedGame
from starscout.views.html import Markup, NumberText, concat, heading, label, paragraph, table

ROWS = 50
"""Maximum number of rows in a list of games."""
SHOWN_MISTAKES = 6
UNITS = (60, "minutes"), (3600, "hours"), (24 * 3600, "days")
"""Units of the time axis of a rating: seconds, name."""
MAX_STEPS = 200
LOSS = 6
"""The column of the loss in the table of a review."""


@dataclass(frozen=True)
class Viewer:
    """The visitor of a page: anonymous, a student, or the teacher."""

    entrant: int | None = None
    student: int | None = None
    teacher: bool = False

    def owns(self, entrant: int) -> bool:
        """Whether private content of an entrant may be shown."""
        return self.teacher or (self.entrant is not None and self.entrant == entrant)


@dataclass(frozen=True)
class Call:
    """A request that has been authorised."""

    viewer: Viewer
    query: dict[str, str]
    form: dict[str, str]
    path: dict[str, str]


Names = Mapping[int, Entrant]


def page(title: str, content: Markup, viewer: Viewer, tab: str = "") -> str:
    """A whole page."""
    tabs = [("/", "Standings"), ("/games", "Games"), ("/live", "Live")]
    tabs += [("/mine", "My engine")] if viewer.entrant is not None else []
    tabs += [("/teacher", "Teacher")] if viewer.teacher else []
    tabs += [("/login", "Log in")] if viewer == Viewer() else []
    shown = "".join(
        f'<a href="{path}"{" aria-current=page" if path == tab else ""} data-t>{name}</a>' for path, name in tabs
    )
    leave = "" if viewer == Viewer() else button("/logout", "Log out", kind="quiet")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/static/icon.svg">'
        '<link rel="stylesheet" href="/static/page.css"><script type="module" src="/static/ladder.js"></script></head>'
        '<body><a class="skip" href="#main" data-t>Skip to content</a><header>'
        f'<a class="brand" href="/"><img src="/static/icon.svg" alt="" width="26" height="26"> {escape(title)}</a>'
        f'<nav aria-label="Views">{shown}</nav><span class="spacer"></span>{leave}'
        '<button id="theme" type="button" data-t-label="toggle_theme" aria-label="Toggle theme">◐</button>'
        '<button id="language" type="button" lang="zh-Hant">中文</button></header>'
        f'<main id="main" tabindex="-1">{content}</main></body></html>\n'
    )


def button(action: str, text: str, *, kind: str = "", confirm: str = "", **fields: Any) -> Markup:
    """A form with one button."""
    hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(str(v))}">' for name, v in fields.items())
    asked = f' data-confirm="{escape(confirm)}"' if confirm else ""
    return Markup(
        f'<form method="post" action="{action}">{hidden}'
        f'<button type="submit" class="{kind}"{asked} data-t>{escape(text)}</button></form>'
    )


def link(path: str, text: Any) -> Markup:
    """A link; the text is escaped."""
    return Markup(f'<a href="{escape(path)}">{concat(text)}</a>')


def entrant_link(names: Names, entrant: int) -> Markup:
    """The name of an entrant, as a link to its page."""
    known = names.get(entrant)
    return link(f"/entrant/{entrant}", known.name if known else f"#{entrant}")


def when(seconds: float) -> str:
    """A date and time of the server."""
    return datetime.datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def live_part(address: str, content: Markup) -> Markup:
    """A section that the page reloads."""
    return Markup(f'<div data-live="{escape(address)}">{content}</div>')


def game_choice(games: Sequence[str], chosen: str, path: str = "/") -> Markup:
    """Links to the games of a ladder; empty for one game."""
    if len(games) < 2:
        return Markup("")
    parts = [
        concat(Markup("<b>"), game, Markup("</b>")) if game == chosen else link(f"{path}?game={game}", game)
        for game in games
    ]
    return Markup(f'<p class="row">{concat(*parts)}</p>')


def status_line(phase: str, frozen: bool, deadline: float | None, level: str) -> Markup:
    """What the ladder is doing, and how engines are isolated."""
    words = {
        "running": "The ladder is running.",
        "final": "The final is being played.",
        "finished": "The ladder is over.",
    }
    parts = [label(words[phase])]
    parts += [" ", label("No new games are started.")] if frozen else []
    parts += [" ", label("Submissions until"), f" {when(deadline)}."] if deadline and phase == "running" else []
    return paragraph(*parts, " ", label("isolation"), f": {level}", kind="faint")


def standings(
    rows: Sequence[Standing], names: Names, before: Mapping[int, tuple[float, int]], viewer: Viewer
) -> Markup:
    """The standings with intervals, and the changes since `before`: version → Elo and rank."""
    cells = [
        (
            row.rank,
            NumberText(f"{row.low_rank}–{row.high_rank}" if row.low_rank < row.high_rank else f"{row.rank}"),
            _player(row, names, viewer),
            NumberText(rating_text(row.elo, row.error)),
            NumberText(_change(row, before)),
            2 * row.pairs,
        )
        for row in rows
    ]
    shown = table(("rank", "rank at 95 %", "player", "rating ± 95 %", "last 24 h", "games"), cells, "listed")
    chart = Markup("")
    if 1 < len(rows) <= 100:
        labels = [names[row.entrant].name for row in rows if row.entrant in names]
        chart = Markup(intervals(labels, [row.elo for row in rows], [row.error for row in rows], "Elo"))
    return concat(Markup('<div class="sheet">'), shown, Markup("</div>"), chart)


def _player(row: Standing, names: Names, viewer: Viewer) -> Markup:
    known = names.get(row.entrant)
    kind = concat(" ", Markup('<span class="faint">'), label("permanent"), Markup("</span>"))
    more = kind if known and known.kind == BASELINE else Markup(f' <span class="faint">v{row.number}</span>')
    name = entrant_link(names, row.entrant)
    return concat(Markup("<b>"), name, Markup("</b>"), more) if viewer.entrant == row.entrant else concat(name, more)


def _change(row: Standing, before: Mapping[int, tuple[float, int]]) -> str:
    if row.version not in before:
        return ""
    elo, rank = before[row.version]
    arrow = f" ({'↑' if rank > row.rank else '↓'}{abs(rank - row.rank)})" if rank != row.rank else ""
    return f"{row.elo - elo:+.0f}".replace("-", "−") + arrow


def games_list(rows: Sequence[LoggedPair], names: Names, following: str) -> Markup:
    """A list of pairs of games; `following` is the address of the next page."""
    cells = [
        (
            link(f"/pair/{row.id}", f"{row.id}"), when(row.ended), row.game, entrant_link(names, row.first),
            NumberText(f"{2 * row.score:g} – {2 - 2 * row.score:g}"), entrant_link(names, row.second),
            label("forfeit") if row.forfeits else "",
        )
        for row in rows
    ]  # fmt: skip
    if not rows:
        return paragraph(label("none"), kind="faint")
    parts = [
        Markup('<div class="sheet">'),
        table(("pair", "ended", "game", "A", "points", "B", ""), cells, "listed"),
        Markup("</div>"),
    ]
    if len(rows) == ROWS:
        parts.append(paragraph(Markup(f'<a class="button" href="{escape(following)}">{label("older games")}</a>')))
    return concat(*parts)


def game_filter(names: Names, games: Sequence[str], given: Mapping[str, str]) -> Markup:
    """The form that filters the list of games."""
    choices = {
        "game": [("", "all games"), *((game, game) for game in games)],
        "player": [("", "any player"), *((str(e.id), e.name) for e in names.values())],
        "opponent": [("", "any opponent"), *((str(e.id), e.name) for e in names.values())],
        "kind": [("", "all results"), ("losses", "losses"), ("forfeits", "forfeits")],
    }
    parts = []
    for name, options in choices.items():
        inside = "".join(
            f'<option value="{escape(value)}"{" selected" if given.get(name, "") == value else ""}'
            f"{' data-t' if not value or name == 'kind' else ''}>{escape(text)}</option>"
            for value, text in options
        )
        parts.append(f'<select name="{name}" aria-label="{name}">{inside}</select>')
    return Markup(f'<form class="row" method="get">{"".join(parts)}<button type="submit" data-t>Show</button></form>')


def live_pairs(rows: Sequence[Any], latest: Sequence[LoggedPair], names: Names) -> Markup:
    """The pairs in progress, and the latest finished ones."""
    now = time.time()
    cells = [
        (row.game, entrant_link(names, row.first), entrant_link(names, row.second), round(now - row.since))
        for row in rows
    ]
    playing = table(("game", "A", "B", "seconds"), cells, "listed") if cells else paragraph(label("No games now."))
    return concat(
        heading("In progress"), Markup('<div class="sheet">'), playing, Markup("</div>"),
        heading("Just finished"), games_list(latest[: ROWS - 1], names, ""),
    )  # fmt: skip


def entrant_page(
    entrant: Entrant, members: Sequence[str], versions: Sequence[Version],
    history: Mapping[int, Sequence[tuple[float, float, float, int, int]]],
    current: Mapping[int, Standing], viewer: Viewer, rank: int = 1,
) -> Markup:  # fmt: skip
    """An entrant: its versions with their ratings, and its rating history; `rank`: the level of the heading."""
    cells = []
    for version in reversed(versions):
        row = current.get(version.id)
        past = history.get(version.id, ())
        shown = (row.elo, row.error, row.pairs) if row else (past[-1][1], past[-1][2], past[-1][4]) if past else None
        action = (
            button("/restore", "reactivate", kind="small", version=version.id)
            if viewer.owns(entrant.id) and version.status != ACTIVE and version.digest
            else ""
        )
        cells.append(
            (
                version.game,
                version.number,
                when(version.created),
                label(version.status),
                NumberText(rating_text(shown[0], shown[1]) if shown else ""),
                2 * shown[2] if shown else 0,
                action,
            )
        )
    parts = [Markup(f"<h{rank}>{escape(entrant.name)}</h{rank}>")]
    parts += [paragraph(", ".join(members), kind="faint")] if members and members != [entrant.name] else []
    parts += [paragraph(label("disqualified"), f": {entrant.note}", kind="bad")] if entrant.status != ACTIVE else []
    parts += [
        heading("Versions"),
        Markup('<div class="sheet">'),
        table(("game", "version", "submitted", "state", "rating ± 95 %", "games", ""), cells, "listed"),
        Markup("</div>"),
    ]
    for game in dict.fromkeys(version.game for version in versions):
        points = [point for version in versions if version.game == game for point in history.get(version.id, ())]
        parts += [heading("Rating history"), _rating_chart(game, points)] if len(points) > 1 else []
    parts.append(paragraph(link(f"/games?player={entrant.id}", label("all games of this player"))))
    return concat(*parts)


def _rating_chart(game: str, points: Sequence[tuple[float, float, float, int, int]]) -> Markup:
    """The rating at equal intervals of time, with its confidence interval."""
    points = sorted(points)
    began, span = points[0][0], points[-1][0] - points[0][0]
    unit, along = next(((unit, name) for unit, name in UNITS if span < MAX_STEPS * unit), UNITS[-1])
    elo, low, high, place = list[float](), list[float](), list[float](), 0
    for step in range(max(2, int(span // unit) + 2)):
        while place + 1 < len(points) and points[place + 1][0] <= began + step * unit:
            place += 1
        _, rating, error, *_ = points[place]
        for values, value in ((elo, rating), (low, rating - error), (high, rating + error)):
            values.append(value)
    return Markup(lines([Band(game, elo, low, high)], along, "Elo"))


def submissions_table(rows: Sequence[Submission], names: Names | None = None) -> Markup:
    """Submissions with links to their transcripts; with names for the teacher."""
    cells = [
        (
            link(f"/submission/{row.id}", str(row.id)), when(row.received),
            *((entrant_link(names, row.entrant),) if names is not None else ()),
            row.game, row.file, label(row.channel), label(row.status), row.reason,
        )
        for row in rows
    ]  # fmt: skip
    if not rows:
        return paragraph(label("none"), kind="faint")
    who = ("player",) if names is not None else ()
    return table(("number", "received", *who, "game", "file", "channel", "state", "reason"), cells, "listed")


def submission_page(row: Submission) -> Markup:
    """A submission with its reason and its transcript."""
    parts = [
        heading(f"{row.file}", 1), paragraph(label(row.status), f", {row.seconds:.1f} s"), paragraph(row.reason),
    ]  # fmt: skip
    return concat(
        *parts, *([heading("Transcript"), Markup(f"<pre>{escape(row.transcript)}</pre>")] if row.transcript else [])
    )


def upload_form(games: Sequence[str]) -> Markup:
    """The form that submits an engine."""
    options = "".join(f'<option value="{escape(game)}">{escape(game)}</option>' for game in games)
    return Markup(
        '<h1 data-t>My engine</h1><div class="sheet"><form id="upload" class="row">'
        '<input type="file" name="file" required aria-label="file">'
        f'<select name="game" aria-label="game">{options}</select>'
        '<button type="submit" name="send" class="main" data-t>Submit</button></form>'
        '<p id="upload-status" role="status"></p><pre id="transcript" hidden></pre></div>'
    )


def login_form(wrong: bool) -> Markup:
    """The form for the token."""
    parts = [heading("Log in", 1)]
    parts += [paragraph(label("This token is not known."), kind="bad")] if wrong else []
    return concat(
        *parts,
        Markup(
            '<form class="row" method="post" action="/login"><label><span data-t>Token</span> '
            '<input type="password" name="token" autocomplete="current-password" required></label>'
            '<button type="submit" class="main" data-t>Log in</button></form>'
        ),
    )


def pair_page(
    row: LoggedPair, record: PairRecord, games: Sequence[SeatedGame], names: Names, viewer: Viewer,
    logs: Mapping[str, str],
) -> Markup:  # fmt: skip
    """Both games of a pair; the last output and the logs of engines only for their owners."""
    entrants = {"A": row.first, "B": row.second}
    parts = [
        Markup("<h1>"), entrant_link(names, row.first), " – ", entrant_link(names, row.second), Markup("</h1>"),
        paragraph(row.game, ", ", when(row.ended), kind="faint"),
    ]  # fmt: skip
    for half, seated in enumerate(games):
        game, sides = seated.record, ("A", "B") if seated.side == 0 else ("B", "A")
        last = list(game.states())
        side_names = last[-1].game.sides
        who = [
            part
            for n, player in enumerate(sides)
            for part in (", " if n else "", label(side_names[n]), f": {names[entrants[player]].name}")
        ]
        result = (
            concat(label(side_names[game.winner]), " ", label("wins"), ": ")
            if game.winner is not None
            else concat(label("draw"), ": ")
        )
        parts += [
            heading(("First game", "Second game")[half]), paragraph(*who), paragraph(result, label(game.reason)),
        ]  # fmt: skip
        losers = record.forfeiters(half)
        # If both forfeit, the detail describes both.
        if losers and all(viewer.owns(entrants[player]) for player in losers):
            parts.append(paragraph(label("detail"), f": {game.detail}", kind="bad"))
        parts += [
            Markup(f'<div class="boards"><figure>{board_svg(last[-1])}</figure></div>'),
            paragraph(" ".join(f"{n}. {e} {p.text}".replace("  ", " ") for n, (e, p) in enumerate(
                zip(game.event_texts(), game.plies, strict=False), 1)), kind="small"),
            paragraph(Markup(f'<a class="button" href="/pair/{row.id}/{half}">{label("explain the mistakes")}</a>')),
        ]  # fmt: skip
    for player, text in logs.items():
        parts += [heading("Private log"), paragraph(names[entrants[player]].name), Markup(f"<pre>{escape(text)}</pre>")]
    return concat(*parts)


def review_page(review: Any, players: Sequence[str]) -> Markup:
    """A reviewed game: every ply, and the largest mistakes with the better move on the board."""
    record = review.record
    states = list(record.states())
    sides = states[0].game.sides
    first, second = (concat(player, " (", label(side), ")") for player, side in zip(players, sides, strict=True))
    texts = review.table()
    plies = sorted(
        (number for number, ply in enumerate(review.plies) if ply.mistake), key=lambda n: -review.plies[n].loss
    )[:SHOWN_MISTAKES]
    figures = [
        _mistake(states[number], number, review.plies[number], players, texts[number][LOSS]) for number in sorted(plies)
    ]
    shown = [(number, label(side), *middle, _words(words)) for number, side, *middle, words in texts]
    return concat(
        Markup("<h1>"), first, " – ", second, Markup("</h1>"),
        paragraph(review_totals(review, players, states[0].game.has_chance)),
        heading("Largest mistakes"),
        Markup('<div class="boards">'), *figures, Markup("</div>") if figures else label("no mistakes found"),
        heading("Every ply"),
        Markup('<div class="sheet">'),
        table(("ply", "side", "roll", "move", "wins", "luck", "loss", "best", ""), shown, "listed"),
        Markup("</div>"),
    )  # fmt: skip


def review_totals(review: Any, players: Sequence[str], has_chance: bool) -> Markup:
    """The luck and the losses of both players."""
    parts: list[Any] = []
    for number, name in enumerate(players):
        total = review.side(number)
        luck = (label("luck"), f" {total.luck:+.1%}, ") if has_chance else ()
        parts += [f"{name}: ", *luck, label("loss by mistakes"), f" {total.loss:.1%}. "]
    return concat(*parts)


def _words(text: str) -> Markup:
    """Verdicts on a ply, translated."""
    words = [part for word in text.split(", ") if word for part in (", ", label(word))]
    return concat(*words[1:])


def _mistake(state: State, number: int, ply: Any, players: Sequence[str], loss: str) -> Markup:
    """A position with the move that was played and the better one."""
    arrows: list[Arrow] = []
    for text, sign, strength in ((ply.move, "", 0.0), (ply.best, "✓", 1.0)):
        squares = input_squares(state.game, state.position, state.parse_move(text))
        arrows += [Arrow(squares[0], squares[-1], sign, strength)] if squares else []
    said = concat(
        label("ply"), f" {number + 1}, {players[ply.side]} ", Markup(f"<b>{escape(ply.marked_move)}</b>"), ": ",
        label(ply.mistake), f", {loss} ", label("lost; better is"), " ", Markup(f"<b>{escape(ply.best)}</b>"),
    )  # fmt: skip
    return Markup(f"<figure>{board_svg(state, arrows=arrows)}<figcaption>{said}</figcaption></figure>")
