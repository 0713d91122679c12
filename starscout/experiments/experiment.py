"""Experiments, and the TOML file that describes one.

    question = "Is a ply of depth worth more than the better evaluation?"
    game = "ewn"
    seed = 1
    pairs = 100                      # of each duel
    quick = 5                        # of each duel with --quick
    margin = 35                      # Elo; smaller differences count as none
    stopping = "fixed sample size"   # when sampling ends

    [players]                        # a name for each description
    deep = "negascout depth=3 eval=distance"
    wise = "negascout depth=2 eval=race"

    [[duel]]
    first = "deep"                   # a name from [players], or a description
    second = "wise"

    [columns]                        # further columns: title = field of `used` (see runner.py)
    nodes = "nodes_per_move"

    [[claim]]
    says = "depth is worth more"
    better = "deep – wise"           # a row; without `than`: better than even

Question, rows, sample sizes, margin, stopping rule and claims are fixed before the first game: results show the digest
of these entries. Optional entries: `title`, `report`, `table`, `headline`, `notes`, `their_setting`, `our_setting` and
`equal_limits` for the page; `limit` per move for both players
(each needs a limit in nodes, depth or simulations, so that games are reproducible); `luck = "off"`; `[swiss]` instead
of duels.
A claim with `ours = true` is not a conclusion of the report.
A duel may have a `name`, its own `pairs`, and the numbers of a report: `reported = { games = 50, score = 0.62 }`.
"""

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from starscout.arena.director import StoppingRule
from starscout.arena.pairing import SWISS
from starscout.arena.plan import MatchPlan, digest, effective_limits, make_plan, meter_text
from starscout.arena.tournament import BOARDS, TournamentPlan
from starscout.game import GameError
from starscout.games import load
from starscout.search.limits import Limit
from starscout.settings.decode import decode, decode_value
from starscout.settings.options import nearest, parse_options, split_options
from starscout.settings.schema import Games, Pairs, Seed, Setting, Swiss

FOLDER = Path(__file__).parent
ENDING = ".toml"
REGISTRATION_DIGITS = 12
OptionalPairs = Annotated[Pairs, Setting(low=0)]
Margin = Annotated[float, Setting("Equivalence margin in Elo.", 0.0, 1000.0, "Elo")]
REPORTED = {
    "games": Games,
    "score": Annotated[float, Setting("Mean score.", 0.0, 1.0)],
    "draws": Annotated[int, Setting("Number of draws.", 0, 10**9)],
}
"""Reported number → its setting."""


@dataclass(frozen=True)
class Duel:
    """A match, and the numbers that a report gives for it."""

    first: str = ""
    """Empty if only the report has numbers for this row, which then has a name."""
    second: str = ""
    name: str = ""
    pairs: OptionalPairs = 0
    """0: as many as the experiment sets."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """`games`, `score`, `draws` if there are any, and columns by their titles."""

    def __post_init__(self) -> None:
        _check_reported(self.reported)


@dataclass(frozen=True)
class SwissField:
    """A Swiss tournament between all `players`; the rows are players or places."""

    rounds: Swiss
    pairs: OptionalPairs
    """Pairs of games per pairing."""
    repeats: Annotated[int, Setting("Number of tournaments.", 1, 10**9)]
    """Tournaments, each with its own seed."""
    quick_repeats: int = 1
    places: bool = False
    """Whether the rows are final places instead of players."""
    reported: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Row → the numbers of a report."""

    def __post_init__(self) -> None:
        for reported in self.reported.values():
            _check_reported(reported)

    def row_name(self, player: str, place: int) -> str:
        """Return the row of a player with this final place."""
        return f"place {place}" if self.places else player

    def row_names(self, players: Iterable[str]) -> list[str]:
        """Return the names of all rows."""
        return [self.row_name(player, place) for place, player in enumerate(players, 1)]


