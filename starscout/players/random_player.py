"""`random`: chooses among the legal moves uniformly; the weakest baseline."""

from dataclasses import dataclass

from starscout.game import Game
from starscout.game.state import State
from starscout.kernels.bits import Word, below, random_word
from starscout.kernels.kernel import kernel
from starscout.players.player import Decision, Player
from starscout.search.limits import Limit


@dataclass(frozen=True)
class Options:
    """No options."""


@kernel
def _index(seed: Word, ply: Word, count: int) -> int:
    return below(random_word(seed, ply), count)


class RandomPlayer(Player):
    """Chooses with a counter-based generator: the move depends only on the seed and the ply."""

    trusted = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._seed = Word(0)

    def new_game(self, game: Game, seed: int) -> None:
        self._seed = Word(seed)
        _index(self._seed, Word(0), 1)  # loads the kernel before any clock runs

    def choose(self, state: State, limit: Limit) -> Decision:
        legal = state.legal
        return Decision(legal[_index(self._seed, Word(state.ply), len(legal))])


def make(game: Game, options: Options, name: str) -> RandomPlayer:
    """Create a random player."""
    return RandomPlayer(name)
