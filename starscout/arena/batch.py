"""Batches of pairs: the unit of work of a worker, local or on a cluster.

Both players of a game think in turn in one process, so they never compete for a core. Players are created once per
process and reset before every game.
"""

import contextlib
import functools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

from starscout import games
from starscout.arena.broadcast import broadcasting
from starscout.arena.luck import LuckMeter, make_meter
from starscout.arena.pair import PairRecord, pack_pair
from starscout.arena.plan import MatchPlan
from starscout.errors import suppress_errors, user_code_error
from starscout.evaluation import opening_evaluation
from starscout.game import GameError
from starscout.players.class_host import HostedPlayer
from starscout.players.names import player_names
from starscout.players.player import Limits, Player, Players
from starscout.players.spec import describe, make_player
from starscout.protocols.channel import logged
from starscout.protocols.remote_player import RemotePlayer
from starscout.protocols.sandbox import VARIABLE, isolation
from starscout.records.packed import SeatedGame
from starscout.referee import game_in_progress
from starscout.referee.clock import stop_monitor
from starscout.referee.opening_book import loaded_book
from starscout.referee.series import Series
from starscout.search.limits import Limit

CACHED_MEETINGS = 8


class Crash(NamedTuple):
    """A game that a player (0: A, 1: B) lost because it killed its worker."""

    pair: int
    half: int
    player: int
    detail: str


MAX_DEATHS_ON_TURN = 2
"""Worker deaths on the same turn after which the player loses the game; a single death may have another cause."""


def crash_of(plan: MatchPlan, pair: int, half: int, turn: int, how: str) -> Crash:
    """The game that player 1 (A) or 2 (B) has lost because workers died on its turn."""
    name = (plan.first, plan.second)[turn - 1]
    return Crash(pair, half, turn - 1, f"{name} ended the referee's process ({how})")


@dataclass(frozen=True)
class Batch:
    """Pairs of a match. `match` identifies the match when results are collected."""

    match: int
    plan: MatchPlan
    pairs: tuple[int, ...]
    games: int | None = None
    """Number of games in the match; if odd, the last pair has one game."""
    crashes: tuple[Crash, ...] = ()
    """Games lost because a player killed the worker that played them."""
    sandbox: str = field(default_factory=lambda: os.environ.get(VARIABLE, ""))
    """The director's isolation setting for programs, for workers on other machines."""
    closing: bool = False
    """Whether to close the players afterwards, so that no idle engine uses the core of the next games."""
    log: str | None = None
    """File to which the lines to and from engines are appended; None: the file set in the environment."""

    live: str = ""
    """The folder of the games in progress, for viewers; empty: games are not shown."""

    def halves(self, pair: int) -> int:
        """Return the number of games in a pair."""
        return 2 if self.games is None else min(2, self.games - 2 * pair)


@dataclass(frozen=True)
class BatchResult:
    """The finished pairs of a batch and their wall-clock time."""

    match: int
    records: tuple[PairRecord, ...]
    seconds: float


class Turns(Protocol):
    """Where a worker reports the turn: 0: pair, 1: half, 2: 1 or 2 while A or B runs in another process, else 0."""

    def __setitem__(self, index: int, value: int, /) -> None: ...


def play_batch(batch: Batch, *, hosted: bool = True, turns: Turns | None = None) -> BatchResult:
    """Play the pairs of a batch; errors in user code become a picklable `CodeError`.

    `hosted`: Python classes of users play in separate processes. `turns` replaces `process_turns`.
    """
    began = time.perf_counter()
    try:
        with isolation(batch.sandbox), logged(batch.log), _in_use(hosted):
            players = _players(batch.plan.game, batch.plan.first, batch.plan.second, hosted=hosted)
            try:
                records = tuple(_batch_pair(batch, pair, players, turns) for pair in batch.pairs)
            finally:
                if batch.closing:
                    close_players()
    except GameError:
        raise
    except Exception as error:
        raise user_code_error(error) or error from error
    return BatchResult(batch.match, records, time.perf_counter() - began)


def _batch_pair(batch: Batch, pair: int, players: Players, turns: Turns | None) -> PairRecord:
    lost = {crash.half: crash for crash in batch.crashes if crash.pair == pair}
    with broadcasting(batch.live, batch.match):
        return play_pair(batch.plan, pair, players, batch.halves(pair), lost=lost, turns=turns)


def play_pair(
    plan: MatchPlan,
    pair: int,
    players: Players | None = None,
    halves: int = 2,
    watch: Callable[[SeatedGame], None] = lambda game: None,
    series: Series | None = None,
    lost: Mapping[int, Crash] = MappingProxyType({}),
    turns: Turns | None = None,
) -> PairRecord:
    """Play the games of a pair in schedule order; `watch` receives each finished game.

    `lost`: half → a crash that has decided its game.
    """
    series = series or series_of(plan)
    players = players or _players(plan.game, plan.first, plan.second)
    played: dict[int, SeatedGame] = {}
    for half in series.order(pair) if halves == 2 else (0,):
        if half in lost:
            game = series.forfeited(pair, half, players, lost[half].player, lost[half].detail)
        else:
            with _reporting(pair, half, players, turns or process_turns):
                game = _undisturbed(plan, players, functools.partial(series.play, pair, half, players))
        played[half] = _annotated(game, _meter(plan))
        watch(played[half])
    return pack_pair(pair, [played[half] for half in sorted(played)])


