"""Configuration of a ladder, `ladder.toml`, and the layout of its folder.

FOLDER/ladder.toml       the configuration
FOLDER/ladder.sqlite     everything that happened: also a store for `starscout results --store`
FOLDER/final.sqlite      the final tournament
FOLDER/teacher.token     the token of the teacher
FOLDER/inbox/ID/         watched: files appear as submissions of student ID
FOLDER/submissions/      the submitted files
FOLDER/versions/         the built engines, one folder per content
"""

import dataclasses
import datetime
import json
import secrets
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from starscout import games
from starscout.arena.pairing import ROUND_ROBIN, SWISS
from starscout.game import GameError
from starscout.players.spec import describe
from starscout.search.limits import Limit
from starscout.settings.decode import decode
from starscout.settings.schema import (
    BuildTime,
    Cooldown,
    Depth,
    EngineMinutes,
    FileCount,
    GameTime,
    Increment,
    Megabytes,
    Nodes,
    Pairs,
    PerDay,
    RandomShare,
    Rounds,
    Seed,
    Setting,
    SettingError,
    Simulations,
    Time,
)

FILE = "ladder.toml"
USUAL_SECONDS = 0.5
"""Time per move in a new configuration."""


@dataclass(frozen=True)
class Limits:
    """The limit of every player: per move, per game, or of the search."""

    time: Time | None = None
    game_time: GameTime | None = None
    increment: Increment = 0.0
    depth: Depth | None = None
    nodes: Nodes | None = None
    simulations: Simulations | None = None

    @property
    def limit(self) -> Limit:
        """The limit of both players."""
        return Limit(self.time, self.game_time, self.increment, self.depth, self.nodes, self.simulations)


@dataclass(frozen=True)
class Baseline:
    """A permanent player."""

    name: str
    player: str
    """Its SPEC."""
    games: tuple[str, ...] = ()
    """The games that it plays; empty: all."""


@dataclass(frozen=True)
class Rules:
    """Rules of submission."""

    megabytes: Megabytes = 20.0
    files: FileCount = 500
    per_day: PerDay = 50
    seconds_between: Cooldown = 30.0
    build_seconds: BuildTime = 120.0


@dataclass(frozen=True)
class Final:
    """The final tournament after the end."""

    kind: Annotated[str, Setting(choices=(ROUND_ROBIN, SWISS))] = ROUND_ROBIN
    rounds: Rounds = 1
    pairs: Pairs = 5
    """Pairs of games in each meeting."""


@dataclass(frozen=True)
class Ladder:
    """The content of `ladder.toml`."""

    games: tuple[str, ...]
    title: str = "Ladder"
    public: bool = True
    """Whether the pages without private content need no token."""
    end: str = ""
    """Date and time of the deadline, ISO 8601; empty: none."""
    seed: Seed = 0
    random_share: RandomShare = 0.1
    minutes_per_day: EngineMinutes | None = None
    limits: Limits = Limits()
    submission: Rules = Rules()
    final: Final = Final()
    baseline: tuple[Baseline, ...] = field(default=())

    @property
    def deadline(self) -> float | None:
        """The end in seconds since 1970."""
        return None if not self.end else datetime.datetime.fromisoformat(self.end).astimezone().timestamp()

    def baselines_of(self, game: str) -> list[Baseline]:
        """The permanent players of a game."""
        return [baseline for baseline in self.baseline if not baseline.games or game in baseline.games]