@dataclass(frozen=True)
class Claim:
    """A statement that the numbers confirm, refute or leave open. Rows are named."""

    says: str
    better: str = ""
    """This row has the higher score."""
    than: str = ""
    """The row to compare with; empty for an even score."""
    same: str = ""
    """Instead of `better`: this row has the same score as `than`."""
    differ: tuple[str, ...] = ()
    """Instead of `better`: these rows do not all have the same score."""
    ours: bool = False
    """Whether the question is ours: the report does not draw this conclusion."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows of the claim; a single row is compared with an even score."""
        return self.differ or tuple(filter(None, (self.better or self.same, self.than)))

    def check(self, names: Sequence[str]) -> None:
        """Raise GameError unless the claim is complete and its rows exist."""
        kinds = sum(map(bool, (self.better, self.same, self.differ)))
        if kinds != 1 or (self.same and not self.than) or (self.differ and (self.than or len(self.differ) < 2)):
            raise GameError(f"claim {self.says!r}: expected `better`, or `same` and `than`, or `differ`")
        for row in self.rows:
            if row not in names:
                raise GameError(f"claim {self.says!r}: no row {row!r}{nearest(row, names)}")


@dataclass(frozen=True)
class Experiment:
    """A question and the games that answer it."""

    name: str
    question: str
    game: str
    seed: Seed = 0
    pairs: OptionalPairs = 100
    quick: Pairs = 5
    margin: Margin = 0.0
    """Rows whose true difference is smaller count as equal; 0: none do."""
    stopping: str = "fixed sample size"
    """When sampling ends, decided before the first game."""
    limit: str = ""
    luck: str | None = None
    title: str = ""
    """The subject, as a heading."""
    report: str = ""
    """File name of the report that asks the question."""
    table: str = ""
    """Heading of the table in the report."""
    headline: str = ""
    """The main finding, one sentence without a full stop."""
    their_setting: str = ""
    """Search limits and numbers of games of the report."""
    our_setting: str = ""
    """Search limits of ours."""
    equal_limits: bool = False
    """Whether both searched at equal limits; only then can our result contradict the report."""
    notes: str = ""
    players: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    duel: tuple[Duel, ...] = ()
    swiss: SwissField | None = None
    claim: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.duel) == (self.swiss is not None):
            raise GameError("expected either [[duel]] entries or [swiss]")
        if self.swiss is not None and len(self.players) < 2:
            raise GameError("[swiss] needs at least two [players]")
        names = [self.row_name(duel) for duel in self.duel]
        if self.swiss is not None:
            names = self.swiss.row_names(self.players)
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise GameError(f"two duels have the name {twice!r}: rename one")
        for claim in self.claim:
            claim.check(names)
            if claim.same and not self.margin:
                raise GameError(f"claim {claim.says!r}: `same` needs a `margin` in Elo")

    @property
    def registration(self) -> str:
        """Digest of everything that is fixed before the first game."""
        fixed = ("question", "game", "seed", "pairs", "margin", "stopping", "limit", "luck", "players", "duel", "swiss")
        entries = {name: getattr(self, name) for name in fixed}
        # The author of the question does not affect the study.
        entries["claim"] = [dataclasses.replace(claim, ours=False) for claim in self.claim]
        text = json.dumps(entries, sort_keys=True, default=dataclasses.asdict)
        return digest((text.encode(),))[:REGISTRATION_DIGITS]

    def varied(self, seed: int | None, pairs: int | None) -> "Experiment":
        """Return the experiment with another seed, and with as many pairs in every row; None: unchanged."""
        changed = self if seed is None else dataclasses.replace(self, seed=seed)
        if pairs is None:
            return changed
        duels = tuple(dataclasses.replace(duel, pairs=0) for duel in self.duel)
        return dataclasses.replace(changed, pairs=pairs, duel=duels)

    @property
    def games(self) -> int:
        """Number of games of a full run."""
        if self.swiss is not None:
            each = self.swiss.rounds * (len(self.players) // 2) * 2 * self.swiss.pairs
            return each * self.swiss.repeats
        return sum(2 * self.stopping_rule(duel, quick=False).pairs for duel in self.duel if duel.first)

    def row_name(self, duel: Duel) -> str:
        """Return the name of the row of a duel."""
        return duel.name or f"{duel.first} – {duel.second}"

    def stopping_rule(self, duel: Duel, *, quick: bool) -> StoppingRule:
        """Return the number of pairs of a duel, as a stopping rule."""
        pairs = duel.pairs or self.pairs
        return StoppingRule(min(self.quick, pairs) if quick else pairs)

    def plan(self, duel: Duel) -> MatchPlan:
        """Plan the match of a duel; raises GameError."""
        first, second = (self.players.get(name, name) for name in (duel.first, duel.second))
        try:
            plan = make_plan(self.game, first, second, self.move_limit, self.seed, luck=self.luck)
            for spec, limit in zip((first, second), effective_limits(plan), strict=True):
                _check_limit(spec, limit)
        except GameError as error:
            raise GameError(f"{self.name}: duel {self.row_name(duel)!r}: {error}") from error
        return plan

    def tournament(self, number: int) -> TournamentPlan:
        """Plan tournament `number` of a Swiss; raises GameError."""
        if self.swiss is None:
            raise GameError(f"{self.name} has no [swiss]")
        specs = tuple(self.players.values())
        for name, spec in self.players.items():
            try:
                plan = make_plan(self.game, spec, spec, self.move_limit, self.seed, luck=self.luck)
                _check_limit(spec, effective_limits(plan)[0])
            except GameError as error:
                raise GameError(f"{self.name}: player {name!r}: {error}") from error
        luck = meter_text(load(self.game), self.luck, specs)
        return TournamentPlan(
            self.game, specs, SWISS, self.swiss.rounds, self.swiss.pairs, self.move_limit, self.seed + number,
            luck=luck, names=tuple(self.players), seeding=BOARDS,
        )  # fmt: skip

    def description(self) -> tuple[str, dict[str, Any]]:
        """Return the digest and the entries of the experiment, for a store."""
        entries = {name: value for name, value in dataclasses.asdict(self).items() if value is not None}
        text = json.dumps(entries)
        return digest((text.encode(),)), json.loads(text)

    @property
    def move_limit(self) -> Limit:
        """Limit per move of both players."""
        return parse_options(Limit, split_options(self.limit.split()), "limit")


def _check_reported(reported: Mapping[str, float]) -> None:
    for name, value in reported.items():
        decode_value(f"reported.{name}", value, REPORTED.get(name, float))


def _check_limit(spec: str, limit: Limit) -> None:
    """Raise GameError for a time limit, which makes games irreproducible."""
    timed = limit.time is not None or limit.clock is not None
    counted = limit.depth is not None or limit.nodes is not None or limit.simulations is not None
    if limit.time is not None or (timed and not counted and spec != "random"):
        raise GameError(f"{spec!r} is limited by time: reproducible games need a limit on depth, nodes or simulations")


def experiment_names() -> list[str]:
    """Return the names of the built-in experiments."""
    return sorted(path.stem for path in FOLDER.glob(f"*{ENDING}"))


def find_experiment(name: str) -> Experiment:
    """Load an experiment by name or from a file; raises GameError."""
    path = FOLDER / f"{name}{ENDING}"
    if not (path.is_file() and Path(name).name == name):
        path = Path(name)
        if not name.endswith(ENDING):
            raise GameError(f"no experiment {name!r}{nearest(name, experiment_names())} (see: starscout experiment)")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"{path}: cannot be read: {error}") from error
    return parse_experiment(text, path)


def parse_experiment(text: str, path: Path) -> Experiment:
    """Parse the text of an experiment file; raises GameError."""
    try:
        return decode(Experiment, {**tomllib.loads(text), "name": path.stem})
    except (GameError, ValueError, RecursionError) as error:
        # Besides TOMLDecodeError, the parser raises ValueError for very long numbers.
        raise GameError(f"{path}: {error}") from error


def experiment_from_description(entries: Mapping[str, Any]) -> Experiment:
    """Invert `Experiment.description`; raises GameError."""
    return decode(Experiment, entries)
