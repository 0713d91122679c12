"""Every setting, declared once: type, range, unit and help.

A setting is an annotated type, which signatures and dataclasses refer to:

    def perft(state: State, depth: Depth) -> PerftResult: ...

The rest is derived from the annotation: `arguments.py` validates Python arguments, `options.py` parses `name=value`,
`decode.py` reads JSON and TOML, and `cli/options.py` builds command-line options. `Annotated[Depth, Setting(high=4)]`
is the same setting with a smaller range.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, TypedDict, Union, get_args, get_origin, get_type_hints

from starscout.errors import GameError

MANY = 10**18 - 1
"""Largest count that texts, files and stores can hold."""
LONG = 1e9
"""Longest time, in seconds."""


@dataclass(frozen=True)
class Setting:
    """Help, inclusive range and unit of a setting, and how it is written on the command line."""

    help: str = ""
    low: float | None = None
    high: float | None = None
    unit: str = ""
    choices: tuple[Any, ...] = ()
    metavar: str = ""
    flags: tuple[str, ...] = ()
    """Option names on the command line; by default `--name`."""
    api_only: bool = False
    """Whether it has no option on the command line."""

    def narrowed(self, other: "Setting") -> "Setting":
        """Replace the fields that `other` sets."""
        given = {item.name: value for item in fields(self) if (value := getattr(other, item.name)) is not item.default}
        return Setting(**{**vars(self), **given})


Time = Annotated[float, Setting("Time per move, in seconds.", 0.001, LONG, "seconds")]
GameTime = Annotated[float, Setting("Time per side for the whole game, in seconds.", 0.01, LONG, "seconds")]
Increment = Annotated[float, Setting("Increment per move, in seconds.", 0.0, LONG, "seconds")]
Depth = Annotated[int, Setting("Search depth in plies; a roll and its move are one ply.", 1, MANY, "plies")]
Nodes = Annotated[int, Setting("Maximum number of nodes per move.", 1, MANY)]
Simulations = Annotated[int, Setting("Maximum number of simulations per move, for tree searches.", 1, MANY)]
Samples = Annotated[int, Setting("Random draws that replace the chance events of a node; 0: all events.", 0, 1024)]
Seed = Annotated[int, Setting("Random seed for start positions and dice.", 0, 2**64 - 1)]

Pairs = Annotated[int, Setting("Pairs of games.", 1, 10**9)]
Games = Annotated[int, Setting("Number of games.", 1, 10**9)]
Weighted = Annotated[bool, Setting("Also count with each event weighted by its probability.")]
Trials = Annotated[int, Setting("Games per move.", 36, 10**9)]
RolloutPlies = Annotated[
    int, Setting("End games by the evaluation after this many plies; 0: play to the end.", 0, MANY)
]
Rounds = Annotated[int, Setting("Games per pairing; engines swap sides after each.", 1, 10**9)]
Steps = Annotated[int, Setting("Tuning steps.", 1, 10**9)]
TuningMethod = Annotated[
    str, Setting("Tuning method: gp (Gaussian process) or spsa.", choices=("gp", "spsa"), metavar="gp|spsa")
]
RoundRobin = Annotated[bool, Setting("Every player meets every other player.")]
Swiss = Annotated[int, Setting("Swiss system with N rounds.", 1, 10**6, metavar="N")]
Late = Annotated[
    str | Sequence[str],
    Setting("A player of the list who joins from the next round on (repeatable).", metavar="NAME"),
]
Withdraw = Annotated[
    str | Sequence[str], Setting("A player who withdraws from the next round on (repeatable).", metavar="NAME")
]
SkipBroken = Annotated[bool, Setting("Leave out players that cannot start.")]
Grades = Annotated[str, Setting("Grades by percentage of the possible points, such as A=75,B=60,F=0.")]
Engines = Annotated[int, Setting("Number of engines to wait for.", 2, 10_000)]
Boards = Annotated[int, Setting("Games played at the same time, for engines on other machines.", 1, 10_000)]
OpeningPlies = Annotated[
    int,
    Setting(
        "Random plies at the start of each game without dice; with --openings, plies of each record.", 0, 40, "plies"
    ),
]
Openings = Annotated[
    str | os.PathLike[str],
    Setting(
        "Begin games at the positions, or after the games, of this file; both games of a pair begin alike.",
        metavar="FILE",
    ),
]
OpeningOrder = Annotated[
    str,
    Setting("Order of --openings.", choices=("random", "sequential"), metavar="random|sequential"),
]
AdjudicateValue = Annotated[
    float,
    Setting("Award a game if both players report at least this value for the winner, such as 0.95.", 0.01, 1.0),
]
AdjudicatePlies = Annotated[int, Setting("Plies for which --adjudicate must hold (default 8).", 2, 1000, "plies")]
MaxPlies = Annotated[int, Setting("Award a draw after this many plies.", 1, MANY, "plies")]
Each = Annotated[
    str, Setting("Options for every player that does not set them itself, such as `own=5 time=0.1`.", metavar="OPTIONS")
]
Placement = Annotated[str, Setting("Set-up of the player's pieces: `best` or their squares; empty: as drawn.")]
Luck = Annotated[str, Setting("Value function that measures luck, such as `eval=race depth=3`, or `off`.")]

Seconds = Annotated[float, Setting("Duration in seconds.", 0.0, LONG, "seconds")]
Minutes = Annotated[float, Setting("Duration in minutes (default 10).", 0.01, 1e7, "minutes")]
Wait = Annotated[float, Setting("Time to wait for the engines, in seconds (otp: 10, lab: 60).", 0.0, LONG, "seconds")]
Threads = Annotated[int, Setting("Number of threads.", 1, 1024)]
Workers = Annotated[int, Setting("Worker processes (default: one per core; 0: this process).", 0, 10_000)]
Trust = Annotated[bool, Setting("Run programs and Python classes without isolation.")]
Isolate = Annotated[bool, Setting("Fail if programs and Python classes cannot be isolated from the system.")]
Cluster = Annotated[str, Setting("Dask cluster to play on: a scheduler's address, or `local`.")]
Lines = Annotated[int, Setting("Number of best lines.", 1, 1000)]
TreeDepth = Annotated[int, Setting("Plies of the tree to write.", 1, 1000, "plies")]
Cubes = Annotated[int, Setting("Maximum number of cubes or pieces on the board (default: 4, or all if fewer).", 1, 100)]
DrawPoints = Annotated[float, Setting("Also print points: 1 per win and this many per draw.", 0.0, 1.0)]
BatchSize = Annotated[int, Setting("Number of games that are played at once.", 1, 10**9)]

Port = Annotated[int, Setting("TCP port; 0 takes any free port.", 0, 65_535)]
Host = Annotated[str, Setting("Address to listen on.")]
Token = Annotated[
    str, Setting("Token that clients must send (default: STARSCOUT_TOKEN, or a new one); visible in the process list.")
]
TokensFile = Annotated[
    str | os.PathLike[str],
    Setting("CSV file with the token of each engine: name,token (default: STARSCOUT_TOKENS).", metavar="FILE"),
]
Lazy = Annotated[bool, Setting("Compile each game when somebody opens it, not all games at the start.")]
Reconnect = Annotated[
    float, Setting("Time to wait before a game for a disconnected engine to return, in seconds.", 0.0, LONG, "seconds")
]

Megabytes = Annotated[float, Setting("Maximum size of a submitted file.", 0.001, 10_000, "megabytes")]
FileCount = Annotated[int, Setting("Maximum number of files in a submission.", 1, 1_000_000)]
PerDay = Annotated[int, Setting("Maximum number of submissions of an entrant per day.", 1, 1_000_000)]
Cooldown = Annotated[float, Setting("Minimum time between two submissions of an entrant.", 0.0, LONG, "seconds")]
BuildTime = Annotated[float, Setting("Maximum time of a build.", 0.1, LONG, "seconds")]
EngineMinutes = Annotated[
    float, Setting("Thinking time of an entrant's engine in 24 hours (default: not limited).", 0.001, 1e7, "minutes")
]
RandomShare = Annotated[float, Setting("Share of the pairs of games that are drawn at random.", 0.0, 1.0)]
Server = Annotated[str, Setting("Address of the ladder, such as http://localhost:8020.", metavar="URL")]

File = str | os.PathLike[str]
StoreFile = Annotated[
    File, Setting("Database of played games (default: in your data folder; :memory: stores nothing).", metavar="FILE")
]
Log = Annotated[File, Setting("Append every line to and from engines to this file, with times.", metavar="FILE")]
Records = Annotated[File, Setting("Append the games to this file, one JSON object per line.", metavar="FILE")]
Tree = Annotated[
    File, Setting("Write the Monte-Carlo tree to this file: Graphviz (.dot, .gv) or .json.", metavar="FILE")
]
Plot = Annotated[File, Setting("Write the plot to this file: .svg, .png or .pdf.", metavar="FILE")]
Report = Annotated[File, Setting("Write an HTML report to this file.", metavar="FILE")]
GameFiles = Annotated[
    str | Sequence[str], Setting("Game file that the records refer to.", flags=("--game",), metavar="FILE")
]

GameName = Annotated[str, Setting("A game by name, or a file such as ./my_game.py.", metavar="GAME")]
PositionText = Annotated[str, Setting("A position as text; `-` for a die that is not rolled.", metavar="POSITION")]
Progress = Annotated[bool, Setting("Show progress in a terminal or a notebook (default: True).", api_only=True)]
Json = Annotated[bool, Setting("Print one JSON object.")]


class CountLimits(TypedDict, total=False):
    """Limits under which a search is reproducible."""

    depth: Depth | None
    nodes: Nodes | None
    simulations: Simulations | None


class SearchLimits(CountLimits, total=False):
    """Limits of a search, which ends when the first is reached: keywords of `analyse` and `engine`."""

    time: Annotated[Time, Setting(low=0.0)] | None


class RunSettings(CountLimits, total=False):
    """How games are played: keywords of `match`, `tournament` and `tune`, named as on the command line.

    >>> settings: RunSettings = {"depth": 2, "seed": 7, "store": ":memory:", "workers": 0}
    >>> match("ewn-3x3-3", "random", "random", pairs=1, **settings).seed
    7
    """

    time: Time | None
    game_time: GameTime | None
    seed: Seed
    workers: Workers | None
    cluster: Cluster | None
    opening_plies: OpeningPlies | None
    luck: Luck | None
    each: Each | None
    store: StoreFile | None
    log: Log | None
    trust: Trust
    isolate: Isolate
    progress: Progress


class MatchSettings(RunSettings, total=False):
    """Further keywords of `match` and `tournament`: opening books and adjudication."""

    openings: Openings | None
    opening_order: OpeningOrder
    adjudicate: AdjudicateValue | None
    adjudicate_plies: AdjudicatePlies
    max_plies: MaxPlies | None


class RoundSettings(TypedDict, total=False):
    """How games are refereed: keywords of `judge` and `course_match`, named as on the command line.

    >>> settings: RoundSettings = {"time": 1.0, "seed": 7, "store": ":memory:", "progress": False}
    >>> course_match("ewn", "random", "random", **settings).seed
    7
    """

    time: Time | None
    game_time: GameTime | None
    increment: Increment
    seed: Seed
    records: Records | None
    store: StoreFile | None
    log: Log | None
    trust: Trust
    isolate: Isolate
    progress: Progress


class SettingError(GameError):
    """An invalid setting. The message names settings as Python does; `text` uses the caller's names.

    >>> print(SettingError("pass only one of {}, {}", ("minutes", "games")))
    pass only one of minutes, games
    """

    def __init__(self, template: str, names: tuple[str, ...] = (), detail: str = "") -> None:
        self.template, self.names, self.detail = template, names, detail
        super().__init__(self.text(*names))

    def __reduce__(self) -> tuple[Any, ...]:
        return SettingError, (self.template, self.names, self.detail)

    def text(self, *names: str) -> str:
        """Return the message with these names in place of the Python names."""
        return self.template.format(*names) + self.detail


def exclusive(**given: Any) -> None:
    """Raise SettingError if more than one of these settings is given."""
    if sum(value not in (None, False) for value in given.values()) > 1:
        raise SettingError(f"pass only one of {', '.join(['{}'] * len(given))}", tuple(given))


def invalid(name: str, hint: Any, value: Any, names: Mapping[Any, str]) -> SettingError:
    """Return the error for a value that does not fit: `depth: expected a whole number from 1 to 9, got 'x'`."""
    text = repr(value)
    shown = text if len(text) <= 60 else f"{text[:59]}…"
    return SettingError("{}", (name,), f": expected {expected(hint, names, value)}, got {shown}")


def expected(hint: Any, names: Mapping[Any, str], value: Any = None) -> str:
    """Describe the values that a type accepts; `names` describes types in the caller's vocabulary.

    Omits bounds that are irrelevant in practice, unless `value` exceeds them.
    """
    kinds, setting = resolve(hint)
    if setting.choices:
        return f"one of {', '.join(map(str, setting.choices))}"
    unit = f" ({setting.unit})" if setting.unit else ""
    if int in kinds or float in kinds:
        kind = "a whole number" if int in kinds else "a number"
        low, high = bounds(kinds, setting)
        large = isinstance(value, int | float) and value > high
        usual = high in (MANY, LONG) and not large
        ends = f" of at least {_number(low)}" if usual else f" from {_number(low)} to {_number(high)}"
        return f"{kind}{ends if large or low != -MANY else ''}{unit}"
    classes = [get_origin(kind) or kind for kind in kinds if kind is not NoneType]
    return " or ".join(names.get(kind) or f"a {kind.__name__}" for kind in classes)


def bounds(kinds: Sequence[Any], setting: Setting) -> tuple[float, float]:
    """Return the least and the greatest number of a setting."""
    low, high = (0, MANY) if int in kinds else (-MANY, MANY)
    return low if setting.low is None else setting.low, high if setting.high is None else setting.high


def _number(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


@functools.cache
def resolve(hint: Any) -> tuple[tuple[Any, ...], Setting]:
    """Return the plain types of a type hint, and its setting."""
    setting = Setting()
    if get_origin(hint) is Annotated:
        kinds, setting = resolve(get_args(hint)[0])
        notes = get_args(hint)[1:]
    elif get_origin(hint) in (Union, UnionType):
        parts = [resolve(part) for part in get_args(hint)]
        kinds, notes = tuple(kind for found, _ in parts for kind in found), [note for _, note in parts]
    else:
        kinds, notes = (hint,), ()
    for note in notes:
        if isinstance(note, Setting):
            setting = setting.narrowed(note)
    return kinds, setting


@functools.cache
def field_hints(kind: type) -> dict[str, Any]:
    """Return the annotations of a dataclass or TypedDict, settings included."""
    return get_type_hints(kind, include_extras=True)