class Folder:
    """The paths of a ladder."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.file = self.path / FILE
        self.store = self.path / "ladder.sqlite"
        self.final = self.path / "final.sqlite"
        self.teacher_token = self.path / "teacher.token"
        self.inbox = self.path / "inbox"
        self.submissions = self.path / "submissions"
        self.versions = self.path / "versions"
        self.logs = self.path / "logs"

    def create(self) -> None:
        """Create the missing folders, readable only by this account."""
        private = (self.submissions, self.versions, self.inbox, self.logs)
        for folder in (self.path, *private):
            folder.mkdir(parents=True, exist_ok=True)
        for folder in private:
            folder.chmod(0o700)


def read_configuration(folder: Folder) -> Ladder:
    """Read and check `ladder.toml`; raises GameError."""
    try:
        given = tomllib.loads(folder.file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise GameError(f"{folder.path}: there is no {FILE}; create one with --game GAME") from None
    except (ValueError, RecursionError) as error:
        raise GameError(f"{folder.file}: {error}") from error
    if isinstance(given.get("end"), datetime.date | datetime.datetime):
        given["end"] = given["end"].isoformat()
    try:
        ladder = decode(Ladder, given)
        check_configuration(ladder)
    except GameError as error:
        raise GameError(f"{folder.file}: {error}") from error
    return ladder


def check_configuration(ladder: Ladder) -> None:
    """Raise GameError for games, players or dates that do not exist."""
    if not ladder.games:
        raise SettingError("{}", ("games",), ": expected at least one game")
    if len(set(ladder.games)) < len(ladder.games):
        raise SettingError("{}", ("games",), ": expected different games")
    try:
        _ = ladder.deadline
    except (ValueError, OverflowError) as error:
        raise SettingError("{}", ("end",), f": expected a date such as 2026-12-18T12:00:00+08:00: {error}") from error
    names = [baseline.name for baseline in ladder.baseline]
    if len(set(names)) < len(names):
        raise SettingError("{}", ("baseline",), ": expected different names")
    for name in ladder.games:
        game = games.load(name)
        for baseline in ladder.baselines_of(name):
            try:
                describe(baseline.player, game)
            except GameError as error:
                raise GameError(f"baseline {baseline.name!r}: {error}") from error
    for baseline in ladder.baseline:
        if unknown := [name for name in baseline.games if name not in ladder.games]:
            raise GameError(f"baseline {baseline.name!r}: {unknown[0]!r} is not one of the games of the ladder")


def open_folder(path: Path, new_games: Sequence[str] = ()) -> tuple[Folder, Ladder]:
    """Open the folder of a ladder; creates folder and configuration for `new_games`. Raises GameError."""
    folder = Folder(path)
    if not folder.file.exists() and new_games:
        for name in new_games:
            games.load(name)
        folder.create()
        folder.file.write_text(_new_configuration(new_games), encoding="utf-8")
    ladder = read_configuration(folder)
    if new_games and set(new_games) != set(ladder.games):
        raise SettingError("{}", ("game",), f": {folder.file} has {', '.join(ladder.games)}; edit this file")
    folder.create()
    return folder, ladder


def _new_configuration(names: Sequence[str]) -> str:
    """The text of a new configuration with all settings."""
    rules, final = Rules(), Final()
    return f"""# Settings of the ladder; restart it after a change.
games = {json.dumps(list(names))}
title = "Ladder"
# Whether everybody may read the standings and the games, or only those with a token.
public = true
# Deadline: submissions are locked, then the final is played. Empty: none.
end = ""
# Random seed of starts, dice and pairings. Keep it secret: anyone who knows it can compute the dice.
seed = {secrets.randbits(62)}
# Share of the pairs of games that are drawn at random; the others are the most informative ones.
random_share = 0.1
# Thinking time of each entrant's engine in 24 hours.
# minutes_per_day = 120

[limits]
time = {USUAL_SECONDS}

[submission]
{chr(10).join(f"{item.name} = {getattr(rules, item.name)}" for item in dataclasses.fields(rules))}

[final]
kind = "{final.kind}"  # or "{SWISS}"
rounds = {final.rounds}
pairs = {final.pairs}

# Permanent players. The first one has rating 0.
[[baseline]]
name = "random"
player = "random"

[[baseline]]
name = "one ply"
player = "negascout depth=1"
"""


def as_json(ladder: Ladder) -> dict[str, Any]:
    """The configuration as a JSON object."""
    return dataclasses.asdict(ladder)
