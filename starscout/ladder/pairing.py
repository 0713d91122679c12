"""Pairing by information gain: choose the pair of games that is most informative about the ratings.

The gain of a pair of players is log(1 + p(1 − p)·Var(difference of their ratings)/dispersion), the reduction of the
entropy of all ratings. Pairs in progress count as played. Players with few pairs come first, and a share of the pairs
is drawn uniformly, so that every pair of players meets.
"""

import random
from collections.abc import Iterable, Sequence

import numpy

from starscout.ladder.ratings import Ratings

NEW_PAIRS = 5
"""A player with fewer pairs is new."""


class Pairing:
    """Chooses pairs of players; every chosen pair counts as played for the next choice."""

    def __init__(self, ratings: Ratings, players: Sequence[int], under_way: Iterable[tuple[int, int]] = ()) -> None:
        """There must be at least two players; `under_way` are pairs in progress."""
        self._players = players
        self._place = {player: number for number, player in enumerate(players)}
        chosen = numpy.array(players)
        strength = ratings.strength[chosen]
        p = 1 / (1 + numpy.exp(strength[None, :] - strength[:, None]))
        self._weight = p * (1 - p) / ratings.dispersion
        self.covariance = ratings.covariance[numpy.ix_(chosen, chosen)]
        self._add_all([(one, other) for one, other in under_way if one in self._place and other in self._place])

    def _add_all(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Reduce the covariance by the information of pairs in progress."""
        if not pairs:
            return
        first, second = numpy.array([[self._place[player] for player in pair] for pair in pairs]).T
        weight = self._weight[first, second]
        precision = numpy.linalg.inv(self.covariance)
        for rows, columns, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            numpy.add.at(precision, (rows, columns), sign * weight)
        self.covariance = numpy.linalg.inv(precision)

    def gains(self) -> numpy.ndarray:
        """Return p(1 − p)·variance/dispersion of every pair of players, which orders them as the gain does."""
        own = numpy.diag(self.covariance)
        found = self._weight * (own[:, None] + own[None, :] - 2 * self.covariance)
        numpy.fill_diagonal(found, -1.0)
        return found

    def choose(self, new: Iterable[int], random_share: float, generator: random.Random) -> tuple[int, int]:
        """Return the next two players; those in `new` come first."""
        if generator.random() < random_share:
            first, second = (self._place[player] for player in generator.sample(list(self._players), 2))
        else:
            found = self.gains()
            rows = [self._place[player] for player in new] or list(range(len(self._players)))
            row, second = divmod(int(found[rows].argmax()), len(self._players))
            first = rows[row]
        column = self.covariance[:, first] - self.covariance[:, second]
        weight = float(self._weight[first, second])
        self.covariance -= numpy.outer(column, column) * (weight / (1 + weight * float(column[first] - column[second])))
        return self._players[first], self._players[second]
