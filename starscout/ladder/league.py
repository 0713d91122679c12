"""One game of a ladder: its versions, their ratings, and the pairs of games in progress."""

import hashlib
import itertools
import random
import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

from starscout.arena.luck_adjustment import Fold
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan, make_plan
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.pairing import NEW_PAIRS, Pairing
from starscout.ladder.ratings import Ratings
from starscout.ladder.schema import ACTIVE, SUSPENDED, Version
from starscout.ladder.store import FinishedPair, LadderStore, Sums
from starscout.ladder.submissions import version_spec

MAX_FAULTS = 3
"""Number of successive void pairs after which a version is suspended."""


@dataclass(frozen=True)
class Standing:
    """A row of the standings."""

    rank: int
    low_rank: int
    high_rank: int
    entrant: int
    version: int
    number: int
    """The number of the version within its entrant, from 1."""
    elo: float
    error: float
    pairs: int


@dataclass
class Assignment:
    """A pair of games in progress."""

    number: int
    league: "League"
    first: Version
    second: Version
    match: int
    plan: MatchPlan
    pair: int
    since: float = field(default_factory=time.time)


@dataclass
class _Encounter:
    """A match of two versions: its plan, its sums, and the numbers of its pairs that are not played yet."""

    match: int
    plan: MatchPlan
    sums: tuple[Fold, Fold]
    free: list[int]
    following: int

    def next_pair(self) -> int:
        if self.free:
            return self.free.pop()
        self.following += 1
        return self.following - 1


