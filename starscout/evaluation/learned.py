"""Learned evaluations: `learned` has the shipped weights of a game; a weights file is named by its path."""

import functools
from pathlib import Path
from typing import Any

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.features import Features
from starscout.evaluation.knowledge import Knowledge
from starscout.evaluation.network import class_evaluation, network_evaluation
from starscout.evaluation.squares import sample_positions, square_features, squares_from_tables
from starscout.evaluation.weights import ENDING, NETWORKS, PATTERNS, LearnedWeights, read_learned
from starscout.game import Game, GameError

LEARNED = "learned"
"""The evaluation with the shipped weights."""


def is_weights_file(text: str) -> bool:
    """Whether the name of an evaluation is a path of a weights file."""
    return text.endswith(ENDING)


def features_of(game: Game, knowledge: Knowledge) -> Features:
    """The input of a learned evaluation: the game's own features, else the pieces on each square."""
    own = knowledge.features(game) if knowledge.features else None
    return own or square_features(game, sample_positions(game))


def file_evaluation(game: Game, knowledge: Knowledge, path: Path, name: str, order: Any) -> Evaluation:
    """The evaluation of a weights file; raises GameError."""
    if not path.is_file():
        raise GameError(f"there is no weights file {path}: `starscout learn {game.file or game.name}` creates one")
    # The modification time is part of the key, so that a changed file is read again.
    return _file_evaluation(game, knowledge, path, path.stat().st_mtime_ns, name, order)


@functools.lru_cache(maxsize=32)
def _file_evaluation(game: Game, knowledge: Knowledge, path: Path, changed: int, name: str, order: Any) -> Evaluation:
    weights = read_learned(path)
    if weights.game != game.name:
        raise GameError(f"{path} contains weights for {weights.game}, not for {game.name}")
    try:
        return learned_evaluation(game, knowledge, weights, name, order)
    except (KeyError, IndexError, ValueError) as error:
        raise GameError(f"the weights file {path} does not fit {game.name}: {error}") from error


def learned_evaluation(game: Game, knowledge: Knowledge, weights: LearnedWeights, name: str, order: Any) -> Evaluation:
    """The evaluation with these weights; raises ValueError or KeyError if they do not fit the game."""
    arrays = weights.arrays
    own = knowledge.features(game) if knowledge.features else None
    features = own or squares_from_tables(game, arrays)
    if features.name != weights.features or len(arrays["rows"]) != features.classes * features.count:
        raise ValueError(f"it was learned with the features {weights.features!r}, the game has {features.name!r}")
    if weights.model == PATTERNS and features.evaluation is not None:
        # Features that share a weight have it in the row of the first one; the other rows are 0.
        rows = arrays["rows"] if features.same is None else arrays["rows"][features.same]
        return features.evaluation(name, {"rows": rows, "factor": arrays["factor"]}, order)
    if (weights.model == NETWORKS) != (features.classes > 1):
        raise ValueError(f"it contains the model {weights.model!r}, and the game has {features.classes} classes")
    if weights.model == NETWORKS:
        return class_evaluation(name, features, arrays, order)
    return network_evaluation(name, features, arrays, order)
