"""What an experiment is, and the file that describes it.

    question = "Is a ply of depth worth more than the better evaluation?"
    game = "ewn"
    seed = 1
    pairs = 100                      # of each duel
    quick = 5                        # of each duel with --quick

    [players]                        # a name for each description
    deep = "negascout depth=3 eval=distance"
    wise = "negascout depth=2 eval=race"

    [[duel]]
    first = "deep"                   # a name from [players], or a description
    second = "wise"

    [columns]                        # what else is shown: title = where it stands in `used` (see runner.py)
    nodes = "nodes_per_move"

    [[claim]]
    says = "depth is worth more"
    better = "deep – wise"           # a row; without `than`: better than even

A file can have `report`, `table`, `headline` and `notes` for people, `limit` for every move of both players (each has a
limit in nodes, depth or simulations, so that games repeat exactly), `luck = "off"`, and a `[swiss]` in place of duels.
A duel can have a `name`, its own `pairs`, and what a report says about it: `reported = { games = 50, score = 0.62 }`.
"""

import dataclasses
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from starscout.arena.director import StoppingRule
from starscout.arena.identity import digest
from starscout.arena.pairing import SWISS
from starscout.arena.plan import MatchPlan, limits_in_force, make_plan, meter_text
from starscout.arena.tournament import TournamentPlan
from starscout.game import GameError
from starscout.games import load
from starscout.search.limits import Limit
from starscout.settings.arguments import MANY, RANGES, number, whole
from starscout.settings.options import nearest, parse_options, split_options

FOLDER = Path(__file__).parent
ENDING = ".toml"
BETTER, SAME = "better", "same"
MOST = 10**9
NUMBERS = {"seed": RANGES["seed"], "quick": (1, MOST), "rounds": (1, MOST), "repeats": (1, MOST)}
"""Name of an entry → the least and the greatest number, where 0 is too small or MOST."""
REPORTED = {"games": (1, MOST), "score": (0, 1)}
"""Name of a reported number → the least and the greatest."""

Part = TypeVar("Part")


@dataclass(frozen=True)
class Duel:
    """A match, and what a report says about it."""

    first: str = ""
    """Empty: only the report has numbers for this row, and it has a name."""
    second: str = ""
    name: str = ""
    pairs: int = 0
    """0: as many as the experiment says."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """`games`, `score`, and columns by their titles."""


@dataclass(frozen=True)
class SwissField:
    """The Swiss of an experiment: everybody in `players` plays; rows are the players or the places."""

    rounds: int
    pairs: int
    """Pairs of games in each meeting."""
    repeats: int
    """Tournaments, each with a seed of its own."""
    quick_repeats: int = 1
    places: bool = False
    """The rows are the places: whoever took them."""
    reported: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Row → what a report says about it."""

    def row_name(self, player: str, place: int) -> str:
        """The row of a player that took a place."""
        return f"place {place}" if self.places else player

    def row_names(self, players: Iterable[str]) -> list[str]:
        """What all rows are called."""
        return [self.row_name(player, place) for place, player in enumerate(players, 1)]


@dataclass(frozen=True)
class Claim:
    """A sentence that the numbers confirm, refute or leave open. Rows are named."""

    says: str
    better: str = ""
    """This row has the higher score."""
    than: str = ""
    """The row to compare with; empty: an even score."""
    same: str = ""
    """In place of `better`: this row has the same score as `than`."""
    differ: tuple[str, ...] = ()
    """In place of `better`: these rows do not all have the same score."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that the claim is about; one that is alone is compared with an even score."""
        return self.differ or tuple(filter(None, (self.better or self.same, self.than)))

    def check(self, names: Sequence[str]) -> None:
        """Raises GameError unless the claim is complete and its rows exist."""
        kinds = sum(map(bool, (self.better, self.same, self.differ)))
        if kinds != 1 or (self.same and not self.than) or (self.differ and (self.than or len(self.differ) < 2)):
            raise GameError(f"the claim {self.says!r} needs `better`, or `same` and `than`, or `differ`")
        for row in self.rows:
            if row not in names:
                raise GameError(f"the claim {self.says!r} names a row that is not there: {row!r}{nearest(row, names)}")