class League:
    """The players of one game. Used only by the director's thread, except `standings`."""

    def __init__(self, game: str, folder: Folder, ladder: Ladder, store: LadderStore) -> None:
        self.game, self._folder, self._ladder, self._store = game, folder, ladder, store
        self.ratings = Ratings()
        self.versions: dict[int, Version] = {}
        """The versions that play, by number."""
        self._player: dict[int, int] = {}
        """Version → number in the ratings."""
        self._pairs: dict[int, int] = {}
        """Version → number of pairs."""
        self._encounters: dict[tuple[int, int], _Encounter] = {}
        self._stored_sums: dict[int, tuple[Fold, Fold]] = {}
        """Match → the stored sums of an encounter that has not been continued since the ladder started."""
        self._faults: dict[int, int] = {}
        self._random = random.Random(f"{ladder.seed} {game}")
        self.standings: tuple[Standing, ...] = ()
        """The current standings; replaced as a whole, so that other threads can read them."""
        self._zero: int | None = None
        self._load()

    def _load(self) -> None:
        store, game = self._store, self.game
        for baseline in self._ladder.baselines_of(game):
            entrant = store.baseline(baseline.name)
            mine = [version for version in store.versions(game, entrant.id) if version.spec == baseline.player]
            if not mine or mine[-1].status != ACTIVE:
                store.activate(entrant.id, game, "", baseline.player, None)
        for version in store.versions(game):
            self._player[version.id] = self.ratings.add_player(version.prior)
        names = [store.baseline(baseline.name).id for baseline in self._ladder.baselines_of(game)]
        for sums in store.sums(game):
            self._stored_sums[sums.match] = sums.folds
            self.ratings.add_sums(self._player[sums.first], self._player[sums.second], sums.folds)
            for version in (sums.first, sums.second):
                self._pairs[version] = self._pairs.get(version, 0) + sums.folds[0].n + sums.folds[1].n
        self.ratings.fit()
        self.reload(names)

    def reload(self, baselines: list[int] | None = None) -> None:
        """Reload the versions that play: active versions of active entrants and of configured baselines."""
        store = self._store
        if baselines is None:
            baselines = [store.baseline(baseline.name).id for baseline in self._ladder.baselines_of(self.game)]
        playing = {
            entrant.id: entrant
            for entrant in store.entrants()
            if entrant.status == ACTIVE and (entrant.kind != "baseline" or entrant.id in baselines)
        }
        self.versions = {
            version.id: version
            for version in store.versions(self.game)
            if version.status == ACTIVE and version.entrant in playing
        }
        for version in self.versions.values():
            if version.id not in self._player:
                self._player[version.id] = self.ratings.add_player(version.prior)
        first = baselines[0] if baselines else None
        zero = next((version.id for version in self.versions.values() if version.entrant == first), None)
        self._zero = None if zero is None else self._player[zero]
        self.update_standings()

    def elo(self, version: int) -> float:
        """The current rating of a version in the units of priors."""
        return self.ratings.rated([self._player[version]], None)[0].elo

    def next_assignments(
        self, numbers: Sequence[int], under_way: Iterable[Assignment], resting: Container[int]
    ) -> list[Assignment]:
        """Choose the next pairs of games, one for each number; none if there are not two players.

        `resting`: entrants that may not play now.
        """
        ready = {self._player[v.id]: v for v in self.versions.values() if v.entrant not in resting}
        if len(ready) < 2 or not numbers:
            return []
        mine = [
            (self._player[item.first.id], self._player[item.second.id]) for item in under_way if item.league is self
        ]
        counts = {player: self._pairs.get(version.id, 0) for player, version in ready.items()}
        for player in itertools.chain(*mine):
            if player in counts:
                counts[player] += 1
        new = {player for player, count in counts.items() if count < NEW_PAIRS}
        pairing = Pairing(self.ratings, list(ready), mine)
        chosen: list[tuple[Version, Version]] = []
        for _ in numbers:
            pair = pairing.choose(sorted(new), self._ladder.random_share, self._random)
            for player in pair:
                counts[player] += 1
                if counts[player] >= NEW_PAIRS:
                    new.discard(player)
            first, second = sorted((ready[player] for player in pair), key=lambda version: version.id)
            chosen.append((first, second))
        self._open_encounters(chosen)
        found: list[Assignment] = []
        for number, (first, second) in zip(numbers, chosen, strict=True):
            encounter = self._encounters[first.id, second.id]
            found.append(
                Assignment(number, self, first, second, encounter.match, encounter.plan, encounter.next_pair())
            )
        return found

    def _open_encounters(self, pairs: Iterable[tuple[Version, Version]]) -> None:
        """Open the matches of these pairs of versions in one transaction, unless they are open already."""
        plans = {
            (first.id, second.id): self._plan(first, second)
            for first, second in pairs
            if (first.id, second.id) not in self._encounters
        }
        if not plans:
            return
        for (key, plan), match in zip(plans.items(), self._store.open_matches(list(plans.values())), strict=True):
            stored = self._store.stored_pairs(match)
            following = stored[-1] + 1 if stored else 0
            missing = sorted(set(range(following)) - set(stored), reverse=True)
            sums = self._stored_sums.pop(match, (Fold(), Fold()))
            self._encounters[key] = _Encounter(match, plan, sums, missing, following)

    def _plan(self, first: Version, second: Version) -> MatchPlan:
        """The match of two versions, with its own starts and dice."""
        specs = [version_spec(self._folder, self.game, v.digest, v.spec) for v in (first, second)]
        plan = make_plan(self.game, specs[0], specs[1], self._ladder.limits.limit, self._ladder.seed)
        # Published games contain this seed, and nobody must be able to compute the seeds of later meetings from it.
        text = f"{self._ladder.seed} {self.game} {first.id} {second.id}"
        return replace(plan, seed=int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1)

    def release(self, item: Assignment, *, fault: bool) -> None:
        """Return a void pair to its match; after too many faults the version is suspended."""
        self._encounters[item.first.id, item.second.id].free.append(item.pair)
        for version in (item.first, item.second) if fault else ():
            self._faults[version.id] = self._faults.get(version.id, 0) + 1
            if self._faults[version.id] >= MAX_FAULTS and version.digest and version.id in self.versions:
                self._store.set_version(version.id, SUSPENDED)
                self._store.add_event("suspended", f"version {version.id} after {MAX_FAULTS} void pairs")
                del self.versions[version.id]

    def add(self, item: Assignment, record: PairRecord) -> FinishedPair:
        """Count a finished pair; the caller stores what is returned, then calls `fit`."""
        encounter = self._encounters[item.first.id, item.second.id]
        parity = item.pair % 2
        encounter.sums[parity].add(record.net_luck or 0.0, record.score)
        first, second = self._player[item.first.id], self._player[item.second.id]
        self.ratings.add_pair(first, second, parity, record.net_luck, record.score)
        for version in (item.first.id, item.second.id):
            self._pairs[version] = self._pairs.get(version, 0) + 1
            self._faults.pop(version, None)
        folds = replace(encounter.sums[0]), replace(encounter.sums[1])
        sums = Sums(encounter.match, item.first.id, item.second.id, folds)
        return FinishedPair(sums, (item.first.entrant, item.second.entrant), record)

    def fit(self) -> None:
        """Update ratings and standings after pairs."""
        self.ratings.fit()
        self.update_standings()

    def update_standings(self) -> None:
        """Compute the standings of the versions that play, best first."""
        playing = list(self.versions.values())
        rated = self.ratings.rated([self._player[version.id] for version in playing], self._zero)
        order = sorted(zip(rated, playing, strict=True), key=lambda entry: -entry[0].elo)
        self.standings = tuple(
            Standing(
                rank, rating.low_rank, rating.high_rank, version.entrant, version.id, version.number,
                rating.elo, rating.error, self._pairs.get(version.id, 0),
            )
            for rank, (rating, version) in enumerate(order, 1)
        )  # fmt: skip

    def rating_rows(self) -> list[tuple[int, float, float, int, int]]:
        """The standings as rows of the store."""
        return [(row.version, row.elo, row.error, row.rank, row.pairs) for row in self.standings]
