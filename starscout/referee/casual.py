"""A game between a person and a player, or between two people at one board; they may take back, resign or adjourn.

Taking a move back does not change the die of any ply, so nobody can roll again. Clocks run only where the limits have
them.
"""

import secrets
import time

from starscout import games
from starscout.game import Game, GameError, Outcome
from starscout.game.state import State, parse
from starscout.players.player import Decision, Limits, Player, merged
from starscout.records.record import ADJOURNED, GameRecord, Ply
from starscout.referee.clock import Clock
from starscout.referee.dice import die, player_seed
from starscout.referee.openings import series_start
from starscout.search.limits import Limit
from starscout.settings.numbers import read_whole

PERSON = "you"
NO_LIMITS: Limits = (Limit(), Limit())


class CasualGame:
    """The person has one side, the player the other. The die of the side to move is always rolled."""

    def __init__(
        self,
        start: State,
        player: Player | None,
        side: int,
        seed: int | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        self.side = side
        """The person's side."""
        self.seed = secrets.randbits(32) if seed is None else seed
        self.player = player
        """None: people have both sides."""
        self.start = start
        self.clocks = Clock(limits[0]), Clock(limits[1])
        self._states = [self._rolled(start, 0)]
        self._plies: list[Ply] = []
        self._given_up: Outcome | None = None
        """How the game ended before its rules ended it."""
        if player is not None:
            player.new_game(start.game, player_seed(self.seed, 0, 0, 1 - side))
            player.begin(start, 1 - side)

    @property
    def state(self) -> State:
        """The state now."""
        return self._states[-1]

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The plies so far."""
        return tuple(self._plies)

    @property
    def outcome(self) -> Outcome | None:
        """Who won and why; None while the game goes on."""
        return self._given_up or self.state.outcome

    @property
    def over(self) -> bool:
        """Whether the game is decided, resigned or lost on time."""
        return self.outcome is not None

    @property
    def persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.over and (self.player is None or self.state.mover == self.side)

    @property
    def opponent(self) -> str:
        """The name of the player; between two people, of the other side."""
        return self.start.game.sides[1 - self.side] if self.player is None else self.player.name

    @property
    def last(self) -> Ply | None:
        """The last ply, whoever played it."""
        return self._plies[-1] if self._plies else None

    def play(self, text: str, seconds: float = 0.0) -> None:
        """Play a person's move, given as text or as its number in the list of moves, from 1; raises GameError.

        A move that comes too late by the clock is not played: the game is lost.
        """
        state = self.state
        word = text.strip()
        number = read_whole(word, 1, len(state.legal))
        move = state.parse_move(word) if number is None else state.legal[number - 1]
        self.accept(Decision(move), seconds)

    def answer(self, limit: Limit) -> Decision:
        """Play and return the player's move; the caller handles whatever the player raises."""
        decision, seconds = self.think(limit)
        self.accept(decision, seconds)
        return decision

    def think(self, limit: Limit) -> tuple[Decision, float]:
        """What the player would do, and how long it thought; the game stays as it is."""
        assert self.player is not None
        began = time.perf_counter()
        decision = self.player.choose(self.state, merged(self.clocks[self.state.mover].limit(), limit))
        return decision, time.perf_counter() - began

    def accept(self, decision: Decision, seconds: float) -> None:
        """Play a move that took this long; raises GameError when it is not legal."""
        state, move = self.state, decision.move
        following = state.play(move)
        if not self.clocks[state.mover].charge(seconds):
            self.lose_on_time()
            return
        if self.player is not None:
            self.player.observe(state, move)
        reached = self._rolled(following, len(self._plies) + 1)
        roll, text = state.roll if state.game.has_dice else 0, state.game.format_move(state.position, move)
        reported = decision.value, decision.depth, decision.nodes, decision.simulations
        self._plies.append(Ply(roll, text, move, seconds, *reported))
        self._states.append(reached)

    def take_back(self) -> None:
        """Go back to the person's previous turn; raises GameError if there is none."""
        turn = len(self._plies) - 1
        while turn >= 0 and self.player is not None and self._states[turn].mover != self.side:
            turn -= 1
        if turn < 0:
            raise GameError("there is nothing to take back: you have not moved yet")
        if self.player is not None and not self.player.goes_back:
            raise GameError(f"{self.player.name} cannot take moves back")
        del self._states[turn + 1 :], self._plies[turn:]
        self._given_up = None

    def resign(self) -> None:
        """The person gives up; of two people the one to move."""
        self._give_up(self.state.mover if self.player is None else self.side, "resigned")

    def lose_on_time(self) -> None:
        """The side to move has used up its clock."""
        self._give_up(self.state.mover, "timeout")

    def _give_up(self, loser: int, reason: str) -> None:
        if not self.over:
            self._given_up = Outcome(1 - loser, reason)

    def record(self) -> GameRecord:
        """The record of the game so far; if it is not over, it is adjourned."""
        outcome = self.outcome or Outcome(None, ADJOURNED)
        winner, reason = outcome.winner, outcome.reason
        names = self.start.game.sides if self.player is None else (PERSON, self.player.name)
        if self.player is not None and self.side == 1:
            names = self.player.name, PERSON
        game, plies, source = self.start.game.name, tuple(self._plies), games.source_digest(self.start.game)
        return GameRecord(game, self.start.text, names, plies, winner, reason, seed=self.seed, source=source)

    def finish(self) -> None:
        """Tell the player how it ended."""
        record = self.record()
        if self.player is not None:
            self.player.end(record.winner, record.reason, "")

    def close(self) -> None:
        """Release what the player holds."""
        if self.player is not None:
            self.player.close()

    def _rolled(self, state: State, ply: int) -> State:
        """The state with its die rolled; raises GameError when the rules then list no moves."""
        rolled = state.rolled(die(self.seed, 0, ply, state.game.faces)) if state.needs_roll else state
        rolled.check_moves()
        return rolled


def new_casual_game(game: Game, player: Player | None, side: int, seed: int | None = None) -> CasualGame:
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
        casual.accept(Decision(ply.move, ply.value, ply.depth, ply.nodes, ply.simulations), ply.seconds)
    return casual
