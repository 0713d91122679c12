"""Training by self-play: each generation plays games, fits weights and is matched against the champion.

Finished work is written immediately to a folder beside the weights file: the self-play chunks of the current
generation, the weights of every generation, and the history. The same command resumes an interrupted run. After the
last generation the champion becomes the weights file and the folder is deleted.
"""

import hashlib
import json
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy

from starscout import games
from starscout.evaluation import exact_table, knowledge_of, load_evaluation, move_order_of
from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.features import Features, images_of
from starscout.evaluation.learned import features_of, file_evaluation
from starscout.evaluation.network import UNIT, network_weights, sum_weights
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NETWORK, NETWORKS, PATTERNS, LearnedWeights, read_learned, write_learned
from starscout.game import Game, GameError
from starscout.kernels.bits import Word, random_word
from starscout.learning import luck_adjusted, self_play
from starscout.learning.fit import (
    BLOCK,
    FINE,
    REFINED,
    REFINED_DAMPING,
    FitSettings,
    Fitted,
    Network,
    fit_coarse,
    fit_network,
    fit_sum,
    new_network,
)
from starscout.learning.luck_adjusted import fit_networks
from starscout.learning.recipe import Recipe, recipe_from_json
from starscout.learning.self_play import PositionSample, SelfPlay, feature_weights, joined
from starscout.learning.temporal_difference import (
    Networks,
    TemporalDifference,
    add_to_mean,
    given_networks,
    learn_from_games,
    new_networks,
    rounded_networks,
)
from starscout.search.endgame import KnownPositions

CHUNK_GAMES = 100
PLAYING_SHARE = 0.8
"""The share of a generation's time for self-play; fit and match take the rest.

Self-play ends early if the fit would need more than the rest. Unused time goes to the next generations.
"""
SAMPLE_BYTES = 1 << 30
"""Self-play of a generation ends when its positions fill this many bytes."""
TEMPORAL_CHUNK = 1000
"""Games of temporal-difference learning between two checkpoints; rate and λ are constant within a chunk."""
FIRST_PACE = 1e-5
"""Initial estimate of the fitting time per position, in seconds."""
LEAST_SECONDS = 0.01
"""Self-play time of a generation when no time is left: it plays one chunk of games."""
WORTHWHILE = 0.1
"""A generation is added to the recipe while more than this share of the time is left."""
HISTORY = "history.json"
MEAN = "mean_"
"""Prefix of the arrays of mean networks."""
UNROUNDED = "unrounded_"
"""Prefix of the arrays that the next generation starts from."""
NUMBERS = ("rows", "biases", "outputs", "constant")


Match = Callable[[str, str, int, int, int, Callable[[float], None]], tuple[float, float]]
"""(player A, player B, pairs, nodes per move, seed, progress callback) → A's score and its 95 % margin of error."""


@dataclass(frozen=True)
class Finished:
    """A finished generation."""

    generation: int
    games: int
    positions: int
    error: float
    """The root mean square error of values on held-out positions."""
    score: float
    """Against the previous champion, luck-adjusted in games with dice; the first generation plays against `zero`."""
    score_error: float
    champion: bool
    """Whether it became the champion: it did unless it lost significantly."""


@dataclass
class Progress:
    """The current step of a training run, for display."""

    generation: int = 1
    doing: str = "playing"
    games: int = 0
    share: float = 0.0
    """The finished part of the current step, 0 to 1."""
    errors: tuple[float, ...] = ()
    """The error after every epoch of the current fit."""


def recipe_for(game: Game, *, refining: bool = False) -> Recipe:
    """The game's own recipe, else the general one; `refining`: the one for given weights. Raises GameError."""
    if not refining:
        return knowledge_of(game).recipe or Recipe()
    recipe = knowledge_of(game).refinement
    if recipe is None:
        raise GameError(f"start: {game.name} cannot continue from given weights: it has no recipe for that")
    return recipe


