"""A batch of pairs, played from its description alone: what a worker does, here or on another machine.

Both players of a game think in turn in one process, so they never compete for a core. Players are made once a
process and reset before every game.
"""

import contextlib
import time
from collections import OrderedDict
from dataclasses import dataclass, replace

from starscout import games
from starscout.arena.luck import Judge, make_judge, net_luck
from starscout.arena.pairs import first_half, pair_start
from starscout.arena.plan import FIXED, MatchPlan
from starscout.arena.record import PairRecord, PlayedGame, pack
from starscout.players.player import Decision, Follower, Player, PlayerError
from starscout.players.spec import make_player
from starscout.referee.play import play_game
from starscout.search.limits import Limit
from starscout.state import State, from_position

MEETINGS_KEPT = 8


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
    judge = make_judge(game, plan.luck) if plan.luck or plan.opening_plies else None
    players = _players(plan.game, plan.first, plan.second)
    start = pair_start(game, plan.seed, pair, plan.opening_plies, judge.value if judge else None)
    first = first_half(plan.seed, pair)
    halves = {half: _play_half(plan, players, start, pair, half, judge) for half in (first, 1 - first)}
    return pack(pair, (halves[0], halves[1]))


def _play_half(
    plan: MatchPlan, players: tuple[Player, Player], start: State, pair: int, half: int, judge: Judge | None
) -> PlayedGame:
    notes: list[int] = []
    seated = (_noted(players[0], notes), _noted(players[1], notes))
    side = 0
    if half == 1 and plan.colours == FIXED:
        start = from_position(start.game, start.position._replace(mover=1 - start.mover))
    elif half == 1:
        side = 1
    seats = seated if side == 0 else (seated[1], seated[0])
    record = play_game(start, seats, (plan.limit, plan.limit), seed=plan.seed, pair=pair, half=half)
    if judge is None or not start.game.has_dice:
        return PlayedGame(record, side, None, None)
    rolls = [ply.roll for ply in record.plies]
    if len(notes) < len(rolls):
        analysis = judge.analyse(record)
    else:
        analysis = judge.analyse_moves(start, rolls, notes[: len(rolls)])
    return PlayedGame(record, side, analysis, net_luck(analysis.luck, start.mover, side))


class _Noted:
    """A player whose moves are noted as the numbers they are: cheaper than reading them back from a record."""

    def __init__(self, player: Player, notes: list[int]) -> None:
        self.name, self.new_game, self.close = player.name, player.new_game, player.close
        self._player, self._notes = player, notes

    def choose(self, state: State, limit: Limit) -> Decision:
        decision = self._player.choose(state, limit)
        self._notes.append(decision.move)
        return decision


def _noted(player: Player, notes: list[int]) -> Player:
    # Players that follow the game are told more by the referee than a wrapper passes on.
    return player if isinstance(player, Follower) else _Noted(player, notes)


_kept: "OrderedDict[tuple[str, str, str], tuple[Player, Player]]" = OrderedDict()
"""The players of this process by game and descriptions, the latest used last."""


def _players(game: str, first: str, second: str) -> tuple[Player, Player]:
    """Two players of their own, even when they have one description; made once, closed when others push them out."""
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
    for player in players:
        player.close()


def warm(plan: MatchPlan) -> None:
    """Compile everything that this plan needs, and find out what is wrong with its players before anything starts."""
    game = games.load(plan.game)
    players = make_player(plan.first, game), make_player(plan.second, game)
    for player in players:
        # A program that fails here fails in its games: each is a forfeit with its reason.
        with contextlib.suppress(PlayerError):
            player.new_game(game, plan.seed)
        player.close()
    play_pair(replace(plan, first="random", second="random"), 0)
