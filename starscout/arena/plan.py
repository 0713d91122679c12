"""What a match is: everything that decides its games. Two runs of one plan play the same games."""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import starscout
from starscout.game import Game, GameError
from starscout.search.limits import Limit

SWAPPED, FIXED = "swapped", "fixed"
RANDOM = "random"

PLAYING_PARTS = ("bits", "game", "state", "games", "evaluate", "search", "endgame", "players", "referee", "protocols")
"""The modules and packages whose code decides how a game goes."""


@dataclass(frozen=True)
class MatchPlan:
    """Player A against player B. The number of pairs is no part of it: a match can always be made longer."""

    game: str
    first: str
    """The description of player A."""
    second: str
    """The description of player B."""
    limit: Limit = Limit()  # noqa: RUF009 (Limit is frozen)
    seed: int = 0
    opening_plies: int = 0
    luck: str = ""
    """The value function that measures luck; empty: luck is not measured."""
    colours: str = SWAPPED
    """`swapped`: A has side 0 in game 0 and side 1 in game 1. `fixed`: A has side 0 in both, and in game 1 the other
    side moves first, from the same start with the colours exchanged."""

    def to_json(self) -> str:
        """The plan as text that `plan_from_json` reads; equal plans give equal texts."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    @property
    def identity(self) -> str:
        """A digest of the plan and of the code that plays it: pairs are only ever joined under one identity."""
        return hashlib.blake2b(f"{self.to_json()}\0{code_digest()}".encode(), digest_size=12).hexdigest()


def plan_from_json(text: str) -> MatchPlan:
    """The inverse of `MatchPlan.to_json`."""
    values: dict[str, Any] = json.loads(text)
    return MatchPlan(**{**values, "limit": Limit(**values["limit"])})


@functools.cache
def code_digest() -> str:
    """A digest of the sources that decide how a game goes: after an edit, a stored match is another match."""
    root = Path(starscout.__file__).parent
    collector = hashlib.blake2b(digest_size=12)
    for part in PLAYING_PARTS:
        for path in sorted([*root.glob(f"{part}.py"), *(root / part).rglob("*.py"), *(root / part).rglob("*.toml")]):
            collector.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return collector.hexdigest()


def make_plan(
    game: str,
    first: str,
    second: str,
    limit: Limit,
    seed: int,
    opening_plies: int | None = None,
    luck: str | None = None,
) -> MatchPlan:
    """The plan for what a person wrote, with the defaults of the game filled in; raises GameError."""
    from starscout import games
    from starscout.players.spec import make_player

    loaded = games.load(game)
    plies = loaded.opening_plies if opening_plies is None else opening_plies
    if plies and loaded.has_dice:
        raise GameError(f"{game} has dice: its games need no random openings")
    for spec in (first, second):
        make_player(spec, loaded).close()
    return MatchPlan(game, first, second, limit, seed, plies, judge_text(loaded, luck, (first, second)))


def judge_text(game: Game, luck: str | None, players: Sequence[str]) -> str:
    """The value function in full for what a person wrote: None means the default, `off` none; raises GameError."""
    from starscout.arena.luck import OFF, make_judge

    if luck == OFF:
        return ""
    # Where somebody moves at random, blunders are the noise: a deep look at the dice buys nothing.
    quick = "depth=1" if RANDOM in players else ""
    return make_judge(game, quick if luck is None else luck).text
