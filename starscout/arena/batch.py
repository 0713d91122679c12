"""A batch of pairs, played from its description alone: what a worker does, here or on another machine.

Both players of a game think in turn in one process, so they never compete for a core. Players are made once a
process and reset before every game.
"""

import functools
import time
from dataclasses import dataclass

from starscout import games
from starscout.arena.pairs import first_half, pair_start
from starscout.arena.plan import MatchPlan
from starscout.arena.record import PairRecord, pack
from starscout.players.player import Player
from starscout.players.spec import make_player
from starscout.referee.play import play_game
from starscout.referee.record import GameRecord

PLAYERS_KEPT = 8


@dataclass(frozen=True)
class Batch:
    """Some pairs of a match. `match` only tells matches apart for whoever collects the results."""

    match: int
    plan: MatchPlan
    pairs: tuple[int, ...]


@dataclass(frozen=True)
class BatchResult:
    """The pairs of a batch, and how long they took in wall time."""

    match: int
    records: tuple[PairRecord, ...]
    seconds: float


def play_batch(batch: Batch) -> BatchResult:
    """Play the pairs of a batch."""
    began = time.perf_counter()
    records = tuple(play_pair(batch.plan, pair) for pair in batch.pairs)
    return BatchResult(batch.match, records, time.perf_counter() - began)


def play_pair(plan: MatchPlan, pair: int) -> PairRecord:
    """Both games of a pair, in the order that the seed says."""
    game = games.load(plan.game)
    players = _players(plan.game, plan.first, plan.second)
    start = pair_start(game, plan.seed, pair, plan.opening_plies)
    played: list[GameRecord | None] = [None, None]
    first = first_half(plan.seed, pair)
    for half in (first, 1 - first):
        seats = players if half == 0 else (players[1], players[0])
        played[half] = play_game(start, seats, (plan.limit, plan.limit), seed=plan.seed, pair=pair, half=half)
    records = [record for record in played if record is not None]
    return pack(pair, records, None, None)


@functools.lru_cache(maxsize=PLAYERS_KEPT)
def _players(game: str, first: str, second: str) -> tuple[Player, Player]:
    """Two players of their own, even when they have one description."""
    loaded = games.load(game)
    return make_player(first, loaded), make_player(second, loaded)


def warm(plan: MatchPlan) -> None:
    """Compile everything that this plan needs, and find out what is wrong with its players before anything starts."""
    game = games.load(plan.game)
    players = make_player(plan.first, game), make_player(plan.second, game)
    for player in players:
        player.new_game(game, plan.seed)
        player.close()
    play_pair(MatchPlan(plan.game, "random", "random", seed=plan.seed, opening_plies=plan.opening_plies), 0)
