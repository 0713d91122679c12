"""A finished pair of games, small enough to send and to store by the thousand."""

from collections.abc import Sequence
from typing import NamedTuple

from starscout.records.packed import (
    SeatedGame,
    pack_games,
    unpack_annotations,
    unpack_details,
    unpack_games,
    unpack_times,
)
from starscout.records.record import FORFEITS, Annotation


class Usage(NamedTuple):
    """What one player used over some moves; depth, nodes and simulations only if it reported them."""

    moves: int = 0
    seconds: float = 0.0
    depth: int = 0
    """The sum of the depths."""
    nodes: int = 0
    simulations: int = 0

    def joined(self, other: "Usage") -> "Usage":
        """Both together."""
        return Usage(
            self.moves + other.moves,
            self.seconds + other.seconds,
            self.depth + other.depth,
            self.nodes + other.nodes,
            self.simulations + other.simulations,
        )

    def summary(self) -> dict[str, float | int | None]:
        """Totals and means per move, for programs; None where nothing was reported."""
        moves = max(self.moves, 1)
        means = {
            "mean_depth": self.depth / moves,
            "nodes_per_move": self.nodes / moves,
            "simulations_per_move": self.simulations / moves,
        }
        known = {name: mean or None for name, mean in means.items()}
        return {"moves": self.moves, "seconds": self.seconds, "seconds_per_move": self.seconds / moves, **known}


class PairRecord(NamedTuple):
    """The two games of a pair, game 0 first; the last pair of an odd number of games has one."""

    pair: int
    scores: tuple[float, ...]
    """What A got in each game."""
    plies: tuple[int, ...]
    reasons: tuple[str, ...]
    luck: tuple[float, ...] | None
    """How much luckier A was than B in each game, in winning chances; None: not measured."""
    seconds: float
    content: bytes
    """The games without their times (see records/packed.py)."""
    times: bytes
    used: tuple[Usage, Usage] = (Usage(), Usage())
    """What A and B used in both games."""

    @property
    def score(self) -> float:
        """The mean score of A."""
        return sum(self.scores) / len(self.scores)

    def forfeiter(self, half: int) -> str | None:
        """Who lost this game by a forfeit, `"A"` or `"B"`; None when it was played to its end."""
        if self.reasons[half] not in FORFEITS:
            return None
        return "B" if self.scores[half] == 1 else "A"

    def games(self, game: str, players: tuple[str, str], seed: int) -> list[SeatedGame]:
        """The games as they were played, numbers rounded; `players` are A and B."""
        return unpack_games(self.content, self.times, game, players, seed, self.pair)

    def details(self) -> list[str]:
        """The detail of each game's reason."""
        return unpack_details(self.content)

    def annotations(self) -> list[Annotation | None]:
        """The luck and the losses of each game, without replaying it."""
        return unpack_annotations(self.content)

    def move_times(self) -> list[list[float]]:
        """The thinking times of each game in seconds."""
        return unpack_times(self.times)


def pack_pair(pair: int, games: Sequence[SeatedGame]) -> PairRecord:
    """The record of a pair from its games, game 0 first."""
    content, times = pack_games(games)
    luck = [net_luck(game) for game in games]
    return PairRecord(
        pair,
        tuple(game.score for game in games),
        tuple(len(game.record.plies) for game in games),
        tuple(game.record.reason for game in games),
        None if None in luck else tuple(round(extra, 6) for extra in luck if extra is not None),
        sum(map(sum, unpack_times(times))),
        content,
        times,
        (_used(games, "A"), _used(games, "B")),
    )


def _used(games: Sequence[SeatedGame], player: str) -> Usage:
    plies = [
        ply
        for game in games
        for ply in game.record.plies[(game.first != (game.side if player == "A" else 1 - game.side)) :: 2]
    ]
    return Usage(
        len(plies),
        round(sum(ply.seconds for ply in plies), 6),
        sum(ply.depth or 0 for ply in plies),
        sum(ply.nodes or 0 for ply in plies),
        sum(ply.simulations or 0 for ply in plies),
    )


def net_luck(game: SeatedGame) -> float | None:
    """How much luckier A was than B, summed over the rolls; None: not measured."""
    if game.annotation is None:
        return None
    luck = game.annotation.luck
    total = sum(luck[0::2]) - sum(luck[1::2])
    return total if game.side == game.first else -total