@dataclass(frozen=True)
class Experiment:
    """A question and the games that answer it."""

    name: str
    question: str
    game: str
    seed: int = 0
    pairs: int = 100
    quick: int = 5
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
    notes: str = ""
    players: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    duel: tuple[Duel, ...] = ()
    swiss: SwissField | None = None
    claim: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.duel) == (self.swiss is not None):
            raise GameError("an experiment has [[duel]] entries or a [swiss], and not both")
        if self.swiss is not None and len(self.players) < 2:
            raise GameError("a [swiss] needs its [players]")
        names = [self.row_name(duel) for duel in self.duel]
        if self.swiss is not None:
            names = self.swiss.row_names(self.players)
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise GameError(f"two duels are called {twice!r}: give one of them a name")
        for claim in self.claim:
            claim.check(names)

    @property
    def games(self) -> int:
        """How many games a full run plays."""
        if self.swiss is not None:
            each = self.swiss.rounds * (len(self.players) // 2) * 2 * self.swiss.pairs
            return each * self.swiss.repeats
        return sum(2 * self.stopping_rule(duel, quick=False).pairs for duel in self.duel if duel.first)

    def row_name(self, duel: Duel) -> str:
        """What the row of a duel is called."""
        return duel.name or f"{duel.first} – {duel.second}"

    def stopping_rule(self, duel: Duel, *, quick: bool) -> StoppingRule:
        """How many pairs a duel has; a row of the report alone has none to play."""
        pairs = duel.pairs or self.pairs
        return StoppingRule(min(self.quick, pairs) if quick else pairs)

    def plan(self, duel: Duel) -> MatchPlan:
        """The match of a duel; raises GameError."""
        first, second = (self.players.get(name, name) for name in (duel.first, duel.second))
        try:
            plan = make_plan(self.game, first, second, self.move_limit, self.seed, luck=self.luck)
            for spec, limit in zip((first, second), limits_in_force(plan), strict=True):
                _check_limit(spec, limit)
        except GameError as error:
            raise GameError(f"{self.name}: the duel {self.row_name(duel)!r}: {error}") from error
        return plan

    def tournament(self, number: int) -> TournamentPlan:
        """Tournament `number` of a Swiss; raises GameError."""
        if self.swiss is None:
            raise GameError(f"{self.name} has no [swiss]")
        specs = tuple(self.players.values())
        for name, spec in self.players.items():
            try:
                plan = make_plan(self.game, spec, spec, self.move_limit, self.seed, luck=self.luck)
                _check_limit(spec, limits_in_force(plan)[0])
            except GameError as error:
                raise GameError(f"{self.name}: the player {name!r}: {error}") from error
        luck = meter_text(load(self.game), self.luck, specs)
        return TournamentPlan(
            self.game, specs, SWISS, self.swiss.rounds, self.swiss.pairs, self.move_limit, self.seed + number,
            luck=luck, names=tuple(self.players),
        )  # fmt: skip

    def description(self) -> tuple[str, dict[str, Any]]:
        """The experiment for a store: what tells it from others, and its entries."""
        entries = {name: value for name, value in dataclasses.asdict(self).items() if value is not None}
        text = json.dumps(entries)
        return digest((text.encode(),)), json.loads(text)

    @property
    def move_limit(self) -> Limit:
        """The limit of the match for every move."""
        return parse_options(Limit, split_options(self.limit.split()), "limit")


def _check_limit(spec: str, limit: Limit) -> None:
    """Games repeat exactly unless only the time ends a search."""
    timed = limit.time is not None or limit.clock is not None
    counted = limit.depth is not None or limit.nodes is not None or limit.simulations is not None
    if limit.time is not None or (timed and not counted and spec != "random"):
        raise GameError(f"{spec!r} is limited by time: games repeat only with depth, nodes or simulations")


def experiment_names() -> list[str]:
    """The experiments of this package."""
    return sorted(path.stem for path in FOLDER.glob(f"*{ENDING}"))


def find_experiment(name: str) -> Experiment:
    """An experiment by its name, or by the path of its file; raises GameError."""
    path = FOLDER / f"{name}{ENDING}"
    if not (path.is_file() and Path(name).name == name):
        path = Path(name)
        if not name.endswith(ENDING):
            raise GameError(
                f"there is no experiment {name!r}{nearest(name, experiment_names())} (see: starscout experiment)"
            )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"the experiment {path} cannot be read: {error}") from error
    return parse_experiment(text, path)


def parse_experiment(text: str, path: Path) -> Experiment:
    """The experiment that a file describes; raises GameError with the file and what is wrong in it."""
    try:
        return _part(Experiment, {**tomllib.loads(text), "name": path.stem})
    except (GameError, tomllib.TOMLDecodeError) as error:
        raise GameError(f"{path}: {error}") from error


def experiment_from_description(entries: Mapping[str, Any]) -> Experiment:
    """The experiment of a description; raises GameError."""
    return _part(Experiment, entries)


def _part(kind: type[Part], values: Mapping[str, Any]) -> Part:
    """A dataclass from a table of the file, its tables and lists of tables read in turn."""
    hints = get_type_hints(kind)
    fields = {item.name: item for item in dataclasses.fields(kind)}  # pyright: ignore[reportArgumentType]
    read = {}
    for name, value in values.items():
        if name not in fields:
            raise GameError(f"there is no entry {name!r}{nearest(name, fields)}")
        read[name] = _value(hints[name], value, name)
    needed = [name for name, item in fields.items() if item.default is item.default_factory is dataclasses.MISSING]
    missing = [name for name in needed if name not in read]
    if missing:
        raise GameError(f"{missing[0]!r} is missing")
    return kind(**read)


def _value(hint: Any, value: Any, name: str) -> Any:
    """A value of the file as the field's type wants it."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return _value(next(kind for kind in inner if kind is not NoneType), value, name)
    if dataclasses.is_dataclass(hint):
        if isinstance(value, Mapping):
            return _part(hint, value)  # pyright: ignore[reportArgumentType]
    elif origin is tuple:
        if isinstance(value, list):
            return tuple(_value(inner[0], item, name) for item in value)
    elif origin is Mapping:
        if isinstance(value, Mapping):
            return {key: _value(inner[1], item, f"{name} {key}") for key, item in value.items()}
    elif hint is int:
        return whole(name, value, *NUMBERS.get(name, (0, MOST)))
    elif hint is float:
        number(name, value, *REPORTED.get(name.split()[-1], (-MANY, MANY)))
        return value
    elif type(value) is hint:
        return value
    raise GameError(f"{name} = {str(value)[:40]!r} is not what an experiment wants here")
