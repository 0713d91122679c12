"""`starscout.tournament`: play a tournament and rank its players.

A CSV file may list the players, one per line:

    name,command,folder
    Anna,lab:./agent,students/anna
    Bert,tcg-ewn:./ewn --fast,students/bert
    our baseline,random,
"""

import ast
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from starscout import games
from starscout.api.games import given_game
from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult, elo_text, rich_table
from starscout.api.running import (
    PlayerLike,
    game_name,
    game_rules,
    isolated,
    limit_of,
    logged,
    opened_runner,
    opened_store,
    pairs_text,
    player_specs,
    shared_options,
    worker_settings,
)
from starscout.arena.batch import warm
from starscout.arena.director import MatchRun
from starscout.arena.export import PlayedMatch, forfeit_lines, grade_of, read_scale, write_table_csv
from starscout.arena.pairing import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.plan import RANDOM, MatchPlan, make_plan, meter_text
from starscout.arena.standings import Standings
from starscout.arena.store import Store
from starscout.arena.tournament import PER_PLAYER, Tournament, TournamentPlan, stored_standings
from starscout.drawing import charts
from starscout.errors import public
from starscout.game import Game, GameError
from starscout.players.names import player_names
from starscout.players.spec import check_arguments, check_class, describe, in_folder, make_player
from starscout.settings.arguments import checked
from starscout.settings.schema import (
    File,
    Grades,
    Late,
    MatchSettings,
    Pairs,
    RoundRobin,
    SettingError,
    SkipBroken,
    Swiss,
    Withdraw,
    exclusive,
)
from starscout.settings.spreadsheet import read_rows
from starscout.views.html import table as html_table
from starscout.views.store import meeting_matches, table_report, tournament_report, write_report

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

HEADINGS = ("rank", "player", "games", "points", "opponents' points", "Elo")


COLUMNS = ("name", "command", "folder")


def read_players(
    file: Path,
    game: Game,
    *,
    skip_broken: bool = False,
    report: Callable[[str], None] = lambda line: None,
    each: str | None = None,
) -> tuple[list[str], list[str]]:
    """Read the names and SPECs of the players; folders are relative to the file, `each` are options for all of them.

    Raises GameError with the errors of all rows; with `skip_broken`, `report` receives them instead.
    """
    names: list[str] = []
    specs: list[str] = []
    errors: list[str] = []
    for place, (name, command, folder) in read_rows(file, COLUMNS[:2], COLUMNS[2:]):
        try:
            if not name or not command:
                raise GameError(f"{'command' if name else 'name'} is missing")
            if name in names:
                raise GameError("duplicate name")
            if not name.isprintable():
                raise GameError("the name contains control characters")
            if not folder.isprintable():
                raise GameError(f"folder: expected a path, got {folder!r:.80}")
            spec = in_folder(command, str((file.parent / folder).resolve())) if folder else command
            spec = shared_options(spec, each, game)
            check_player(spec, game)
        except GameError as error:
            errors.append(f"{place}: {f'{name!r}' if not name.isprintable() else name or command}: {error}")
        else:
            names.append(name)
            specs.append(spec)
    _report_broken(errors, skip_broken, report)
    return names, specs


def check_player(spec: str, game: Game) -> None:
    """Raise GameError if the player cannot start: an unknown name, a missing program, a class without `choose`.

    Programs are run only to validate options; the object of a class is created in a separate process.
    """
    described = describe(spec, game)
    if described.place is None:
        make_player(spec, game).close()
    elif described.portable:
        _check_file(*described.place.rsplit(":", 1))
        check_class(spec, game)
        return
    check_arguments(spec, game)


