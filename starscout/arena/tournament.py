"""Tournaments between many players. Everything is in the store, and a tournament resumes from there.

The course's Swiss: meetings of ten games; sides fixed inside a meeting, the first mover alternating; no rematch; ties
are broken by the points of the opponents.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from starscout import games
from starscout.arena.director import Goal, MatchRun, goal_from_games, run
from starscout.arena.pairing import FORMATS, SWISS, Meeting, Turn
from starscout.arena.plan import MatchPlan, identity_of
from starscout.arena.standings import Played, Standings, draw_lots
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.referee.series import Schedule
from starscout.search.limits import Limit


@dataclass(frozen=True)
class TournamentPlan:
    """Everything that decides a tournament."""

    game: str
    players: tuple[str, ...]
    kind: str
    """The name of its format."""
    rounds: int
    """Rounds of a Swiss; how often everybody meets in the others."""
    pairs: int
    """Pairs of games in each meeting."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""
    contents: tuple[str, ...] = ()
    """The `contents` of MatchPlan for each player."""
    event: str = ""
    """As in MatchPlan."""
    games: int | None = None
    """Games in each meeting, where they are an odd number."""
    names: tuple[str, ...] = ()
    """What the players are called; empty: by their descriptions."""
    schedule: Schedule | None = None
    """The schedule of each meeting; None: the format's."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise GameError("a tournament needs at least two players")
        FORMATS[self.kind].check(len(self.players), self.rounds)

    @property
    def identity(self) -> str:
        """A digest of the plan and of the code that plays it."""
        return identity_of(self)

    @property
    def goal(self) -> Goal:
        """What each meeting is played for."""
        return Goal(self.pairs) if self.games is None else goal_from_games(self.games)

    def match_plan(self, round_: int, board: int, meeting: Meeting) -> MatchPlan:
        """The match of a meeting; each has its own dice."""
        seed = int(draw_lots(self.seed, round_, board)[:15], 16)
        first, second = (self.players[player] for player in meeting)
        keeps_sides = FORMATS[self.kind].keeps_sides and games.load(self.game).other_side_first is not None
        schedule = self.schedule or Schedule(swapped=not keeps_sides)
        contents = "".join(self.contents[player] for player in meeting) if self.contents else ""
        return MatchPlan(
            self.game, first, second, self.limit, seed, self.opening_plies, self.luck, schedule, contents,
            f"{self.event} {round_} {board}" if self.event else "",
        )  # fmt: skip


class Tournament:
    """A tournament under way; games in the store are not played again."""

    def __init__(self, plan: TournamentPlan, store: Store) -> None:
        self.plan = plan
        self.id = store.open_tournament(plan.identity, asdict(plan))
        self.standings = _new_standings(plan)
        self._store = store

    def play(self, runner: Runner, watch: Callable[[Sequence[MatchRun]], None] = lambda match_runs: None) -> None:
        """Play it to its end. `watch` gets the matches that are played at the same time."""
        for turn in FORMATS[self.plan.kind].turns(self.standings, self.plan.rounds):
            self._play_turn(turn, runner, watch)

    def _play_turn(self, turn: Turn, runner: Runner, watch: Callable[[Sequence[MatchRun]], None]) -> None:
        match_runs = []
        boards: dict[int, int] = {}
        for number, meeting in turn:
            board = boards[number] = boards.get(number, 0) + 1
            match_run = MatchRun(self._store, self.plan.match_plan(number, board, meeting), self.plan.goal)
            self._store.add_meeting(self.id, number, board, *meeting, match_run.id)
            self.standings.played.append(Played(number, *meeting, match_run.id, match_run.tally))
            match_runs.append(match_run)
        run(match_runs, runner, self._store, lambda: watch(match_runs))


def stored_standings(store: Store, number: int) -> tuple[TournamentPlan, Standings]:
    """A tournament as far as the store has it, recounted from its games; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tournaments()}
    if number not in descriptions:
        raise GameError(f"there is no tournament {number} in {store.path} (see: starscout results)")
    values = descriptions[number]
    given = {"players": tuple(values["players"]), "limit": Limit(**values["limit"])}
    given |= {name: tuple(values.get(name, ())) for name in ("contents", "names")}
    given["schedule"] = Schedule(**values["schedule"]) if values.get("schedule") else None
    plan = TournamentPlan(**{**values, **given})
    standings = _new_standings(plan)
    present: dict[int, set[int]] = {}
    for round_, first, second, match in store.meetings(number):
        tally = Tally()
        for record in store.pairs(match):
            if record.pair < plan.goal.pairs:
                tally.add(record)
        standings.played.append(Played(round_, first, second, match, tally))
        present.setdefault(round_, set()).update((first, second))
    if plan.kind == SWISS and len(plan.players) % 2:
        everybody = set(range(len(plan.players)))
        standings.rests += [(round_, player) for round_, some in present.items() for player in everybody - some]
    return plan, standings


def _new_standings(plan: TournamentPlan) -> Standings:
    return Standings(plan.names or plan.players, plan.games or 2 * plan.pairs, plan.seed)