MAX_REPLAYS = 5
"""Maximum number of replays of a game because the referee was suspended."""


def _undisturbed(plan: MatchPlan, players: Players, play: Callable[[Limits], SeatedGame]) -> SeatedGame:
    """Play a game, and replay it if this process was suspended meanwhile, because clocks kept running."""
    limits = plan.limit, plan.limit
    timed = any(bound.time is not None or bound.clock is not None for bound in (p.bound(plan.limit) for p in players))
    for _ in range(MAX_REPLAYS if timed else 0):
        stops = stop_monitor.stops()
        game = play(limits)
        if stop_monitor.stops() == stops:
            return game
    return play(limits)


process_turns: Turns | None = None
"""Memory that a local worker shares with the director."""


@contextlib.contextmanager
def _reporting(pair: int, half: int, players: Players, turns: Turns | None) -> Iterator[None]:
    """Report whose turn it is, so that the director can tell which player killed a worker."""
    if turns is None:
        yield
        return

    def report(player: Player | None) -> None:
        turns[2] = 0 if player is None else 1 if player is players[0] else 2

    turns[0], turns[1], turns[2] = pair, half, 0
    game_in_progress.turn_reporter = report
    try:
        yield
    finally:
        game_in_progress.turn_reporter, turns[2] = None, 0


@functools.lru_cache(maxsize=64)
def series_of(plan: MatchPlan) -> Series:
    """Return the series of a plan: starts, seats and dice."""
    game = games.load(plan.game)
    if plan.openings:
        book = loaded_book(plan.openings, game, plan.opening_plies, plan.contents)
        return Series(
            game, plan.seed, plan.schedule, book=book, book_order=plan.opening_order, adjudication=plan.adjudication
        )
    value = make_meter(game, f"eval={opening_evaluation(game)}").value if plan.opening_plies else None
    return Series(game, plan.seed, plan.schedule, plan.opening_plies, value, adjudication=plan.adjudication)


def _meter(plan: MatchPlan) -> LuckMeter | None:
    game = games.load(plan.game)
    return make_meter(game, plan.luck) if plan.luck and game.has_chance else None


def _annotated(game: SeatedGame, meter: LuckMeter | None) -> SeatedGame:
    return game if meter is None else game._replace(annotation=meter.annotate(game.record))


_cache: "OrderedDict[tuple[str, str, str, bool, int], Players]" = OrderedDict()
"""LRU cache: (game, descriptions, hosted, thread) → players of this process."""

IDLE_SECONDS = 10.0
"""Seconds without a batch after which a process that serves others closes its players."""

_idle_lock = threading.Lock()
_batches_in_use = 0
_idle_timer: threading.Timer | None = None
closes_idle_players = True
"""Whether this process may outlive the match; a local worker does not, because it ends with its director."""


@contextlib.contextmanager
def _in_use(hosted: bool) -> Iterator[None]:
    """Close the players some time after the last batch: a Dask worker outlives the match, but its engines must not."""
    global _batches_in_use, _idle_timer
    with _idle_lock:
        _batches_in_use += 1
        if _idle_timer is not None:
            _idle_timer.cancel()
            _idle_timer = None
    try:
        yield
    finally:
        with _idle_lock:
            _batches_in_use -= 1
            if hosted and closes_idle_players and not _batches_in_use:
                _idle_timer = threading.Timer(IDLE_SECONDS, close_idle_players)
                _idle_timer.daemon = True
                _idle_timer.start()


def close_idle_players() -> None:
    """Close all cached players unless a batch is being played."""
    with _idle_lock:
        if not _batches_in_use:
            close_players()


def _players(game: str, first: str, second: str, *, hosted: bool = True) -> Players:
    """Return the two players of a meeting, distinct even if their specifications are equal."""
    key = (game, first, second, hosted, threading.get_ident())
    if key not in _cache:
        loaded = games.load(game)
        one, other = player_names((first, second))
        _cache[key] = (
            make_player(first, loaded, hosted=hosted, label=one),
            make_player(second, loaded, hosted=hosted, label=other),
        )
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


def warm(plan: MatchPlan, *, hosted: bool = True) -> None:
    """Compile all kernels of a plan once, before workers load them.

    `hosted`: Python classes of users play in separate processes.
    """
    game = games.load(plan.game)
    specs = plan.first, plan.second
    for spec, label in dict(zip(specs, player_names(specs), strict=True)).items():
        player = make_player(spec, game, hosted=hosted, label=label)
        if isinstance(player, HostedPlayer) or (isinstance(player, RemotePlayer) and player.options):
            player.check(game)
        # If a user class fails here, it will fail again in its games and forfeit them; the match continues.
        with suppress_errors() if describe(spec, game).place is not None else contextlib.nullcontext():
            if player.local:
                player.new_game(game, plan.seed)
        _close(player)
    play_pair(replace(plan, first="random", second="random", limit=Limit()), 0)
    close_players()
