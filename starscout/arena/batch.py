"""A batch of pairs, played from its description alone: what a worker does, here or on another machine.

Both players of a game think in turn in one process, so they never compete for a core. Players are made once per
process and reset before every game.
"""

import contextlib
import functools
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from starscout import games
from starscout.arena.luck import LuckMeter, make_meter
from starscout.arena.pair import PairRecord, pack_pair
from starscout.arena.plan import MatchPlan
from starscout.errors import suppress_errors, user_code_error
from starscout.evaluation import opening_evaluation
from starscout.game import GameError
from starscout.players.player import Player, Players
from starscout.players.spec import describe, make_player
from starscout.records.packed import SeatedGame
from starscout.referee.series import Series
from starscout.search.limits import Limit

MEETINGS_KEPT = 8


@dataclass(frozen=True)
class Batch:
    """Some pairs of a match. `match` is only a key for whoever collects the results."""

    match: int
    plan: MatchPlan
    pairs: tuple[int, ...]
    games: int | None = None
    """How many games the match has; an odd number leaves the last pair with one."""

    def halves(self, pair: int) -> int:
        """How many games of a pair are played."""
        return 2 if self.games is None else min(2, self.games - 2 * pair)


@dataclass(frozen=True)
class BatchResult:
    """The pairs of a batch, and how long they took in wall time."""

    match: int
    records: tuple[PairRecord, ...]
    seconds: float


def play_batch(batch: Batch) -> BatchResult:
    """Play the pairs of a batch. An error in a game file is a `CodeError`: tracebacks do not leave the process."""
    began = time.perf_counter()
    try:
        players = _players(batch.plan.game, batch.plan.first, batch.plan.second)
        records = tuple(play_pair(batch.plan, pair, players, batch.halves(pair)) for pair in batch.pairs)
    except GameError:
        raise
    except Exception as error:
        raise user_code_error(error) or error from error
    return BatchResult(batch.match, records, time.perf_counter() - began)


def play_pair(
    plan: MatchPlan,
    pair: int,
    players: Players | None = None,
    halves: int = 2,
    watch: Callable[[SeatedGame], None] = lambda game: None,
    series: Series | None = None,
) -> PairRecord:
    """Both games of a pair (or the first of them), in the order of the schedule; `watch` gets each finished game."""
    series = series or series_of(plan)
    players = players or _players(plan.game, plan.first, plan.second)
    played: dict[int, SeatedGame] = {}
    for half in series.order(pair) if halves == 2 else (0,):
        played[half] = _annotated(series.play(pair, half, players, (plan.limit, plan.limit)), _meter(plan))
        watch(played[half])
    return pack_pair(pair, [played[half] for half in sorted(played)])


@functools.lru_cache(maxsize=64)
def series_of(plan: MatchPlan) -> Series:
    """The starts, seats and dice of a plan."""
    game = games.load(plan.game)
    value = make_meter(game, f"eval={opening_evaluation(game)}").value if plan.opening_plies else None
    return Series(game, plan.seed, plan.schedule, plan.opening_plies, value)


def _meter(plan: MatchPlan) -> LuckMeter | None:
    game = games.load(plan.game)
    return make_meter(game, plan.luck) if plan.luck and game.has_dice else None


def _annotated(game: SeatedGame, meter: LuckMeter | None) -> SeatedGame:
    return game if meter is None else game._replace(annotation=meter.annotate(game.record))


_kept: "OrderedDict[tuple[str, str, str], Players]" = OrderedDict()
"""The players of this process by game and descriptions, the most recently used last."""


def _players(game: str, first: str, second: str) -> Players:
    """The two players of a meeting: two objects even for equal SPECs. Those not used for long are closed."""
    key = (game, first, second)
    if key not in _kept:
        loaded = games.load(game)
        _kept[key] = make_player(first, loaded), make_player(second, loaded)
    _kept.move_to_end(key)
    while len(_kept) > MEETINGS_KEPT:
        _close(*_kept.popitem(last=False)[1])
    return _kept[key]


def close_players() -> None:
    """Close the players of this process."""
    while _kept:
        _close(*_kept.popitem()[1])


def _close(*players: Player) -> None:
    """Close players. They have played their games: what goes wrong now is ignored."""
    for player in players:
        with suppress_errors():
            player.close()


def warm(plan: MatchPlan) -> None:
    """Compile everything that this plan needs, once, before workers load it."""
    game = games.load(plan.game)
    for spec in dict.fromkeys((plan.first, plan.second)):
        player = make_player(spec, game)
        # A class of the user's that fails here fails again where it plays: that costs it games, and not the match.
        with suppress_errors() if describe(spec, game).place is not None else contextlib.nullcontext():
            if player.local:
                player.new_game(game, plan.seed)
        _close(player)
    play_pair(replace(plan, first="random", second="random", limit=Limit()), 0)
    close_players()
