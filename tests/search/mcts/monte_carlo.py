"""Searches for the tests, with the knowledge that players give them."""

from typing import Any

from starscout.evaluation import move_classes
from starscout.game import Game
from starscout.search.mcts import MctsSearch, Settings
from starscout.search.mcts.playout import MctsKnowledge, all_ordinary


def monte_carlo(game: Game, seed: int = 1, **settings: Any) -> MctsSearch:
    """A search with a small tree."""
    settings = {"nodes": 100_000, **settings}
    search = MctsSearch(game, Settings(**settings), MctsKnowledge(classify=move_classes(game) or all_ordinary))
    search.reset(seed)
    return search
