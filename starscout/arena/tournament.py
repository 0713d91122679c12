"""Tournaments between many players, resumed from the store.

The Swiss tournament of the course has meetings of ten games, fixed sides within a meeting with the first mover
alternating, no rematches, and the opponents' points as tie-break.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from starscout import games
from starscout.arena.director import MatchRun, StoppingRule, run, stopping_rule_from_games
from starscout.arena.pairing import FORMATS, SWISS
from starscout.arena.plan import MatchPlan, identity_of
from starscout.arena.standings import MeetingResult, Standings, seeded_hash
from starscout.arena.store import Store
from starscout.arena.swiss import Meeting, Stage
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.referee.series import Schedule
from starscout.search.limits import Limit


@dataclass(frozen=True)
class TournamentPlan:
    """Everything that determines a tournament."""

    game: str
    players: tuple[str, ...]
    kind: str
    """The name of the format, a key of FORMATS."""
    rounds: int
    """Rounds of a Swiss tournament; number of repetitions in the other formats."""
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
    """Games in each meeting if that number is odd; None: two per pair."""
    names: tuple[str, ...] = ()
    """Display names of the players; empty: their descriptions."""
    schedule: Schedule | None = None
    """The schedule of each meeting; None: that of the format."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise GameError(f"players: expected at least 2, got {len(self.players)}")
        FORMATS[self.kind].check(len(self.players), self.rounds)

    @property
    def identity(self) -> str:
        """Digest of the plan and of the code that plays it."""
        return identity_of(self)

    @property
    def stopping_rule(self) -> StoppingRule:
        """The stopping rule of each meeting."""
        return StoppingRule(self.pairs) if self.games is None else stopping_rule_from_games(self.games)

    def match_plan(self, round_: int, board: int, meeting: Meeting) -> MatchPlan:
        """Return the match of a meeting; each has its own dice."""
        seed = int(seeded_hash(self.seed, round_, board)[:15], 16)
        first, second = (self.players[player] for player in meeting)
        fixed_sides = FORMATS[self.kind].fixed_sides and games.load(self.game).other_side_first is not None
        schedule = self.schedule or Schedule(swapped=not fixed_sides)
        contents = "".join(self.contents[player] for player in meeting) if self.contents else ""
        return MatchPlan(
            self.game, first, second, self.limit, seed, self.opening_plies, self.luck, schedule, contents,
            f"{self.event} {round_} {board}" if self.event else "",
        )  # fmt: skip


class Tournament:
    """A running tournament; games in the store are not played again."""

    def __init__(self, plan: TournamentPlan, store: Store) -> None:
        self.plan = plan
        self.id = store.open_tournament(plan.identity, asdict(plan))
        self.standings = _new_standings(plan)
        self._store = store

    def play(self, runner: Runner, watch: Callable[[Sequence[MatchRun]], None] = lambda match_runs: None) -> None:
        """Play all remaining games. `watch` receives the matches that are played concurrently."""
        for stage in FORMATS[self.plan.kind].stages(self.standings, self.plan.rounds):
            self._play_stage(stage, runner, watch)

    def _play_stage(self, stage: Stage, runner: Runner, watch: Callable[[Sequence[MatchRun]], None]) -> None:
        match_runs = []
        boards: dict[int, int] = {}
        for number, meeting in stage:
            board = boards[number] = boards.get(number, 0) + 1
            match_run = MatchRun(self._store, self.plan.match_plan(number, board, meeting), self.plan.stopping_rule)
            self._store.add_meeting(self.id, number, board, *meeting, match_run.id)
            self.standings.meetings.append(MeetingResult(number, *meeting, match_run.id, match_run.tally))
            match_runs.append(match_run)
        run(match_runs, runner, self._store, lambda: watch(match_runs))


def stored_standings(store: Store, number: int) -> tuple[TournamentPlan, Standings]:
    """Return plan and standings of a stored tournament, recomputed from its games."""
    descriptions = {stored: description for stored, description, _ in store.tournaments()}
    if number not in descriptions:
        raise GameError(f"{store.path}: no tournament {number} (`starscout results` lists them)")
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
            if record.pair < plan.stopping_rule.pairs:
                tally.add(record)
        standings.meetings.append(MeetingResult(round_, first, second, match, tally))
        present.setdefault(round_, set()).update((first, second))
    if plan.kind == SWISS and len(plan.players) % 2:
        everyone = set(range(len(plan.players)))
        standings.byes += [(round_, player) for round_, some in present.items() for player in everyone - some]
    return plan, standings


def _new_standings(plan: TournamentPlan) -> Standings:
    return Standings(plan.names or plan.players, plan.games or 2 * plan.pairs, plan.seed)