class Training:
    """A training run."""

    def __init__(
        self,
        game: str,
        out: Path,
        recipe: Recipe,
        seed: int,
        minutes: float | None,
        watch: Callable[[], None],
        start: Path | None = None,
    ) -> None:
        self.name = str(Path(game).resolve()) if games.is_file(game) else game
        self.game: Game = games.load(game)
        self.out, self.seed, self.minutes = out, seed, minutes
        self.recipe: Recipe = recipe
        self.progress = Progress()
        self.history: list[Finished] = []
        self.seconds = 0.0
        self._watch = watch
        self._start = start
        """The weights of the first champion; None: learn from zero."""
        self._features: Features = features_of(self.game, knowledge_of(self.game))
        self._folder = out.with_name(out.name + ".learning")
        self._fitted: dict[str, numpy.ndarray] = {}
        """The unrounded weights of the last generation."""
        self._images = numpy.zeros((1, 0), dtype=numpy.int64)
        self._pace = FIRST_PACE
        if recipe.temporal is not None and recipe.generations[0].refine != (start is not None):
            raise GameError("generations: the first one needs refine=true with start weights, refine=false without")
        if " " in str(self._folder):
            raise GameError(f"out: expected a path without spaces, got {str(self.out)!r}")
        self._resume()

    @property
    def finished(self) -> bool:
        """Whether all generations are done and no time is left for another."""
        done = len(self.history) == len(self.recipe.generations)
        return done and (self.minutes is None or self._seconds_left <= WORTHWHILE * 60.0 * self.minutes)

    @property
    def _seconds_left(self) -> float:
        """The remaining time of the run."""
        assert self.minutes is not None
        return max(60.0 * self.minutes - self.seconds, 0.0)

    def _plan_another(self) -> None:
        """Add a generation like the last one to the recipe."""
        steps = self.recipe.generations
        self.recipe = replace(self.recipe, generations=(*steps, replace(steps[-1], games=0)))

    def run(self, match: Match, workers: int) -> None:
        """Train the remaining generations and write the weights file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._start is not None:
            shutil.copyfile(self._start, self._file(-1))
            if self.recipe.temporal is not None and not self._fitted:
                self._evaluation(-1)  # whose features are checked
                given = given_networks(self._features, read_learned(self._file(-1)).arrays)
                if given.biases.shape[1] != self.recipe.temporal.units:
                    raise GameError(f"start: expected {self.recipe.temporal.units} units, got {given.biases.shape[1]}")
                self._fitted = _arrays(given, given)
        if self._features.sizes and self.recipe.temporal is None:
            tables = feature_weights(self._features)
            self._images = images_of(self.game, self._features, tables, sample_positions(self.game))
        while not self.finished:
            if len(self.history) == len(self.recipe.generations):
                self._plan_another()
            began = time.monotonic()
            self._train_generation(match, workers)
            self.seconds += time.monotonic() - began
            self._save_history()
        shutil.copyfile(self._file(self._champion()), self.out)
        champion = read_learned(self.out)
        arrays = {name: array for name, array in champion.arrays.items() if not name.startswith(UNROUNDED)}
        write_learned(self.out, replace(champion, arrays=arrays, learned=self._header()))
        shutil.rmtree(self._folder)

    def _train_generation(self, match: Match, workers: int) -> None:
        number = len(self.history)
        self.progress = Progress(number + 1)
        temporal = self.recipe.temporal
        if temporal is not None and not self.recipe.generations[number].refine:
            games, positions, fitted = self._learn_from_games(number, temporal)
        else:
            sample = self._play(number, workers)
            games, positions = sample.games, len(sample)
            self.progress = replace(self.progress, doing="fitting", share=0.0)
            began = time.monotonic()
            fitted = self._fit(number, sample)
            self._pace = (time.monotonic() - began) / positions
        steps = list(self.recipe.generations)
        steps[number] = replace(steps[number], games=games)
        self.recipe = replace(self.recipe, generations=tuple(steps))
        self.progress = replace(self.progress, doing="matching", share=0.0)
        score, error = self._match(number, match)
        won = (number == 0 and self._start is None) or score + error >= 0.5
        self.history.append(Finished(number + 1, games, positions, fitted.error, score, error, won))
        shutil.rmtree(self._chunks(number))

    # Temporal differences.

    def _learn_from_games(self, number: int, settings: TemporalDifference) -> tuple[int, int, Fitted]:
        """Learn from the games of a generation chunk by chunk; the state is saved after each chunk."""
        step, seconds = self.recipe.generations[number], self._seconds(number)
        before = sum(finished.games for finished in self.history)
        features, seed = self._features, _seed(self.seed, 0, 0)
        networks, mean = (new_networks(features, settings.units, seed) for _ in range(2))
        if self._fitted:
            networks, mean = _networks(self._fitted), _networks(self._fitted, MEAN)
        played, positions, error = 0, 0, 0.0
        folder = self._chunks(number)
        folder.mkdir(exist_ok=True)
        checkpoint = folder / "networks.npz"
        if checkpoint.exists():
            with numpy.load(checkpoint) as stored:
                played, positions, error = int(stored["played"]), int(stored["positions"]), float(stored["error"])
                networks, mean = _networks(stored), _networks(stored, MEAN)
        known = self._known(settings)
        learn_from_games(self.game, features, networks, settings, seed, 0, 0, known)  # compile before the clock starts
        began = time.monotonic()
        while (played < step.games) if step.games else (played == 0 or time.monotonic() - began < seconds):
            count = min(TEMPORAL_CHUNK, step.games - played) if step.games else TEMPORAL_CHUNK
            error, found = learn_from_games(
                self.game, features, networks, settings, seed, before + played, count, known
            )
            played, positions = played + count, positions + found
            add_to_mean(mean, networks, -(-(before + played) // TEMPORAL_CHUNK))
            share = played / step.games if step.games else min((time.monotonic() - began) / seconds, 1.0)
            self.progress = replace(self.progress, games=played, share=share)
            self._watch()
            self._fitted = _arrays(networks, mean)
            state: Any = {"played": played, "positions": positions, "error": error, **self._fitted}
            with checkpoint.with_suffix(".part").open("wb") as opened:
                numpy.savez(opened, **state)
            checkpoint.with_suffix(".part").replace(checkpoint)
        self._write(number, NETWORKS, rounded_networks(features, mean))
        return played, positions, Fitted(error, 1)

    def _known(self, settings: TemporalDifference) -> KnownPositions | None:
        table = exact_table(self.game) if settings.endgame else None
        return None if table is None else table.known()

    # Self-play.

    def _chunk_player(self, number: int) -> Callable[[int, int], PositionSample]:
        """The function (first game, count) → the positions of these games of a generation."""
        step, seed, temporal = self.recipe.generations[number], _seed(self.seed, number, 0), self.recipe.temporal
        if temporal is not None:
            networks, known = _networks(self._fitted, MEAN), self._known(temporal)
            return lambda first, count: luck_adjusted.play_games(
                self.game, self._features, networks, temporal.adjusted_trace, seed, first, count, known
            )
        settings = SelfPlay(step.depth, self.recipe.opening, self.recipe.noise, step.blend, step.refine)
        evaluation = self._player(number)
        play = knowledge_of(self.game).self_play or self_play.play_chunk
        return lambda first, count: play(self.game, evaluation, self._features, settings, seed, first, count)

    def _play(self, number: int, workers: int) -> PositionSample:
        """Play the games of a generation in chunks; chunks on disk are not played again."""
        step, play = self.recipe.generations[number], self._chunk_player(number)
        play(0, 1)  # compile before the clock starts
        folder = self._chunks(number)
        folder.mkdir(exist_ok=True)
        total = -(-step.games // CHUNK_GAMES)
        seconds = self._seconds(number)
        fitting = seconds * (1.0 - PLAYING_SHARE) / PLAYING_SHARE
        most_positions = min(fitting / self._pace, SAMPLE_BYTES / (4 * self._features.slots + 8))
        began, lock, taken, positions = time.monotonic(), threading.Lock(), 0, 0

        def next_chunk() -> int | None:
            nonlocal taken
            with lock:
                elapsed = (time.monotonic() - began) / seconds if seconds else 0.0
                if seconds:
                    elapsed = max(elapsed, positions / most_positions)
                if (taken == total) if total else (elapsed >= 1.0 and taken > 0):
                    return None
                taken += 1
                share = taken / total if total else min(elapsed, 1.0)
                self.progress = replace(self.progress, games=taken * CHUNK_GAMES, share=share)
                self._watch()
                return taken - 1

        def work() -> None:
            nonlocal positions
            while (chunk := next_chunk()) is not None:
                file = folder / f"{chunk:06}.npz"
                if file.exists():
                    sample = _load(file)
                else:
                    first = chunk * CHUNK_GAMES
                    size = min(CHUNK_GAMES, step.games - first) if total else CHUNK_GAMES
                    sample = play(first, size)
                    _save(file, sample)
                with lock:
                    positions += len(sample)

        with ThreadPoolExecutor(workers) as pool:
            for job in [pool.submit(work) for _ in range(workers)]:
                job.result()
        return joined([_load(folder / f"{chunk:06}.npz") for chunk in range(taken)])

    def _seconds(self, number: int) -> float:
        """The self-play time of a generation; 0 if its number of games is fixed.

        The remaining time is divided again before every generation, so unused time goes to later ones.
        """
        steps = self.recipe.generations[number:]
        if steps[0].games or self.minutes is None:
            return 0.0
        share = PLAYING_SHARE * steps[0].time / sum(step.time for step in steps)
        return max(share * self._seconds_left, LEAST_SECONDS)

    def _player(self, number: int) -> Evaluation:
        """The evaluation that a generation plays with: that of the previous champion."""
        if number == 0 and self._start is None:
            return load_evaluation(self.game, "zero")
        return self._evaluation(self._champion())

    # The fit.

    def _fit(self, number: int, sample: PositionSample) -> Fitted:
        """Fit the weights of a generation and write its file."""
        result = self.recipe.generations[number].result
        proven = numpy.abs(sample.values) >= 1.0
        targets = numpy.where(proven, sample.values, (1.0 - result) * sample.values + result * sample.results)
        settings, seed = FitSettings(self.recipe.epochs, self.recipe.rate), _seed(self.seed, number, 1)
        features, before = self._features, self._fitted
        if self.recipe.temporal is not None:
            settings = replace(settings, rate=self.recipe.temporal.adjusted_rate)
            start = _networks(before, MEAN)
            networks, fitted = fit_networks(start, features, sample, targets, settings, seed, self._epoch)
            self._fitted = _arrays(networks, networks)
            arrays = rounded_networks(features, networks)
        elif features.sizes:
            start = _network(before) if before else new_network(features, self.recipe.units // len(self._images), seed)
            network, fitted = fit_network(start, self._images, sample.features, targets, settings, seed, self._epoch)
            numbers = network.rows, network.biases, network.outputs, network.constant
            self._fitted = {name: numpy.array(value) for name, value in zip(NUMBERS, numbers, strict=True)}
            arrays = network_weights(features, self._images, *numbers)
        else:
            same = numpy.arange(features.count) if features.same is None else features.same
            for block in numpy.array_split(sample.features, 1 + len(sample) // BLOCK):
                block[:] = same[block]
            rows = before.get("rows", numpy.zeros(features.count))
            if self.recipe.generations[number].refine:
                champion = read_learned(self._file(self._champion())).arrays
                rows = champion["rows"] * (float(champion["factor"]) / UNIT)
                settings = replace(settings, rate=REFINED * settings.rate, damping=REFINED_DAMPING)
            elif features.coarse is not None:
                # Start from zero again: otherwise weights of rare features from earlier generations would persist.
                rows = fit_coarse(features.coarse, sample.features, targets, settings, seed)
                settings = replace(settings, rate=FINE * settings.rate)
            rows, fitted = fit_sum(rows, sample.features, targets, settings, seed, self._epoch)
            self._fitted = {"rows": rows}
            arrays = sum_weights(rows)
        model = NETWORKS if features.classes > 1 else NETWORK if features.sizes else PATTERNS
        self._write(number, model, arrays)
        return fitted

    def _write(self, number: int, model: str, arrays: dict[str, numpy.ndarray]) -> None:
        """Write the weights file of a generation, with the unrounded weights that the next one starts from."""
        unrounded = {UNROUNDED + name: array.astype(numpy.float32) for name, array in self._fitted.items()}
        arrays = {**arrays, **self._features.tables, **unrounded}
        weights = LearnedWeights(self.game.name, model, self._features.name, arrays, self._header())
        write_learned(self._file(number), weights)

    def _epoch(self, epoch: int, error: float) -> None:
        self.progress = replace(self.progress, share=epoch / self.recipe.epochs, errors=(*self.progress.errors, error))
        self._watch()

    # The match.

    def _match(self, number: int, match: Match) -> tuple[float, float]:
        """A generation's score against the previous champion, and its margin of error."""
        before = "zero" if number == 0 and self._start is None else str(self._file(self._champion()))
        first, second = (f"negascout table=12 eval={name}" for name in (self._file(number), before))

        def show(share: float) -> None:
            self.progress = replace(self.progress, share=share)
            self._watch()

        return match(first, second, self.recipe.pairs, self.recipe.nodes, _seed(self.seed, number, 2) >> 2, show)

    # Files.

    def _evaluation(self, number: int) -> Evaluation:
        path = self._file(number)
        knowledge = knowledge_of(self.game)
        return file_evaluation(self.game, knowledge, path, path.name, move_order_of(self.game))

    def _file(self, number: int) -> Path:
        return self._folder / f"generation-{number + 1}.weights"

    def _chunks(self, number: int) -> Path:
        return self._folder / f"games-{number + 1}"

    def _champion(self) -> int:
        return max((finished.generation for finished in self.history if finished.champion), default=0) - 1

    def _header(self) -> dict[str, Any]:
        history = [asdict(finished) for finished in self.history]
        header = {"seed": self.seed, "recipe": self.recipe.to_json(), "generations": history}
        return header if self._start is None else {**header, "start": file_digest(self._start)}

    def _save_history(self) -> None:
        content = {**self._header(), "minutes": self.minutes, "seconds": self.seconds}
        file = self._folder / HISTORY
        file.with_suffix(".part").write_text(json.dumps(content), encoding="utf-8")
        file.with_suffix(".part").replace(file)

    def _resume(self) -> None:
        """Resume an interrupted run; raises GameError if its seed or recipe differ."""
        try:
            stored = json.loads((self._folder / HISTORY).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        self.history = [Finished(**finished) for finished in stored["generations"]]
        recipe = recipe_from_json(stored["recipe"])
        done = len(self.history)
        planned = (*recipe.generations[:done], *self.recipe.generations[done:])
        other = stored.get("start") != self._header().get("start")
        if other or stored["seed"] != self.seed or recipe != replace(self.recipe, generations=planned):
            raise GameError(
                f"{self._folder} contains another interrupted run: delete it, or repeat the command that started it"
            )
        self.recipe, self.seconds = replace(recipe, generations=planned), stored["seconds"]
        arrays = read_learned(self._file(done - 1)).arrays
        self._fitted = {
            name.removeprefix(UNROUNDED): array for name, array in arrays.items() if name.startswith(UNROUNDED)
        }


def file_digest(path: Path) -> str:
    """The digest that identifies the weights that a run started from; raises GameError."""
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise GameError(f"the weights {path} cannot be read: {error.strerror}") from error


def _seed(seed: int, generation: int, purpose: int) -> int:
    """A separate seed for each purpose in each generation."""
    return int(random_word(Word(random_word(Word(seed), Word(generation))), Word(purpose)))


def _networks(arrays: Mapping[str, numpy.ndarray], prefix: str = "") -> Networks:
    """The networks that learn, or their mean (prefix MEAN)."""
    return Networks(**{field.name: numpy.array(arrays[prefix + field.name]) for field in fields(Networks)})


def _arrays(networks: Networks, mean: Networks) -> dict[str, numpy.ndarray]:
    """The inverse of `_networks`."""
    return networks.arrays() | {MEAN + name: array for name, array in mean.arrays().items()}


def _network(numbers: dict[str, numpy.ndarray]) -> Network:
    rows, biases, outputs, constant = (numbers[name] for name in NUMBERS)
    return Network(rows, biases, outputs, float(constant))


def _save(file: Path, sample: PositionSample) -> None:
    part = file.with_suffix(".part")
    with part.open("wb") as opened:
        numpy.savez(opened, features=sample.features, values=sample.values, results=sample.results, games=sample.games)
    part.replace(file)


def _load(file: Path) -> PositionSample:
    with numpy.load(file) as arrays:
        return PositionSample(arrays["features"], arrays["values"], arrays["results"], int(arrays["games"]))
