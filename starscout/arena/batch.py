"""Batches of pairs: the unit of work of a worker, local or on a cluster.

Both players of a game think in turn in one process, so they never compete for a core. Players are created once per
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

CACHED_MEETINGS = 8


@dataclass(frozen=True)
class Batch:
    """Pairs of a match. `match` identifies the match when results are collected."""

    match: int
    plan: MatchPlan
    pairs: tuple[int, ...]
    games: int | None = None
    """Number of games in the match; if odd, the last pair has one game."""

    def halves(self, pair: int) -> int:
        """Return the number of games in a pair."""
        return 2 if self.games is None else min(2, self.games - 2 * pair)


@dataclass(frozen=True)
class BatchResult:
    """The finished pairs of a batch and their wall-clock time."""

    match: int
    records: tuple[PairRecord, ...]
    seconds: float


def play_batch(batch: Batch) -> BatchResult:
    """Play the pairs of a batch; errors in user code become a picklable `CodeError`."""
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
    """Play the games of a pair in schedule order; `watch` receives each finished game."""
    series = series or series_of(plan)
    players = players or _players(plan.game, plan.first, plan.second)
    played: dict[int, SeatedGame] = {}
    for half in series.order(pair) if halves == 2 else (0,):
        played[half] = _annotated(series.play(pair, half, players, (plan.limit, plan.limit)), _meter(plan))
        watch(played[half])
    return pack_pair(pair, [played[half] for half in sorted(played)])


@functools.lru_cache(maxsize=64)
def series_of(plan: MatchPlan) -> Series:
    """Return the series of a plan: starts, seats and dice."""
    game = games.load(plan.game)
    value = make_meter(game, f"eval={opening_evaluation(game)}").value if plan.opening_plies else None
    return Series(game, plan.seed, plan.schedule, plan.opening_plies, value)


def _meter(plan: MatchPlan) -> LuckMeter | None:
    game = games.load(plan.game)
    return make_meter(game, plan.luck) if plan.luck and game.has_dice else None


def _annotated(game: SeatedGame, meter: LuckMeter | None) -> SeatedGame:
    return game if meter is None else game._replace(annotation=meter.annotate(game.record))


_cache: "OrderedDict[tuple[str, str, str], Players]" = OrderedDict()
"""LRU cache: (game, descriptions) → players of this process."""


def _players(game: str, first: str, second: str) -> Players:
    """Return the two players of a meeting, distinct even if their specifications are equal."""
    key = (game, first, second)
    if key not in _cache:
        loaded = games.load(game)
        _cache[key] = make_player(first, loaded), make_player(second, loaded)
    _cache.move_to_end(key)
    while len(_cache) > CACHED_MEETINGS:
        _close(*_cache.popitem(last=False)[1])
    return _cache[key]


def close_players() -> None:
    """Close all cached players."""
    while _cache:
        _close(*_cache.popitem()[1])


def _close(*players: Player) -> None:
    """Close players, ignoring errors: their games are finished."""
    for player in players:
        with suppress_errors():
            player.close()


def warm(plan: MatchPlan) -> None:
    """Compile all kernels of a plan once, before workers load them."""
    game = games.load(plan.game)
    for spec in dict.fromkeys((plan.first, plan.second)):
        player = make_player(spec, game)
        # If a user class fails here, it will fail again in its games and forfeit them; the match goes on.
        with suppress_errors() if describe(spec, game).place is not None else contextlib.nullcontext():
            if player.local:
                player.new_game(game, plan.seed)
        _close(player)
    play_pair(replace(plan, first="random", second="random", limit=Limit()), 0)
    close_players()
