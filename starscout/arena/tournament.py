"""Tournaments between many players, resumed from the store.

The Swiss tournament of the course has meetings of ten games, fixed sides within a meeting with the first mover
alternating, no rematches, and the opponents' points as tie-break.

Players may join late and withdraw. The identity of a tournament covers its original field; the changes are stored with
it. The dice of a meeting depend only on its two players, so a change of the field does not affect other meetings.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from starscout import games
from starscout.arena.director import MatchRun, StoppingRule, run, stopping_rule_from_games
from starscout.arena.pairing import FORMATS, SWISS
from starscout.arena.plan import RANDOM, MatchPlan, identity_of
from starscout.arena.standings import MeetingResult, Standings, seeded_hash
from starscout.arena.store import Store
from starscout.arena.swiss import Meeting, Stage
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.referee.adjudication import Adjudication
from starscout.referee.opening_book import RANDOM_ORDER
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

PLAYERS, BOARDS = "players", "boards"
"""Sources of dice seeds. BOARDS derives them from round and board, as versions up to 0.1 did."""


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
    seeding: str = PLAYERS
    """Source of the dice seed of a meeting: PLAYERS or BOARDS."""
    openings: tuple[int, ...] = ()
    """Random plies that each player allows; a meeting has the smaller number. Empty: `opening_plies`."""
    quick_luck: str = ""
    """Value function that measures luck in meetings with `random`; empty: `luck`."""
    book: str = ""
    """As `openings` of MatchPlan."""
    opening_order: str = RANDOM_ORDER
    adjudication: Adjudication = Adjudication()  # noqa: RUF009 (Adjudication is frozen)
    late: tuple[int, ...] = ()
    """First round of each player that joined late; these are the last players."""
    withdrawn: tuple[tuple[int, int], ...] = ()
    """Players that withdrew, each with the first round that it does not play."""

    def __post_init__(self) -> None:
        if self.original < 2:
            raise GameError(f"players: expected at least 2, got {self.original}")
        FORMATS[self.kind].check(self.original, self.rounds)

    @property
    def original(self) -> int:
        """Number of players at the start."""
        return len(self.players) - len(self.late)

    @property
    def identity(self) -> str:
        """Digest of the plan with its original players and of the code that plays it."""
        return identity_of(self.first_players())

    def first_players(self) -> "TournamentPlan":
        """Return the plan with its original players."""
        lists = {name: getattr(self, name)[: self.original] for name in PER_PLAYER}
        return replace(self, **lists, late=(), withdrawn=())

    @property
    def keys(self) -> tuple[str, ...]:
        """Unique names of the players; equal descriptions are numbered."""
        seen: Counter[str] = Counter()
        keys: list[str] = []
        for name in self.names or self.players:
            seen[name] += 1
            keys.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        return tuple(keys)

    @property
    def known_names(self) -> dict[str, str]:
        """SPEC → name, of the players that have names."""
        return dict(zip(self.players, self.names, strict=True)) if self.names else {}

    @property
    def stopping_rule(self) -> StoppingRule:
        """The stopping rule of each meeting."""
        return StoppingRule(self.pairs) if self.games is None else stopping_rule_from_games(self.games)

    def is_cancelled(self, number: int, meeting: Meeting) -> bool:
        """Whether a player of a meeting withdrew before its round."""
        withdrawn = dict(self.withdrawn)
        return any(player in withdrawn and withdrawn[player] <= number for player in meeting)

    def match_plan(self, round_: int, board: int, meeting: Meeting, encounter: int = 1) -> MatchPlan:
        """Return the match of a meeting; `encounter` counts the meetings of the same two players."""
        seed = seeded_hash(self.seed, round_, board)
        if self.seeding == PLAYERS:
            seed = seeded_hash(self.seed, encounter, *sorted(self.keys[player] for player in meeting))
        first, second = (self.players[player] for player in meeting)
        fixed_sides = FORMATS[self.kind].fixed_sides and games.load(self.game).other_side_first is not None
        # Both games of a pair begin at the same position of a book.
        schedule = self.schedule or Schedule(swapped=not fixed_sides or bool(self.book))
        contents = "".join(self.contents[player] for player in meeting) if self.contents else ""
        opening = min(self.openings[player] for player in meeting) if self.openings else self.opening_plies
        luck = self.quick_luck if self.quick_luck and RANDOM in (first, second) else self.luck
        return MatchPlan(
            self.game, first, second, self.limit, int(seed[:15], 16), opening, luck, schedule, contents,
            event=f"{self.event} {round_} {board}" if self.event else "",
            openings=self.book, opening_order=self.opening_order, adjudication=self.adjudication,
        )  # fmt: skip


PER_PLAYER = ("players", "contents", "names", "openings")
"""Fields with an entry for each player, or empty."""


class Tournament:
    """A running tournament; games in the store are not played again."""

    def __init__(self, plan: TournamentPlan, store: Store) -> None:
        self.id = store.open_tournament(plan.identity, asdict(plan.first_players()))
        self.plan = stored_plan(store, self.id)
        self.standings = _new_standings(self.plan)
        self._store = store

    def join(self, entrants: TournamentPlan) -> None:
        """Add the players of another plan that are not in this one; they play from the next round on.

        Raises GameError for a player that joined with a different program.
        """
        known = dict(zip(self.plan.keys, range(len(self.plan.players)), strict=True))
        new: list[int] = []
        for number, key in enumerate(entrants.keys):
            if key not in known:
                new.append(number)
            elif _entry(entrants, number) != _entry(self.plan, known[key]):
                raise GameError(f"{key}: a different program has joined tournament {self.id} under this name")
        if new:
            self._check_open()
            lists = {name: (*getattr(self.plan, name), *_chosen(getattr(entrants, name), new)) for name in PER_PLAYER}
            late = (*self.plan.late, *(self._next_round() for _ in new))
            self._change(replace(self.plan, **lists, late=late))

    def withdraw(self, names: Sequence[str]) -> None:
        """Withdraw players from the next round on; a meeting that has begun is finished. Raises GameError."""
        for name in names:
            if name not in self.plan.keys:
                raise GameError(f"withdraw: no player {name!r} in tournament {self.id}: {', '.join(self.plan.keys)}")
            player = self.plan.keys.index(name)
            if player not in dict(self.plan.withdrawn):
                self._check_open()
                # Unless rounds are paired one after the other, all meetings are scheduled at the start.
                first = self._next_round() if FORMATS[self.plan.kind].by_rounds else 1
                counts = self._store.pair_counts()
                cancelled = [
                    match
                    for number, *meeting, match in self._store.meetings(self.id)
                    if number >= first and player in meeting and not counts.get(match)
                ]
                self._change(replace(self.plan, withdrawn=(*self.plan.withdrawn, (player, first))), cancelled)

    def _check_open(self) -> None:
        if getattr(FORMATS[self.plan.kind], "by_rounds", None) is None:
            raise GameError(f"late and withdrawn players: not supported in a {self.plan.kind}")

    def _next_round(self) -> int:
        """Return the first round that has not begun."""
        return max((row[0] for row in self._store.meetings(self.id)), default=0) + 1

    def _change(self, plan: TournamentPlan, cancelled: Sequence[int] = ()) -> None:
        """Store a changed plan, and remove the meetings of these matches."""
        self._store.update_tournament(self.id, asdict(plan), cancelled)
        self.plan = plan
        self.standings = _new_standings(plan)

    def play(self, runner: Runner, watch: Callable[[Sequence[MatchRun]], None] = lambda match_runs: None) -> None:
        """Play all remaining games. `watch` receives the matches that are played concurrently."""
        encounters: Counter[frozenset[int]] = Counter()
        for stage in FORMATS[self.plan.kind].stages(self.standings, self.plan.rounds):
            match_runs = self._open_stage(stage, encounters)
            run(match_runs, runner, self._store, lambda runs=match_runs: watch(runs))

    def _open_stage(self, stage: Stage, encounters: Counter[frozenset[int]]) -> list[MatchRun]:
        """Open the matches of a stage and store its meetings; raises GameError if others are stored."""
        match_runs: list[MatchRun] = []
        rows: list[tuple[int, int, int, int, int]] = []
        boards: Counter[int] = Counter()
        known = {row[:3] for row in self._store.meetings(self.id)}
        for number, meeting in stage:
            boards[number] += 1
            encounters[frozenset(meeting)] += 1
            if (number, *meeting) not in known and self.plan.is_cancelled(number, meeting):
                continue
            plan = self.plan.match_plan(number, boards[number], meeting, encounters[frozenset(meeting)])
            match_run = MatchRun(self._store, plan, self.plan.stopping_rule)
            rows.append((number, boards[number], *meeting, match_run.id))
            self.standings.meetings.append(MeetingResult(number, *meeting, match_run.id, match_run.tally))
            match_runs.append(match_run)
        self._store.add_meetings(self.id, rows)
        if not {(number, *row) for number, _, *row in rows} <= set(self._store.meetings(self.id)):
            raise GameError(
                f"{self._store.path}: tournament {self.id} has different pairings: it was played by different code"
            )
        return match_runs


def _entry(plan: TournamentPlan, player: int) -> tuple[str, str]:
    """Identity of a player's program."""
    return plan.players[player], plan.contents[player] if plan.contents else ""


