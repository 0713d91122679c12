"""`starscout.tournament`: ranks many players.

The players of a tournament from a file: one line per player, as a spreadsheet writes it.

name,command,folder
Anna,lab:./agent,students/anna
Bert,tcg-ewn:./ewn --fast,students/bert
our baseline,random,
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from starscout import games
from starscout.api import html
from starscout.api.positions import given_game
from starscout.api.progress import redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import (
    ChosenSettings,
    Interrupted,
    PlayerLike,
    RunSettings,
    game_name,
    opened_runner,
    opened_store,
    player_spec,
)
from starscout.api.tables import cross_table, rounds_table, standings_table
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun
from starscout.arena.export import PlayedMatch
from starscout.arena.pairing import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.plan import MatchPlan, make_plan, meter_text
from starscout.arena.standings import Standings
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan, stored_standings
from starscout.drawing import charts
from starscout.game import Game, GameError
from starscout.settings.arguments import checked
from starscout.views.report import tournament_report, write_report
from starscout.views.store_views import played_matches

if TYPE_CHECKING:
    from rich.console import RenderableType

import csv

from starscout.players.spec import describe, in_folder


def read_players(file: Path, game: Game) -> tuple[list[str], list[str]]:
    """The names and the SPECs of the players of a game; folders are seen from the file. Raises GameError."""
    names: list[str] = []
    specs: list[str] = []
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"name", "command"} <= set(rows.fieldnames or ()):
            raise GameError(f"{file}: the first line must be name,command,folder")
        for row in rows:
            name, command, folder = (str(row.get(key) or "").strip() for key in ("name", "command", "folder"))
            if not name or not command:
                raise GameError(f"{file}:{rows.line_num}: a player needs a name and a command")
            if name in names:
                raise GameError(f"{file}:{rows.line_num}: there are two players called {name!r}")
            try:
                spec = in_folder(command, str((file.parent / folder).resolve())) if folder else command
                describe(spec, game)
            except GameError as error:
                raise GameError(f"{file}:{rows.line_num}: {name}: {error}") from error
            names.append(name)
            specs.append(spec)
    return names, specs


@dataclass(frozen=True)
class TournamentRow:
    """A player's line in the final table.

    >>> row = TournamentRow(1, "random", 1, 10, 7.5, 120.0, 80.0, 2.5)
    >>> row.score / row.games
    0.75
    """

    rank: int
    player: str
    number: int
    """Its place in the list of players, from 1."""
    games: int
    score: float
    """Its points: games won, half of those drawn, and a whole meeting for every rest."""
    elo: float
    elo_error: float | None
    opponents_score: float
    """The points of its opponents: the tie-break."""


@dataclass(frozen=True, repr=False)
class TournamentResult(PlottedResult):
    """The final table of a tournament, best first, and its rounds.

    >>> quick = {"pairs": 1, "store": ":memory:", "workers": 0}
    >>> result = tournament("ewn-3x3-3", ["random", "random"], **quick)
    >>> len(result.table), len(result.rounds)
    (2, 1)
    """

    tournament: int
    """Its number in the store."""
    table: tuple[TournamentRow, ...]
    rounds: tuple[dict[str, Any], ...]
    """Every meeting: round, first, second, points, match in the store, forfeits."""
    plan: TournamentPlan
    standings: Standings
    matches: tuple[PlayedMatch, ...] = ()
    """The matches of the meetings, with their games."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout tournament --json`."""
        return {"table": self.rows(), "rounds": list(self.rounds), "tournament": self.tournament}

    def rows(self) -> list[dict[str, Any]]:
        """One row per player."""
        return [dict(vars(row)) for row in self.table]

    def plot(self) -> Picture:
        """The ratings with their 95 % intervals."""
        names, ratings = [row.player for row in self.table], [row.elo for row in self.table]
        return Picture(charts.intervals(names, ratings, [row.elo_error or 0.0 for row in self.table], "Elo"))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report; raises GameError."""
        write_report(tournament_report(self.plan, self.standings, self.matches), os.fspath(path))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        shown = [standings_table(self.standings), cross_table(self.standings)]
        return Group(*shown, *([rounds_table(self.standings)] if self.plan.kind == SWISS else []))

    def _repr_html_(self) -> str:
        return html.tournament_html(self)

    def __repr__(self) -> str:
        first = f", {self.table[0].player} is first" if self.table else ""
        return f"<tournament {self.tournament} of {self.plan.game}: {len(self.table)} players{first}>"


@checked()
def tournament(
    game: str | Game,
    players: Sequence[PlayerLike] | os.PathLike[str],
    *,
    round_robin: bool = False,
    swiss: int | None = None,
    gauntlet: bool = False,
    pairs: int = 5,
    names: Sequence[str] = (),
    **settings: Unpack[RunSettings],
) -> TournamentResult:
    """Play a tournament and rank its players: everybody meets everybody, unless `swiss=ROUNDS` or `gauntlet` is said.

    `players` may be the path of a file with the columns name, command and folder, as a spreadsheet writes it. `pairs`
    is the number of pairs of games in each meeting; `names` is what the players are called. See `RunSettings` for the
    other keywords. The same call continues an interrupted tournament; Ctrl-C raises `Interrupted`. Raises GameError.

    >>> players = ["negascout depth=2 eval=zero", "random"]
    >>> result = tournament("ewn-3x3-3", players, pairs=4, store=":memory:", workers=0)
    >>> [row.player for row in result.table]
    ['negascout depth=2 eval=zero', 'random']
    """
    if isinstance(players, os.PathLike):
        names, players = read_players(Path(players), given_game(game))
    if len(players) < 2:
        raise GameError("a tournament needs at least two players: name them, or a file of them with --players")
    if round_robin + gauntlet + (swiss is not None) > 1:
        raise GameError("say how the players meet: one of --round-robin, --swiss N and --gauntlet")
    kind = GAUNTLET if gauntlet else ROUND_ROBIN if swiss is None else SWISS
    chosen = ChosenSettings(**settings)
    plan, singles = _plan(game_name(game), [player_spec(player) for player in players], kind, swiss, pairs, chosen)
    if names:
        plan = _named(plan, names)
    with opened_store(chosen.store) as store:
        tournament = Tournament(plan, store)
        under_way: list[MatchRun] = []

        def draw() -> str:
            played, wanted = (
                sum(match_run.counted for match_run in under_way),
                sum(match_run.stopping_rule.pairs for match_run in under_way),
            )
            latest = tournament.standings.meetings[-1].round if tournament.standings.meetings else 1
            return f"round {latest}: {played} of {wanted} pairs" if under_way else "starting"

        try:
            # Compile here, once: the workers then load what they need.
            for single in singles:
                warm(single)
            with (
                opened_runner(plan.game, plan.players, chosen) as runner,
                redrawn(draw, shown=chosen.progress) as redraw,
            ):

                def watch(match_runs: Sequence[MatchRun]) -> None:
                    under_way[:] = match_runs
                    redraw()

                tournament.play(runner, watch)
        except KeyboardInterrupt as stop:
            raise Interrupted(_result(store, tournament.id, plan, tournament.standings)) from stop
        return _result(store, tournament.id, plan, tournament.standings)


def stored_tournament(store: Store, number: int) -> TournamentResult:
    """A tournament as far as the store has it; raises GameError."""
    return _result(store, number, *stored_standings(store, number))


def _plan(
    game: str, players: list[str], kind: str, swiss: int | None, pairs: int, settings: ChosenSettings
) -> tuple[TournamentPlan, list[MatchPlan]]:
    """The plan of the tournament, and one of each player against itself: what has to be compiled."""
    limit, seed = settings.limit, settings.seed
    opening, luck = settings.opening_plies, settings.luck
    singles = [make_plan(game, player, player, limit, seed, opening, luck) for player in dict.fromkeys(players)]
    contents = {single.first: single.contents for single in singles}
    plan = TournamentPlan(
        singles[0].game, tuple(players), kind, swiss or 1, pairs, limit, seed,
        min(single.opening_plies for single in singles), meter_text(games.load(game), luck, players),
        tuple(contents[player] for player in players) if any(contents.values()) else (),
        next((single.event for single in singles if single.event), ""),
    )  # fmt: skip
    return plan, singles


def _named(plan: TournamentPlan, names: Sequence[str]) -> TournamentPlan:
    if len(names) != len(plan.players) or len(set(names)) != len(names):
        raise GameError(f"{len(plan.players)} players need as many different names, not {len(set(names))}")
    return replace(plan, names=tuple(names))


def _result(store: Store, number: int, plan: TournamentPlan, standings: Standings) -> TournamentResult:
    table = tuple(TournamentRow(**row) for row in standings.table())
    matches = tuple(played_matches(store, standings))
    return TournamentResult(number, table, tuple(standings.rounds()), plan, standings, matches)
