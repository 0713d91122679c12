"""`random`: every legal move with equal chances; the weakest baseline of every course."""

from dataclasses import dataclass

from starscout.game import Game
from starscout.game.state import State
from starscout.kernels.bits import Word, below, random_word
from starscout.players.player import Decision, Player
from starscout.search.limits import Limit


@dataclass(frozen=True)
class Options:
    """No options."""


class RandomPlayer(Player):
    """Chooses by a counter-based generator: the choice depends on the seed and the ply alone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._seed = 0

    def new_game(self, game: Game, seed: int) -> None:
        self._seed = seed
        self._index(0, 1)  # loads the kernels before any clock runs

    def choose(self, state: State, limit: Limit) -> Decision:
        legal = state.legal
        return Decision(legal[self._index(state.ply, len(legal))])

    def _index(self, ply: int, count: int) -> int:
        """A random index below `count` for a ply."""
        return int(below(Word(random_word(Word(self._seed), Word(ply))), count))


def make(game: Game, options: Options, name: str) -> RandomPlayer:
    """A random mover."""
    return RandomPlayer(name)