def _chosen(values: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[place] for place in places) if values else ()


def stored_plan(store: Store, number: int) -> TournamentPlan:
    """Return the plan of a stored tournament with its late and withdrawn players; raises GameError."""
    descriptions = {stored: description for stored, description, _ in store.tournaments()}
    if number not in descriptions:
        raise GameError(f"{store.path}: no tournament {number} (`starscout results` lists them)")
    return plan_from_description(descriptions[number])


def plan_from_description(values: dict[str, Any]) -> TournamentPlan:
    """Return the plan of a description in a store; raises GameError if the store is damaged."""
    try:
        given = {"players": tuple(values["players"]), "limit": Limit(**values["limit"])}
        given |= {name: tuple(values.get(name, ())) for name in ("contents", "names", "openings", "late")}
        given["withdrawn"] = tuple((player, round_) for player, round_ in values.get("withdrawn", ()))
        given["schedule"] = Schedule(**values["schedule"]) if values.get("schedule") else None
        given["adjudication"] = Adjudication(**values.get("adjudication", {}))
        # Descriptions of earlier versions do not contain the seeding.
        return TournamentPlan(**{"seeding": BOARDS, **values, **given})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise GameError(f"the store is damaged: a tournament cannot be read: {error!r}") from error


def stored_standings(store: Store, number: int) -> tuple[TournamentPlan, Standings]:
    """Return plan and standings of a stored tournament, recomputed from its games."""
    plan = stored_plan(store, number)
    standings = _new_standings(plan)
    present: dict[int, set[int]] = {}
    for round_, first, second, match in store.meetings(number):
        tally = Tally()
        for record in store.pairs(match):
            if record.pair < plan.stopping_rule.pairs:
                tally.add(record)
        standings.meetings.append(MeetingResult(round_, first, second, match, tally))
        present.setdefault(round_, set()).update((first, second))
    if plan.kind == SWISS:
        byes = ((round_, set(standings.present(round_)) - some) for round_, some in present.items())
        standings.byes += [(round_, player) for round_, absent in byes for player in absent]
    return plan, standings


