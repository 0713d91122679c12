"""Tournaments: many players meet. Everything is in the store, and a tournament goes on from there.

The course's Swiss: rounds of ten games; colours fixed inside a meeting, the first mover alternating; no rematch; equal
points are told apart by the points of the opponents.
"""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from starscout import games
from starscout.arena.director import Bout, Goal, run
from starscout.arena.pairing import Meeting, gauntlet, round_robin, swiss_round
from starscout.arena.plan import FIXED, SWAPPED, MatchPlan, code_digest
from starscout.arena.standings import Played, Standings, draw_lots
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.search.limits import Limit

ROUND_ROBIN, SWISS, GAUNTLET = "round robin", "Swiss", "gauntlet"


@dataclass(frozen=True)
class TournamentPlan:
    """Everything that decides a tournament."""

    game: str
    players: tuple[str, ...]
    kind: str
    rounds: int
    """Rounds of a Swiss; how often everybody meets in the others."""
    pairs: int
    """Pairs of games in each meeting."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise GameError("a tournament needs at least two players")
        if self.kind == SWISS and self.rounds > len(self.players) - 1 + len(self.players) % 2:
            raise GameError(f"{len(self.players)} players cannot play {self.rounds} Swiss rounds without a rematch")

    @property
    def identity(self) -> str:
        """A digest of the plan and of the code that plays it."""
        text = f"{json.dumps(asdict(self), sort_keys=True)}\0{code_digest()}"
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

    def match_plan(self, round_: int, board: int, meeting: Meeting) -> MatchPlan:
        """The match of a meeting; each has dice of its own."""
        seed = int(draw_lots(self.seed, round_, board)[:15], 16)
        first, second = (self.players[player] for player in meeting)
        colours = FIXED if self.kind == SWISS and games.load(self.game).has_dice else SWAPPED
        return MatchPlan(self.game, first, second, self.limit, seed, self.opening_plies, self.luck, colours)


class Tournament:
    """A tournament under way; what the store has of it is not played again."""

    def __init__(self, plan: TournamentPlan, store: Store) -> None:
        self.plan = plan
        self.id = store.open_tournament(plan.identity, asdict(plan))
        self.standings = Standings(plan.players, 2 * plan.pairs, plan.seed)
        self._store = store

    def play(self, runner: Runner, watch: Callable[[Sequence[Bout]], None] = lambda bouts: None) -> None:
        """Play it to its end. `watch` gets the matches of the round (of all rounds, where they are known before)."""
        if self.plan.kind == SWISS:
            for number in range(1, self.plan.rounds + 1):
                meetings, resting = self._next_swiss_round()
                self._play_meetings([(number, meeting) for meeting in meetings], runner, watch)
                if resting is not None:
                    self.standings.rests.append((number, resting))
            return
        schedule = {ROUND_ROBIN: round_robin, GAUNTLET: gauntlet}[self.plan.kind](len(self.plan.players))
        rounds = [meetings for _ in range(self.plan.rounds) for meetings in schedule]
        numbered = [(number, meeting) for number, meetings in enumerate(rounds, 1) for meeting in meetings]
        self._play_meetings(numbered, runner, watch)

    def _play_meetings(
        self, meetings: Sequence[tuple[int, Meeting]], runner: Runner, watch: Callable[[Sequence[Bout]], None]
    ) -> None:
        bouts = []
        boards: dict[int, int] = {}
        for number, meeting in meetings:
            board = boards[number] = boards.get(number, 0) + 1
            bout = Bout(self._store, self.plan.match_plan(number, board, meeting), Goal(self.plan.pairs))
            self._store.add_meeting(self.id, number, board, *meeting, bout.id)
            self.standings.played.append(Played(number, *meeting, bout.id, bout.tally))
            bouts.append(bout)
        run(bouts, runner, self._store, lambda: watch(bouts))

    def _next_swiss_round(self) -> tuple[list[Meeting], int | None]:
        standings = self.standings
        met = {frozenset((played.first, played.second)) for played in standings.played}
        meetings, resting = swiss_round(standings.order(), met, {player for _, player in standings.rests})
        # Side 0 goes to the one who had it less often.
        had = [sum(played.first == player for played in standings.played) for player in range(len(self.plan.players))]
        return [(a, b) if had[a] <= had[b] else (b, a) for a, b in meetings], resting


def stored_standings(store: Store, number: int) -> tuple[TournamentPlan, Standings]:
    """A tournament as far as the store has it, recounted from its games; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tournaments()}
    if number not in descriptions:
        raise GameError(f"there is no tournament {number} in {store.path} (see: starscout results)")
    values = descriptions[number]
    plan = TournamentPlan(**{**values, "players": tuple(values["players"]), "limit": Limit(**values["limit"])})
    standings = Standings(plan.players, 2 * plan.pairs, plan.seed)
    present: dict[int, set[int]] = {}
    for round_, first, second, match in store.meetings(number):
        tally = Tally()
        for record in store.pairs(match):
            if record.pair < plan.pairs:
                tally.add(record)
        standings.played.append(Played(round_, first, second, match, tally))
        present.setdefault(round_, set()).update((first, second))
    if plan.kind == SWISS and len(plan.players) % 2:
        everybody = set(range(len(plan.players)))
        standings.rests += [(round_, player) for round_, some in present.items() for player in everybody - some]
    return plan, standings


def expected_pairs(plan: TournamentPlan) -> int:
    """How many pairs the whole tournament has."""
    players = len(plan.players)
    meetings = {ROUND_ROBIN: math.comb(players, 2), GAUNTLET: players - 1, SWISS: players // 2}[plan.kind]
    return meetings * plan.rounds * plan.pairs
