"""Upper bound for learned evaluations: exact score of perfect play against a player.

    python benchmarks/learned_ceiling.py [GAME [PLAYER …]]

All positions are solved, then the player is queried once for every reachable decision. No learned evaluation can score
more against the player than the best response, which exploits its mistakes; perfect play does not exploit them.
"""

import functools
import sys
from collections.abc import Callable, Mapping

from starscout import games
from starscout.game import ONGOING, Game, Position, state
from starscout.players.spec import make_player
from starscout.search.limits import Limit

PLAYERS = (
    "random",
    "negascout depth=1 eval=zero table=0",
    "negascout depth=2 eval=zero table=0",
    "negascout depth=3 eval=zero table=0",
    "negascout eval=zero table=12 nodes=2000",
)

Choices = Callable[[Position, int], list[int]]
"""(position, roll) → moves of a player, each with equal probability."""


class Solved:
    """Exact values of a game: the mover's win probability before the roll."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rolls = range(1, game.faces + 1)
        self._values: dict[Position, float] = {}
        self.moves = functools.cache(self._moves)

    def _moves(self, position: Position, roll: int) -> Mapping[int, Position]:
        """Return every legal move with its successor."""
        legal = state.from_position(self.game, position, roll).legal
        return {move: self.game.play_position(position, move) for move in legal}

    def value(self, position: Position) -> float:
        """Return the mover's win probability with perfect play."""
        if (over := chance_at_end(self.game, position)) is not None:
            return over
        if position not in self._values:
            best = (max(1 - self.value(child) for child in self.moves(position, roll).values()) for roll in self.rolls)
            self._values[position] = sum(best) / self.game.faces
        return self._values[position]

    def perfect(self, position: Position, roll: int) -> int:
        return max((1 - self.value(child), move) for move, child in self.moves(position, roll).items())[1]

    def score(self, choices: Choices, *, perfect: bool) -> float:
        """Return the score of perfect play, or of the best response, over both seats."""

        @functools.cache
        def chance(position: Position, ours: bool) -> float:
            over = chance_at_end(self.game, position)
            if over is not None:
                return over if ours else 1 - over
            total = 0.0
            for roll in self.rolls:
                children = self.moves(position, roll)
                if not ours:
                    chosen = choices(position, roll)
                    total += sum(chance(children[move], True) for move in chosen) / len(chosen)
                elif perfect:
                    total += chance(children[self.perfect(position, roll)], False)
                else:
                    total += max(chance(child, False) for child in children.values())
            return total / self.game.faces

        first = self.game.start_position()
        return (chance(first, True) + chance(first, False)) / 2


def chance_at_end(game: Game, position: Position) -> float | None:
    """Return the mover's score if the game is over."""
    outcome = game.outcome(position)
    return None if outcome == ONGOING else (outcome + 1) / 2


def choices_of(game: Game, text: str) -> Choices:
    player = make_player(text, game)

    @functools.cache
    def choices(position: Position, roll: int) -> list[int]:
        now = state.from_position(game, position, roll)
        if text == "random":
            return now.legal
        player.new_game(game, 0)
        return [player.choose(now, Limit()).move]

    return choices


def main(name: str, texts: list[str]) -> None:
    game = games.load(name)
    solved = Solved(game)
    print(f"{name}: the first mover wins {solved.value(game.start_position()):.4f} with perfect play on both sides")
    print(f"{'against':45}{'perfect play':>14}{'best response':>14}")
    for text in texts:
        choices = choices_of(game, text)
        scores = [solved.score(choices, perfect=perfect) for perfect in (True, False)]
        print(f"{text:45}{scores[0]:14.4f}{scores[1]:14.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "examples/dice_race.py", sys.argv[2:] or list(PLAYERS))
