"""A game between a person and a player, without a clock for the person, who may take back, resign or adjourn.

Taking a move back does not change the die of any ply, so nobody can roll again.
"""

import secrets
import time

from starscout import games
from starscout.game import Game, GameError
from starscout.numbers import read_whole
from starscout.players.player import Decision, Player
from starscout.records.record import ADJOURNED, GameRecord, Ply
from starscout.referee.dice import die, player_seed
from starscout.referee.starts import series_start
from starscout.search.limits import Limit
from starscout.state import State, parse

PERSON = "you"


class CasualGame:
    """The person has one side, the player the other. The die of the side to move is always rolled."""

    def __init__(self, start: State, player: Player, side: int, seed: int | None = None) -> None:
        self.side = side
        """The person's side."""
        self.seed = secrets.randbits(32) if seed is None else seed
        self.player = player
        self.start = start
        self._states = [self._rolled(start, 0)]
        self._plies: list[Ply] = []
        self._resigned = False
        player.new_game(start.game, player_seed(self.seed, 0, 0, 1 - side))
        player.begin(start, 1 - side)

    @property
    def state(self) -> State:
        """The state now."""
        return self._states[-1]

    @property
    def over(self) -> bool:
        """Whether the game is decided or resigned."""
        return self._resigned or self.state.over

    @property
    def persons_turn(self) -> bool:
        """Whether the person is to move."""
        return not self.over and self.state.mover == self.side

    @property
    def last(self) -> Ply | None:
        """The last ply, whoever played it."""
        return self._plies[-1] if self._plies else None

    def play(self, text: str) -> None:
        """Play the person's move, given as text or as its number in the list of moves, from 1; raises GameError."""
        state = self.state
        word = text.strip()
        number = read_whole(word, 1, len(state.legal))
        move = state.parse_move(word) if number is None else state.legal[number - 1]
        self._add(Decision(move), 0.0)

    def answer(self, limit: Limit) -> Decision:
        """Play and return the player's move; the caller handles whatever the player raises."""
        began = time.perf_counter()
        decision = self.player.choose(self.state, limit)
        self._add(decision, time.perf_counter() - began)
        return decision

    def take_back(self) -> None:
        """Go back to the person's previous turn; raises GameError if there is none."""
        turn = len(self._plies) - 1
        while turn >= 0 and self._states[turn].mover != self.side:
            turn -= 1
        if turn < 0:
            raise GameError("there is nothing to take back: you have not moved yet")
        if not self.player.goes_back:
            raise GameError(f"{self.player.name} cannot take moves back")
        del self._states[turn + 1 :], self._plies[turn:]

    def resign(self) -> None:
        """The person gives up."""
        self._resigned = True

    def record(self) -> GameRecord:
        """The record of the game so far; if it is not over, it is adjourned."""
        outcome = self.state.outcome
        if self._resigned:
            winner, reason = 1 - self.side, "resigned"
        elif outcome is not None:
            winner, reason = outcome.winner, outcome.reason
        else:
            winner, reason = None, ADJOURNED
        names = (PERSON, self.player.name) if self.side == 0 else (self.player.name, PERSON)
        game, plies, source = self.start.game.name, tuple(self._plies), games.source_digest(self.start.game)
        return GameRecord(game, self.start.text, names, plies, winner, reason, seed=self.seed, source=source)

    def finish(self) -> None:
        """Tell the player how it ended."""
        record = self.record()
        self.player.end(record.winner, record.reason, "")

    def _add(self, decision: Decision, seconds: float) -> None:
        state, move = self.state, decision.move
        following = state.play(move)
        self.player.observe(state, move)
        roll, text = state.roll if state.game.has_dice else 0, state.game.format_move(state.position, move)
        reported = decision.value, decision.depth, decision.nodes, decision.simulations
        self._plies.append(Ply(roll, text, move, seconds, *reported))
        self._states.append(self._rolled(following, len(self._plies)))

    def _rolled(self, state: State, ply: int) -> State:
        return state.rolled(die(self.seed, 0, ply, state.game.faces)) if state.needs_roll else state


def new_casual_game(game: Game, player: Player, side: int, seed: int | None = None) -> CasualGame:
    """A new game from a start that the seed draws."""
    seed = secrets.randbits(32) if seed is None else seed
    return CasualGame(series_start(game, seed, 0), player, side, seed)


def persons_side(record: GameRecord) -> int:
    """Which side the person has in an adjourned game; raises GameError."""
    if record.reason != ADJOURNED or PERSON not in record.players:
        raise GameError("the file does not hold an adjourned game of yours")
    return record.players.index(PERSON)


def resumed_casual_game(record: GameRecord, player: Player) -> CasualGame:
    """An adjourned game, continued; raises GameError when its plies are not legal."""
    game = games.find(record.game)
    casual = CasualGame(parse(game, record.start), player, persons_side(record), record.seed)
    for ply in record.plies:
        if game.has_dice and ply.roll != casual.state.roll:
            raise GameError(f"the file was changed: the roll was {casual.state.roll}, not {ply.roll}")
        casual._add(Decision(ply.move, ply.value, ply.depth, ply.nodes, ply.simulations), ply.seconds)
    return casual
