"""`starscout.results`: stored matches and tournaments."""

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from starscout import games
from starscout.api.match import MatchResult, stored_result
from starscout.api.result import Picture, PlottedResult, elo_text, rich_table, used_text
from starscout.api.running import opened_store
from starscout.api.tournament import TournamentResult, stored_tournament
from starscout.arena.export import export_games
from starscout.arena.plan import resolve_game
from starscout.arena.store import StoredMatch
from starscout.drawing import charts
from starscout.errors import public
from starscout.game import GameError
from starscout.settings.arguments import checked
from starscout.settings.schema import File, StoreFile
from starscout.views.html import table as html_table

if TYPE_CHECKING:
    from rich.console import RenderableType


MATCH_HEADINGS = ("match", "game", "A", "B", "pairs", "score of A", "95 %", "luck-adjusted", "Elo", "used", "")


def match_row(match: MatchResult) -> tuple[str, ...]:
    """Format a match as one row below MATCH_HEADINGS."""
    low, high = match.score_interval
    luck = match.luck_adjusted
    note = "" if match.finished else f"of {match.wanted}, unfinished"
    note += "" if match.current_code else " (earlier code)"
    return (
        str(match.match),
        match.game,
        *match.names,
        str(match.pairs),
        f"{match.score:.1%}",
        f"{low:.1%} to {high:.1%}",
        "" if luck is None else f"{luck.score:.1%} ± {luck.score_error:.1%}",
        elo_text(match.elo, 1 if match.score > 0.5 else -1),
        "\n".join(f"{name}: {used_text(used)}" for name, used in match.used.items()),
        note.strip(),
    )


@dataclass(frozen=True, repr=False)
class StoredResults(PlottedResult):
    """The matches of a store, oldest first, and its tournaments.

    >>> StoredResults(matches=(), tournaments=())
    <0 stored matches, 0 tournaments>
    """

    matches: tuple[MatchResult, ...]
    tournaments: tuple[dict[str, Any], ...]
    """Number, date and description of each tournament."""
    store: str = field(default="", compare=False)
    """File of the store."""
    unreadable: tuple[str, ...] = ()
    """An error message for each match or tournament that cannot be read."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout results --json`."""
        return {"matches": self.rows(), "tournaments": list(self.tournaments), "unreadable": list(self.unreadable)}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per match."""
        return [
            {
                "match": match.match,
                "game": match.game,
                "a": match.a,
                "b": match.b,
                "seed": match.seed,
                "created": date_text(match.created),
                "finished": match.finished,
                "current_code": match.current_code,
                "wanted": match.wanted,
                **match.json(),
            }
            for match in self.matches
        ]

    def plot(self) -> Picture:
        """Plot the score of A in every match with its 95 % interval."""
        names = match_names(self.matches)
        errors = [match.score_error for match in self.matches]
        return Picture(charts.probability_bars(names, [match.score for match in self.matches], errors))

    @public
    def export(self, path: File) -> int:
        """Write all games to a .csv, .json or .parquet file; returns their number. Raises GameError."""
        played = [(match.match, match.plan, match.pair_records) for match in self.matches]
        return export_games(played, os.fspath(path))

    @public
    def tournament(self, number: int) -> TournamentResult:
        """Return a tournament so far; raises GameError.

        >>> import tempfile
        >>> store = tempfile.mkdtemp() + "/mine.sqlite"
        >>> _ = tournament("ewn-3x3-3", ["random", "random"], pairs=1, store=store, workers=0)
        >>> len(results(store=store).tournament(1).table)
        2
        """
        with opened_store(self.store, existing=True) as store:
            return stored_tournament(store, number)

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        # Show the resources of the players only for a single match: they take several lines.
        shown = [n for n, name in enumerate(MATCH_HEADINGS) if name != "used" or len(self.matches) == 1]
        rows = [[cells[n] for n in shown] for cells in map(match_row, self.matches)]
        table = rich_table([MATCH_HEADINGS[n] for n in shown], rows, left=("game", "A", "B", "used", ""))
        lines = [
            f"tournament {row['tournament']}: {row['kind']} of {len(row['players'])} players, {row['game']}"
            for row in self.tournaments
        ]
        return Group(table, *map(Text, (*lines, *self.unreadable)))

    def _repr_html_(self) -> str:
        return html_table(MATCH_HEADINGS, [match_row(match) for match in self.matches], inline=True)

    def __repr__(self) -> str:
        return f"<{len(self.matches)} stored matches, {len(self.tournaments)} tournaments>"


@checked
def results(
    *numbers: int,
    game: str | None = None,
    player: str | None = None,
    store: StoreFile | None = None,
) -> StoredResults:
    """Return the stored matches with these numbers, or all, filtered by game and by a part of a player's description.

    Without numbers, matches without a finished pair are left out. Raises GameError if there is no store.

    >>> import tempfile
    >>> from starscout import match
    >>> store = tempfile.mkdtemp() + "/mine.sqlite"
    >>> _ = match("ewn-3x3-3", "random", "random", pairs=2, store=store, workers=0)
    >>> [stored.games for stored in results(store=store).matches]
    [4]
    """
    if game is not None and games.is_file(game):
        # Matches of a user's game can be read once its file is loaded.
        game, _ = resolve_game(game)
    with opened_store(store, existing=True) as opened:
        chosen = [opened.match(number) for number in numbers] if numbers else opened.matches()
        unreadable = [] if numbers else opened.unreadable()
        known: dict[int, dict[str, str]] = {}
        for number, description, _ in opened.tournaments():
            names: Sequence[str] = description.get("names") or ()
            named: dict[str, str] = dict(zip(description["players"], names, strict=False))
            known |= {match: named for *_, match in opened.meetings(number)}
        matches: list[MatchResult] = []
        for match in chosen:
            try:
                if not fits(match, game, player):
                    continue
                found = replace(stored_result(opened, match), known_names=known.get(match.id, {}))
                if numbers or found.pairs:
                    matches.append(found)
            except GameError as error:
                if numbers:
                    raise
                unreadable.append(f"match {match.id}: cannot read: {error}")
        tournaments = tuple(
            {"tournament": number, "created": date_text(created), **description}
            for number, description, created in opened.tournaments()
        )
        return StoredResults(tuple(matches), tournaments, opened.path, tuple(unreadable))


def match_names(matches: Sequence[MatchResult]) -> list[str]:
    """Name each match by its number and the parts of the descriptions that differ.

    A single differing option is named once: `2: simulations 32 – 16`.
    """
    players = [player.split() for match in matches for player in match.names]
    common = set(players[0]).intersection(*players) if players else set[str]()
    short = [" ".join(word for word in words if word not in common) or " ".join(words) for words in players]
    options = {text.partition("=")[0] for text in short}
    one = len(options) == 1 and all("=" in text and " " not in text for text in short)
    if one:
        short = [text.partition("=")[2] for text in short]
    option = f"{options.pop()} " if one else ""
    pairs = zip(matches, short[::2], short[1::2], strict=True)
    return [f"{match.match}: {option}{first} – {second}" for match, first, second in pairs]


def fits(match: StoredMatch, game: str | None, player: str | None) -> bool:
    """Whether a match is of this game and has a player whose description contains `player`."""
    described = (match.plan.first, match.plan.second)
    return game in (None, match.plan.game) and (player is None or any(player in text for text in described))


def date_text(seconds: float) -> str:
    """Format a time, in seconds since 1970, as ISO 8601."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")