def is_finished(store: Store, number: int) -> bool:
    """Whether all games of a stored tournament have been played."""
    plan, stored = stored_standings(store, number)
    played = {(p.round, p.first, p.second): p for p in stored.meetings}
    standings = _new_standings(plan)
    for stage in FORMATS[plan.kind].stages(standings, plan.rounds):
        for round_, meeting in stage:
            found = played.get((round_, *meeting))
            if found is None and plan.is_cancelled(round_, meeting):
                continue
            if found is None or found.tally.count < plan.stopping_rule.pairs:
                return False
            standings.meetings.append(found)
    return True


def unfinished_event(store: Store, plan: TournamentPlan, names: Collection[str]) -> TournamentPlan | None:
    """Return the newest unfinished event with the settings of `plan`, as many original players, and these players.

    An event is a tournament of connected engines. Games played by different code cannot be resumed.
    """
    for number, description, _ in reversed(store.tournaments()):
        with contextlib.suppress(GameError):
            stored = plan_from_description(description)
            same = replace(stored.first_players(), players=plan.players, event=plan.event) == plan
            if not (
                same and stored.event and stored.original == len(plan.players) and set(names) <= set(stored.players)
            ):
                continue
            current = all(store.match(match).current for *_, match in store.meetings(number))
            if current and not is_finished(store, number):
                return stored
    return None


def _new_standings(plan: TournamentPlan) -> Standings:
    return Standings(
        plan.names or plan.players, plan.games or 2 * plan.pairs, plan.seed, late=plan.late, withdrawn=plan.withdrawn
    )
