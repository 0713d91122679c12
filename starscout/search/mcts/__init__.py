"""Monte-Carlo tree search, with and without dice: one loop, and the rules that plug into it."""

from starscout.search.mcts.playout import MctsKnowledge
from starscout.search.mcts.search import MctsSearch
from starscout.search.mcts.settings import Settings

__all__ = ["MctsKnowledge", "MctsSearch", "Settings"]