def _check_file(file: str, name: str) -> None:
    """Raise GameError if a Python file cannot be parsed or does not define a class."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise GameError(f"{file}{line}: {getattr(error, 'msg', error)}") from error
    except OSError as error:
        raise GameError(f"{file}: {error.strerror}") from error
    # A class may be defined by an assignment, by an import or in a block.
    bound = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    bound |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound |= {
        alias.asname or alias.name
        for node in ast.walk(tree)
        for alias in getattr(node, "names", ())
        if isinstance(alias, ast.alias)
    }
    if not bound & {name, "*"}:
        raise GameError(f"the player file {file[:200]} has no class {name!r}")


def _report_broken(errors: Sequence[str], skip_broken: bool, report: Callable[[str], None]) -> None:
    if errors and not skip_broken:
        count = "1 player" if len(errors) == 1 else f"{len(errors)} players"
        raise SettingError(
            f"{count} cannot start ({{}} leaves out such players):", ("skip_broken",), "\n" + "\n".join(errors)
        )
    for error in errors:
        report(f"left out: {error}")


@dataclass(frozen=True)
class TournamentRow:
    """A row of the final table.

    >>> row = TournamentRow(1, "random", 1, 10, 7.5, 120.0, 80.0, 2.5)
    >>> row.score / row.games
    0.75
    """

    rank: int
    player: str
    number: int
    """Index in the list of players, from 1."""
    games: int
    score: float
    """Points: 1 per win, ½ per draw, and all points of a pairing for a bye."""
    elo: float
    elo_error: float | None
    opponents_score: float
    """Points of the opponents, the tie-break."""


@dataclass(frozen=True, repr=False)
class TournamentResult(PlottedResult):
    """The final table of a tournament, best first, and its rounds.

    >>> quick = {"pairs": 1, "store": ":memory:", "workers": 0}
    >>> result = tournament("ewn-3x3-3", ["random", "random"], **quick)
    >>> len(result.table), len(result.rounds)
    (2, 1)
    """

    tournament: int
    """Number of the tournament in the store."""
    table: tuple[TournamentRow, ...]
    rounds: tuple[dict[str, Any], ...]
    """Every pairing: round, first, second, points, match in the store, forfeits."""
    plan: TournamentPlan
    standings: Standings
    matches: tuple[PlayedMatch, ...] = ()
    """The matches of the pairings, with their games."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout tournament --json`."""
        return {"table": self.rows(), "rounds": list(self.rounds), "tournament": self.tournament}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per player."""
        return [dict(vars(row)) for row in self.table]

    def plot(self) -> Picture:
        """Plot the ratings with their 95 % intervals."""
        names, ratings = player_names([row.player for row in self.table]), [row.elo for row in self.table]
        return Picture(charts.intervals(names, ratings, [row.elo_error or 0.0 for row in self.table], "Elo"))

    @public
    def report(self, path: File) -> None:
        """Write an HTML report; raises GameError."""
        write_report(tournament_report(self.plan, self.standings, self.matches), os.fspath(path))

    @property
    def double_forfeits(self) -> int:
        """Number of games that both players forfeited; they score 0 – 0."""
        return sum(meeting.tally.double_forfeits for meeting in self.standings.meetings)

    @public
    def graded(self, grades: Grades | None = None) -> list[dict[str, Any]]:
        """Return the rows of the table with the percentage of the possible points, forfeits and, with a scale, grades.

        Missed rounds of a Swiss count as lost. Raises GameError.

        >>> result = tournament("ewn-3x3-3", ["random", "random"], pairs=2, store=":memory:", workers=0)
        >>> [row["grade"] for row in result.graded("passed=0")]
        ['passed', 'passed']
        """
        scale = None if grades is None else read_scale(grades)
        rows: list[dict[str, Any]] = []
        for row in self.table:
            mine = [p for p in self.standings.meetings if row.number - 1 in (p.first, p.second)]
            played = {row["round"] for row in self.rounds} if self.plan.kind == SWISS else mine
            possible = self.standings.games_per_meeting * len(played)
            percent = round(100 * row.score / possible, 2) if possible else 0.0
            forfeits = sum(p.tally.forfeits["A" if p.first == row.number - 1 else "B"].total() for p in mine)
            entry = {**vars(row), "percent": percent, "forfeits": forfeits}
            rows.append(entry if scale is None else {**entry, "grade": grade_of(percent, scale)})
        return rows

    @public
    def export(self, path: File, grades: Grades | None = None) -> int:
        """Write the table of `graded` to a .csv, .json or .html file; returns the number of players. Raises GameError.

        >>> import tempfile
        >>> result = tournament("ewn-3x3-3", ["random", "random"], pairs=1, store=":memory:", workers=0)
        >>> result.export(tempfile.mkdtemp() + "/grades.csv", "A=75,B=50,F=0")
        2
        """
        rows, file = self.graded(grades), Path(path)
        if file.suffix == ".csv":
            write_table_csv(rows, os.fspath(path))
        elif file.suffix == ".json":
            facts = {"tournament": self.tournament, "game": self.plan.game, "kind": self.plan.kind}
            text = json.dumps({**facts, "table": rows, "rounds": list(self.rounds)}, ensure_ascii=False, indent=1)
            file.write_text(text + "\n", encoding="utf-8")
        elif file.suffix == ".html":
            file.write_text(table_report(self.plan, rows), encoding="utf-8")
        else:
            raise GameError(f"{file}: expected a file name ending in .csv, .json, .html")
        return len(rows)

    def forfeited(self) -> list[str]:
        """Describe every forfeit: match, game, player and reason."""
        return [line for match in self.matches for line in forfeit_lines(*match, self.plan.known_names)]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        shown: list[RenderableType] = [
            rich_table(HEADINGS, self._cells(), left=("player",)),
            cross_table(self.standings),
        ]
        rows = self.rounds if self.plan.kind == SWISS else [row for row in self.rounds if row.get("forfeits")]
        shown += [rounds_table(rows, self._names())] if rows else []
        return Group(*shown, *self._adjudicated())

    def _adjudicated(self) -> list[str]:
        """State how many games were adjudicated, and why; empty if none."""
        reasons = sum((meeting.tally.adjudications for meeting in self.standings.meetings), Counter[str]())
        return [f"adjudicated: {', '.join(f'{why} {count}×' for why, count in reasons.items())}"] if reasons else []

    def _repr_html_(self) -> str:
        return f"<div>{html_table(HEADINGS, self._cells(), inline=True)}{self.plot().svg}</div>"

    def _names(self) -> dict[str, str]:
        """Map the players of the table to their names."""
        players = [row.player for row in self.table]
        return dict(zip(players, player_names(players), strict=True))

    def _cells(self) -> list[list[str]]:
        """Format the final table."""
        rows: list[list[str]] = []
        names = self._names()
        for row in self.table:
            error = "" if row.elo_error is None else f" ± {row.elo_error:.0f}"
            points = (f"{row.score:g}", f"{row.opponents_score:g}")
            rows.append([str(row.rank), names[row.player], str(row.games), *points, f"{elo_text(row.elo, 1)}{error}"])
        return rows

    def __repr__(self) -> str:
        first = f", {self.table[0].player} is first" if self.table else ""
        return f"<tournament {self.tournament} of {self.plan.game}: {len(self.table)} players{first}>"


@checked
@isolated
def tournament(
    game: str | Game,
    players: Sequence[PlayerLike] | os.PathLike[str],
    *,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    gauntlet: bool = False,
    pairs: Pairs = 5,
    names: Sequence[str] = (),
    late: Late = (),
    withdraw: Withdraw = (),
    skip_broken: SkipBroken = False,
    **settings: Unpack[MatchSettings],
) -> TournamentResult:
    """Play a tournament and rank its players: a round robin, a Swiss of `swiss` rounds, or a gauntlet.

    `players` may be the path of a CSV file with the columns name, command and folder. In a gauntlet, the first player
    meets each of the others. `pairs` is the number of pairs of games per pairing; `names` are display names. Players
    that cannot start are an error, or left out with `skip_broken`. See `RunSettings` for the other keywords. The same
    call resumes an interrupted tournament; the players named in `late` join it and those named in `withdraw` leave it,
    both from the next round on. Ctrl-C raises `Interrupted`. Raises GameError.

    >>> players = ["negascout depth=2 eval=zero", "random"]
    >>> result = tournament("ewn-3x3-3", players, pairs=4, store=":memory:", workers=0)
    >>> [row.player for row in result.table]
    ['negascout depth=2 eval=zero', 'random']
    """
    exclusive(round_robin=round_robin, swiss=swiss, gauntlet=gauntlet)
    if isinstance(players, os.PathLike):
        names, specs = read_players(
            Path(players), given_game(game), skip_broken=skip_broken, report=print_line, each=settings.get("each")
        )
    else:
        specs = player_specs(players, settings.get("each"), given_game(game))
        names, specs = _startable(specs, names, given_game(game), skip_broken)
    if len(specs) < 2:
        raise SettingError("{}", ("players",), f": expected at least two players, got {len(specs)}")
    kind = GAUNTLET if gauntlet else ROUND_ROBIN if swiss is None else SWISS
    plan, singles = tournament_plan(game_name(game), specs, kind, swiss, pairs, settings)
    plan, entrants = _fields(replace(plan, names=tuple(names)), [late] if isinstance(late, str) else late)
    tournament: Tournament | None = None
    under_way: list[MatchRun] = []

    def draw() -> str:
        played = [] if tournament is None else tournament.standings.meetings
        return f"round {played[-1].round if played else 1}: {pairs_text(under_way)}" if under_way else "starting"

    with opened_store(settings.get("store")) as store:
        try:
            # Compile once, before the workers load the kernels.
            with logged(settings.get("log")):
                for single in singles:
                    warm(single, hosted=settings.get("workers") != 0)
            with (
                opened_runner(entrants.game, entrants.players, *worker_settings(settings)) as runner,
                redrawn(draw, shown=settings.get("progress", True)) as redraw,
            ):
                # Create the tournament last: one that cannot start is not stored.
                tournament = Tournament(plan, store)
                tournament.join(entrants)
                tournament.withdraw([withdraw] if isinstance(withdraw, str) else withdraw)

                def watch(match_runs: Sequence[MatchRun]) -> None:
                    under_way[:] = match_runs
                    redraw()

                tournament.play(runner, watch)
        except KeyboardInterrupt as stop:
            if tournament is None:
                raise
            raise Interrupted(_result(store, tournament.id, tournament.plan, tournament.standings)) from stop
        return _result(store, tournament.id, tournament.plan, tournament.standings)


def _startable(
    specs: Sequence[str], names: Sequence[str], game: Game, skip_broken: bool
) -> tuple[list[str], list[str]]:
    """Return the names, if any, and the SPECs of the players that can start; raises GameError."""
    if names and (len(names) != len(specs) or len(set(names)) != len(names)):
        raise GameError(f"names: expected {len(specs)} different names, got {len(set(names))}")
    errors: dict[int, GameError] = {}
    for number, spec in enumerate(specs):
        try:
            check_player(spec, game)
        except GameError as error:
            errors[number] = error
    if len(errors) == 1 and not skip_broken:
        raise next(iter(errors.values()))
    _report_broken([f"player {number + 1}: {error}" for number, error in errors.items()], skip_broken, print_line)
    kept = [number for number in range(len(specs)) if number not in errors]
    return [names[number] for number in kept] if names else [], [specs[number] for number in kept]


def print_line(line: str) -> None:
    """Print a message on standard error."""
    print(f"starscout: {line}", file=sys.stderr, flush=True)


def stored_tournament(store: Store, number: int) -> TournamentResult:
    """Return a tournament so far from the store; raises GameError."""
    return _result(store, number, *stored_standings(store, number))


def tournament_plan(
    game: str, players: list[str], kind: str, swiss: int | None, pairs: int, settings: MatchSettings
) -> tuple[TournamentPlan, list[MatchPlan]]:
    """Plan the tournament, and a match of each player against itself, which determines what to compile."""
    limit, seed = limit_of(settings), settings.get("seed", 0)
    opening, luck = settings.get("opening_plies"), settings.get("luck")
    rules = games.load(game)
    more = game_rules(settings)
    singles = {player: make_plan(game, player, player, limit, seed, opening, luck, **more) for player in players}
    contents = tuple(singles[player].contents for player in players)
    # No value depends on more than one player, so late or withdrawn players do not change other meetings.
    plan = TournamentPlan(
        singles[players[0]].game, tuple(players), kind, swiss or 1, pairs, limit, seed,
        luck=meter_text(rules, luck, ()), quick_luck=meter_text(rules, luck, (RANDOM,)),
        contents=contents, openings=tuple(singles[player].opening_plies for player in players),
        book=singles[players[0]].openings, opening_order=more["opening_order"], adjudication=more["adjudication"],
        event=next((single.event for single in singles.values() if single.event), ""),
    )  # fmt: skip
    return plan, list(singles.values())


def _fields(plan: TournamentPlan, late: Sequence[str]) -> tuple[TournamentPlan, TournamentPlan]:
    """Return the plan without the late players, and with all of them, the late ones last; raises GameError."""
    for name in late:
        if name not in plan.keys:
            raise SettingError("{}", ("late",), f": no player {name!r} in the list: {', '.join(plan.keys)}")
    coming = [number for number, key in enumerate(plan.keys) if key in late]
    order = [number for number in range(len(plan.players)) if number not in coming] + coming
    lists = {name: tuple(values[number] for number in order) for name in PER_PLAYER if (values := getattr(plan, name))}
    entrants = replace(plan, **lists, late=(1,) * len(coming))
    return entrants.first_players(), entrants


def _result(store: Store, number: int, plan: TournamentPlan, standings: Standings) -> TournamentResult:
    table = tuple(TournamentRow(**row) for row in standings.table())
    matches = tuple(meeting_matches(store, standings))
    return TournamentResult(number, table, tuple(standings.rounds()), plan, standings, matches)


def cross_table(standings: Standings) -> "Table":
    """Tabulate the score of each player against each other player in percent; rows and columns by rank."""
    order = standings.order()
    scores = standings.cross_table()
    ranks = [str(rank) for rank in range(1, len(order) + 1)]
    rows = [
        [rank, *("·" if (score := scores[player][other]) is None else f"{100 * score:.0f}" for other in order)]
        for rank, player in zip(ranks, order, strict=True)
    ]
    return rich_table(("rank", *ranks), rows)


def rounds_table(pairings: Sequence[dict[str, Any]], names: Mapping[str, str]) -> "Table":
    """Tabulate pairings with points and forfeits; `names` maps players to their names."""
    rows: list[tuple[str, ...]] = []
    for row in pairings:
        if "rests" in row:
            rows.append((str(row["round"]), names.get(row["rests"], row["rests"]), "bye", "", ""))
        else:
            points = " – ".join(f"{score:g}" for score in row["points"])
            first, second = (names.get(row[seat], row[seat]) for seat in ("first", "second"))
            rows.append((str(row["round"]), first, second, points, row["forfeits"]))
    headings = ("round", "first", "second", "points", "forfeits")
    return rich_table(headings, rows, left=headings[1:])
