"""Records of finished pairs of games, packed for transfer and storage."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from starscout import games as known_games
from starscout.records.packed import (
    SeatedGame,
    pack_games,
    unpack_annotations,
    unpack_details,
    unpack_games,
    unpack_times,
)
from starscout.records.record import FORFEITS, Annotation, Ply

FIRST_MOVES = 5


class Usage(NamedTuple):
    """Resources used by one player; depth, nodes and simulations are 0 if not reported."""

    moves: int = 0
    seconds: float = 0.0
    depth: int = 0
    """Sum of the depths of all moves."""
    nodes: int = 0
    simulations: int = 0
    clocks: int = 0
    """Number of games with a clock for the whole game."""
    left: float = 0.0
    """Sum of the seconds left on these clocks at the end."""
    first_moves: tuple["Usage", ...] = ()
    """Usage of the first, second, …, FIRST_MOVES-th move of every game."""

    def combined(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        by_move = itertools.zip_longest(self.first_moves, other.first_moves, fillvalue=Usage())
        return Usage(
            self.moves + other.moves,
            self.seconds + other.seconds,
            self.depth + other.depth,
            self.nodes + other.nodes,
            self.simulations + other.simulations,
            self.clocks + other.clocks,
            self.left + other.left,
            tuple(mine.combined(theirs) for mine, theirs in by_move),
        )

    def summary(self) -> dict[str, Any]:
        """Return totals and means for `--json`; None where nothing was reported."""
        left = self.left / self.clocks if self.clocks else None
        return {**self._means(), "seconds_left": left, "first_moves": [move._means() for move in self.first_moves]}

    def _means(self) -> dict[str, Any]:
        moves = max(self.moves, 1)
        means = {
            "mean_depth": self.depth / moves,
            "nodes_per_move": self.nodes / moves,
            "simulations_per_move": self.simulations / moves,
            "simulations_per_second": self.simulations / self.seconds if self.seconds else None,
        }
        known = {name: mean or None for name, mean in means.items()}
        return {"moves": self.moves, "seconds": self.seconds, "seconds_per_move": self.seconds / moves, **known}


def usage_from_json(value: Sequence[Any]) -> Usage:
    """Decode a stored usage list; lists of earlier versions are shorter."""
    *numbers, first_moves = (*value, ()) if len(value) < len(Usage._fields) else value
    if len(numbers) >= len(Usage._fields) or any(type(number) not in (int, float) for number in numbers):
        raise ValueError(f"expected up to {len(Usage._fields) - 1} numbers, got {str(value)[:60]}")
    return Usage(*numbers, first_moves=tuple(usage_from_json(move) for move in first_moves))


class PairRecord(NamedTuple):
    """The games of a pair, game 0 first; the last pair of an odd number has one game."""

    pair: int
    scores: tuple[float, ...]
    """A's score in each game."""
    plies: tuple[int, ...]
    reasons: tuple[str, ...]
    luck: tuple[float, ...] | None
    """A's luck minus B's in each game; None: not measured.

    In win probability, or in points if a win can count several.
    """
    seconds: float
    content: bytes
    """The packed games without their times (see records/packed.py)."""
    times: bytes
    used: tuple[Usage, Usage] = (Usage(), Usage())
    """Resources used by A and B in both games."""
    points: tuple[int, ...] = ()
    """A's points in each game, negative if A lost; empty if every win counts one point."""
    scale: int = 1
    """The largest number of points of a game."""

    @property
    def score(self) -> float:
        """Mean score of A."""
        return sum(self.scores) / len(self.scores)

    @property
    def net_luck(self) -> float | None:
        """Mean luck of A minus that of B per game, in win probability; None: not measured."""
        return None if self.luck is None else self.in_probability(sum(self.luck) / len(self.luck))

    def in_probability(self, amount: float) -> float:
        """Convert luck or a loss to win probability: points / scale is an expected result in [−1, 1]."""
        return amount / (2 * self.scale) if self.points else amount

    def forfeiter(self, half: int) -> str | None:
        """Return the player that lost this game by forfeit, `"A"` or `"B"`; None if there is none."""
        forfeiters = self.forfeiters(half)
        return forfeiters[0] if len(forfeiters) == 1 else None

    def forfeiters(self, half: int) -> tuple[str, ...]:
        """Return the players that forfeited this game: `"A"`, `"B"`, both (the game scores 0 – 0) or none."""
        if self.reasons[half] not in FORFEITS:
            return ()
        return {1.0: ("B",), 0.0: ("A",)}.get(self.scores[half], ("A", "B"))

    @property
    def valid_scores(self) -> list[float]:
        """A's score in the games that did not end 0 – 0."""
        return [score for half, score in enumerate(self.scores) if len(self.forfeiters(half)) < 2]

    def games(self, game: str, players: tuple[str, str], seed: int) -> list[SeatedGame]:
        """Unpack the games (numbers are rounded); `players` are A and B."""
        return unpack_games(self.content, self.times, game, players, seed, self.pair)

    def details(self) -> list[str]:
        """Return the detail of each game's end reason."""
        return unpack_details(self.content)

    def annotations(self) -> list[Annotation | None]:
        """Return the luck and the losses of each game without replaying it."""
        return unpack_annotations(self.content)

    def move_times(self) -> list[list[float]]:
        """Return the thinking times of each game in seconds."""
        return unpack_times(self.times)


def pack_pair(pair: int, games: Sequence[SeatedGame]) -> PairRecord:
    """Pack the games of a pair, game 0 first."""
    content, times = pack_games(games)
    luck = [net_luck(game) for game in games]
    scale = max(known_games.find(game.record.game).points for game in games)
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
        tuple(game.points for game in games) if scale > 1 else (),
        scale,
    )


def _used(games: Sequence[SeatedGame], player: str) -> Usage:
    by_game = [game.plies_of(player) for game in games]
    clocks = [left for game in games if (left := game.record.left[game.side_of(player)]) is not None]
    first_moves = (_sums([plies[move] for plies in by_game if move < len(plies)]) for move in range(FIRST_MOVES))
    whole = _sums([ply for plies in by_game for ply in plies])
    return whole._replace(clocks=len(clocks), left=round(sum(clocks), 6), first_moves=tuple(first_moves))


def _sums(plies: Sequence[Ply]) -> Usage:
    return Usage(
        len(plies),
        round(sum(ply.seconds for ply in plies), 6),
        sum(ply.depth or 0 for ply in plies),
        sum(ply.nodes or 0 for ply in plies),
        sum(ply.simulations or 0 for ply in plies),
    )


def net_luck(game: SeatedGame) -> float | None:
    """Return A's luck minus B's, summed over the events; None: not measured."""
    if game.annotation is None:
        return None
    luck = game.annotation.luck
    if game.movers:
        return sum(lucky if mover == game.side else -lucky for lucky, mover in zip(luck, game.movers, strict=False))
    total = sum(luck[0::2]) - sum(luck[1::2])
    return total if game.side == game.first else -total
