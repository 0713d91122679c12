"""Checks of a game's knowledge: whether values, move orders and move classes are in range."""

import random

from starscout.evaluation import (
    FIRST_CLASS,
    LAST_CLASS,
    ORDINARY,
    Evaluation,
    knowledge_of,
    load_evaluation,
    move_classes,
)
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.game.laws import LawBrokenError, is_whole, random_game
from starscout.game.values import ONE

GREATEST_ORDER = 1000


def check_knowledge(game: Game, games: int = 5, seed: int = 0) -> None:
    """Check the evaluations and move classes of a game along random games; raises LawBrokenError."""
    evaluations = [load_evaluation(game, name) for name in knowledge_of(game).evaluations]
    for evaluation in evaluations:
        if not isinstance(evaluation, Evaluation):
            raise LawBrokenError(f"{game.name}: {evaluation!r} is not an Evaluation(name, kernel)")
    for number in range(games):
        generator = random.Random(f"{seed} {number}")
        for position in random_game(game, generator):
            if game.outcome(position) == ONGOING:
                event = generator.choice(list(game.event_weights(position)) or [NOT_ROLLED if game.has_chance else 1])
                decision = game.resolve_position(position, event)
                moves = game.legal(decision, event)
                for evaluation in evaluations:
                    if game.resolves:
                        _check_evaluation(game, evaluation, position, [])
                    if moves:
                        _check_evaluation(game, evaluation, decision, moves)
                _check_classes(game, decision, moves)


def _check_evaluation(game: Game, evaluation: Evaluation, position: Position, moves: list[int]) -> None:
    value = evaluation.value(position)
    where = f"(in {game.format(position, 0)!r})"
    if not is_whole(value) or not -ONE < value < ONE:
        raise LawBrokenError(
            f"{game.name}: the evaluation {evaluation.name!r} returns {value!r}: expected an integer between "
            f"−ONE and ONE = 2⁴⁴ {where}"
        )
    for move in moves:
        order = evaluation.order(position, move)
        if not is_whole(order) or not 0 <= order <= GREATEST_ORDER:
            raise LawBrokenError(
                f"{game.name}: the order of {evaluation.name!r} returns {order!r} for move {move}: expected 0 to "
                f"{GREATEST_ORDER} {where}"
            )


def _check_classes(game: Game, position: Position, moves: list[int]) -> None:
    classify = move_classes(game)
    if classify is None:
        return
    for move in moves:
        kind = classify(position, move)
        if not is_whole(kind) or kind not in (FIRST_CLASS, ORDINARY, LAST_CLASS):
            raise LawBrokenError(
                f"{game.name}: the class of move {move} is {kind!r}: expected FIRST_CLASS, ORDINARY or LAST_CLASS "
                f"(in {game.format(position, 0)!r})"
            )
