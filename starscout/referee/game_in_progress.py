"""The referee of one game: chance, legality, clocks, forfeits, take-backs and the record.

Matches run a game to its end with `play_game`. The web page and the terminal step through the same `GameInProgress`:

    game = GameInProgress(start, (None, player), seed=7)    # None: a human moves this side
    game.begin()
    while not game.over:
        if game.human_to_move:
            game.submit_text(input())
        else:
            game.play_turn()
    record = game.finish()

A player that raises an error, answers late or chooses an illegal move forfeits the game. Errors in the game's own rules
raise GameError or CodeError instead.

Chance: the random word of ply n depends only on the seed, the pair and n, and an event is drawn with it by weight. In a
game with `deal`, it depends on the position instead of n. A take-back repeats the event in both cases.
"""

import hashlib
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from starscout import games
from starscout.errors import exception_text, is_interrupt, printable, suppress_errors, user_code_error
from starscout.game import NOT_ROLLED, GameError, Outcome, Position
from starscout.game.state import State, parse
from starscout.kernels.bits import Word, below, random_word
from starscout.kernels.kernel import kernel
from starscout.players.player import Decision, Limits, Player, PlayerError, Players, merged
from starscout.records.record import ADJOURNED, GameRecord, Ply
from starscout.referee.adjudication import Adjudication
from starscout.referee.clock import MAX_WITHHELD, Clock, time_withheld
from starscout.search.limits import Limit
from starscout.settings.options import read_whole

_PLAYER_COUNTER = Word(1 << 32)
_SIDE_SHIFT = Word(1)


@kernel
def _die(seed: Word, pair: Word, ply: Word, faces: int) -> int:
    return 1 + below(random_word(random_word(seed, pair), ply), faces)


@kernel
def _player_seed(seed: Word, pair: Word, half: Word, side: Word) -> Word:
    return random_word(random_word(seed, pair), _PLAYER_COUNTER + (half << _SIDE_SHIFT) + side)


def die(seed: int, pair: int, ply: int, faces: int) -> int:
    """The roll of a ply, from 1 to `faces`; plies count from 0."""
    return int(_die(Word(seed), Word(pair), Word(ply), faces))


def chance_word(seed: int, *numbers: int) -> Word:
    """The random word of a pair, or of a ply of it, with which `Game.draw` draws an event."""
    word = Word(seed)
    for number in numbers:
        word = Word(random_word(word, Word(number)))
    return word


def player_seed(seed: int, pair: int, half: int, side: int) -> int:
    """The random seed of the player of a side in one game."""
    return int(_player_seed(Word(seed), Word(pair), Word(half), Word(side)))


def hidden_seed(seed: int) -> int:
    """A one-way hash of a seed, for code of users: `player_seed` can be inverted, which gives all rolls of the game."""
    return int.from_bytes(hashlib.blake2b(seed.to_bytes(8, "little"), digest_size=8).digest(), "little")


HUMAN = "you"
"""The name of a human in the record of a game against a player."""

MAX_DETAIL = 1000
"""Maximum length of the explanation of a forfeit."""

NO_LIMITS: Limits = (Limit(), Limit())

Seats = tuple[Player | None, Player | None]
"""The player of each side; None for a human."""


turn_reporter: Callable[[Player | None], None] | None = None
"""Called with a player that runs in another process before each call, and with None afterwards."""

ply_reporter: "ContextVar[Callable[[GameInProgress], None] | None]" = ContextVar("ply_reporter", default=None)
"""Called with the game before its first ply and after every ply, for live viewers."""

Answer = tuple[Decision, float, float]
"""A decision, its seconds, and how many of them were spent waiting for a processor."""


class GameInProgress:
    """A game between players or humans. The event of the current ply is always drawn."""

    def __init__(
        self,
        start: State,
        players: Seats,
        limits: Limits = NO_LIMITS,
        *,
        seed: int = 0,
        pair: int = 0,
        half: int = 0,
        dice: int | None = None,
        adjudication: Adjudication | None = None,
    ) -> None:
        """Set up a game from `start`, before its roll.

        The limit of a side holds for each of its moves, except that `clock` and `increment` are for the whole game; a
        player's own limit replaces it. The dice depend on the seed and on `dice` alone (by default the number of the
        pair); `half` only changes the random choices of the players. `adjudication` ends games early.
        """
        if start.over:
            raise GameError(f"the game is over before it begins, in {start.text!r}")
        if start.game.has_chance and start.roll != NOT_ROLLED:
            raise GameError(f"the referee rolls the dice, but {start.text!r} has a roll: write - instead of it")
        self.start, self.players = start, players
        self.seed, self._pair, self._half = seed, pair, half
        self._dice = pair if dice is None else dice
        self._adjudication = adjudication if adjudication is not None and adjudication.active else None
        first, second = (
            limit if player is None else player.bound(limit) for player, limit in zip(players, limits, strict=True)
        )
        self._limits: Limits = (first, second)
        self.clocks = Clock(first), Clock(second)
        self._timed = [limit.time is not None or limit.clock is not None for limit in self._limits]
        self._counting = any(limit.clock is not None for limit in self._limits)
        # Most players keep the default, which does nothing and need not be called at every ply.
        self._observers = [
            (side, player)
            for side, player in enumerate(players)
            if player is not None and type(player).observe is not Player.observe
        ]
        self._observing = [(0.0, 0.0), (0.0, 0.0)]
        """Seconds that each side spent observing moves since its last move, and waiting for a processor meanwhile."""
        self._plies: list[Ply] = []
        self.movers: list[int] = []
        """The side of each ply so far."""
        self.events: list[str] = []
        """The event of each ply so far in the game's notation; empty if there was none."""
        self._outcome: Outcome | None = None
        self._detail = ""
        self._finished = False
        rules = start.game
        self._deal = None if rules.deal is None else rules.deal(start.position, int(chance_word(seed, self._dice)))
        self._enter(start.position, 0, (), start.history)
        self._outcome = self._result

    @classmethod
    def resume(cls, record: GameRecord, player: Player) -> "GameInProgress":
        """Continue an adjourned game of a human against `player`; raises GameError."""
        rules = games.find(record.game)
        seats = (None, player) if human_side(record) == 0 else (player, None)
        game = cls(parse(rules, record.start), seats, seed=record.seed)
        game.begin()
        for number, ply in enumerate(record.plies, 1):
            if game.over:
                break
            if ply.roll != game.state.event:
                event = "event" if not rules.is_fair_die else "roll"
                raise GameError(
                    f"ply {number}: the record was changed: the {event} was {game.state.event}, not {ply.roll}"
                )
            if ply.move not in game.state.legal:
                raise GameError(f"ply {number}: {ply.text} is not a legal move in {game.state.text!r}")
            game.submit(Decision(ply.move))
            game._plies[-1] = ply
        return game

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The plies so far."""
        return tuple(self._plies)

    @property
    def outcome(self) -> Outcome | None:
        """The result by the rules or by a forfeit; None during the game."""
        return self._outcome

    @property
    def detail(self) -> str:
        """The explanation of a forfeit."""
        return self._detail

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules, by a forfeit or by adjournment."""
        return self._outcome is not None

    @property
    def human_to_move(self) -> bool:
        """Whether the game waits for a human's move."""
        return self._outcome is None and self.players[self.mover] is None

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two sides; two humans are named after the sides."""
        one, other = self.players
        if one is None and other is None:
            return self.start.game.sides
        return HUMAN if one is None else one.name, HUMAN if other is None else other.name

    def begin(self) -> None:
        """Prepare the players. No clock runs; a player that fails forfeits the game."""
        for side, player in enumerate(self.players):
            if player is None:
                continue
            player.limits = self._limits
            seed = player_seed(self.seed, self._dice, self._half, side)
            try:
                self._call(player.new_game, self.start.game, seed if player.trusted else hidden_seed(seed))
                self._call(player.begin, self.start, side)
            except PlayerError as failure:
                self.forfeit(side, failure.reason, failure.detail)
                return

    def play_turn(self, level: Limit | None = None) -> None:
        """Ask the player to move and play its move; a player that fails forfeits the game."""
        try:
            decision, seconds, withheld = self.think(level)
        except PlayerError as failure:
            self.forfeit(self.mover, failure.reason, failure.detail)
            return
        self.submit(decision, seconds, withheld)

    def think(self, level: Limit | None = None) -> Answer:
        """Ask the player to move. The game does not change, so this may run in another thread.

        `level` limits the search further; the clock does not enforce it. Raises PlayerError if the player fails.
        """
        state, mover = self.state, self.mover
        player: Any = self.players[mover]
        if self._counting:
            player.limits = self.clocks[0].limit(), self.clocks[1].limit()
        limit = player.limits[mover] if level is None else merged(player.limits[mover], level)
        decision, seconds, withheld = self._measured(mover, player.choose, state, limit)
        # Charge the time for observing moves, during which a player could think.
        observing, waiting = self._observing[mover]
        self._observing[mover] = 0.0, 0.0
        return decision, seconds + observing, withheld + waiting

    def _measured(self, side: int, method: Callable[..., Any], *arguments: Any) -> tuple[Any, float, float]:
        """Call a player; return its answer, its seconds, and the seconds for which it waited for a processor."""
        player: Any = self.players[side]
        timed = self._timed[side]
        waited = time_withheld() if timed else 0.0
        began = time.perf_counter()
        answer = self._call(method, *arguments)
        seconds = time.perf_counter() - began
        if not timed:
            return answer, seconds, 0.0
        withheld = max(time_withheld() - waited, player.withheld, 0.0)
        return answer, seconds, withheld if player.local else min(withheld, MAX_WITHHELD)

    def submit_text(self, text: str, seconds: float = 0.0) -> None:
        """Submit a human's move, given as text or as its number in the list of moves, from 1.

        Raises GameError if it is not legal; the human may try again.
        """
        state, typed = self.state, text.strip()
        number = read_whole(typed, 1, len(state.legal))
        self.submit(Decision(state.parse_move(typed) if number is None else state.legal[number - 1]), seconds)

    def submit(self, decision: Decision, seconds: float = 0.0, withheld: float = 0.0) -> None:
        """Charge the clock, then play the move; late and illegal moves forfeit the game.

        Raises GameError if the game is over, and if the rules are wrong in the position that the move leads to.
        """
        if self._outcome is not None:
            raise GameError(f"the game is over: {self._outcome.reason}")
        state, mover = self.state, self.mover
        if not isinstance(decision, Decision):
            self.forfeit(mover, "crash", f"{self.names[mover]} answered {decision!r}, which is not a Decision")
            return
        move = decision.move
        if not self.clocks[mover].charge(seconds, withheld):
            self.forfeit(mover, "timeout", f"{self.names[mover]} answered after {seconds:.2f} s in {state.text!r}")
            return
        if move not in self._legal:
            self.forfeit(
                mover,
                "illegal move",
                f"{self.names[mover]} chose {move!r}, which is not a legal move in {state.text!r}",
            )
            return
        game, position, plies = state.game, state.position, self._plies
        text, event = game.format_move(position, move), state.event_text or ""
        squares = game.move_squares(position, move)
        history = (*state.history, position) if game.repetition else ()
        self._enter(game.play_position(position, move), len(plies) + 1, squares, history)
        reported = decision.value, decision.depth, decision.nodes, decision.simulations
        plies.append(Ply(state.event, text, move, seconds, *reported))
        self.movers.append(mover)
        self.events.append(event)
        for side, observer in self._observers:
            try:
                _, seconds, withheld = self._measured(side, observer.observe, state, move)
            except PlayerError as failure:
                self.forfeit(side, failure.reason, failure.detail)
                return
            if self._timed[side]:
                before, waiting = self._observing[side]
                self._observing[side] = before + seconds, waiting + withheld
        self._outcome = self._result
        if self._adjudication is not None and self._outcome is None:
            self._outcome = self._adjudication.outcome(plies, self.movers)

    def _enter(self, position: Position, ply: int, squares: tuple[int, ...], history: tuple[Position, ...]) -> None:
        """Enter a position and draw its event; raises GameError if the rules are wrong there.

        The legal moves are computed here, so that no clock runs while they are compiled. A game that is over has none.
        """
        start = self.start
        game, number = start.game, start.ply + ply
        if game.is_fair_die and not game.resolves:
            roll = die(self.seed, self._dice, ply, game.faces) if game.has_chance else start.roll
            event = roll if game.has_chance else NOT_ROLLED
            state = State(game, position, roll, number, squares, event=event, history=history)
        else:
            state = State(game, position, NOT_ROLLED, number, squares, history=history)
            if state.needs_roll:
                state = state.rolled(self._event(position, ply))
        legal = state.legal
        self._result: Outcome | None = None
        if not legal:
            state.check_moves()
            self._result = state.outcome
            if not game.resolves and game.has_chance:
                # The game was over before the event, which therefore never happened.
                state = State(game, position, NOT_ROLLED, number, squares, history=history)
        elif ply >= game.max_plies:
            rules = game.file or game.name
            raise GameError(
                f"{rules}: a game continues after max_plies = {game.max_plies}; "
                f"`starscout laws {rules}` checks the rules"
            )
        self.state, self.mover, self._legal = state, state.mover, legal

    def _event(self, position: Position, ply: int) -> int:
        """The event of a position in which chance is not a die beside the board."""
        game = self.start.game
        if self._deal is not None:
            return int(self._deal(position))
        return int(game.draw(position, chance_word(self.seed, self._dice, ply)))

    def forfeit(self, side: int, reason: str, detail: str = "") -> None:
        """End the game as a loss of `side`, for a reason in FORFEITS; no effect if it is over.

        A forfeit loses the largest number of points, so that it never costs less than playing on.
        """
        if self._outcome is None:
            outcome = Outcome(1 - side, reason, self.start.game.points)
            self._outcome, self._detail = outcome, printable(detail, MAX_DETAIL)

    def resign(self) -> None:
        """Resign for the human; with two humans, for the one to move."""
        side = self.mover if self.players[self.mover] is None else 1 - self.mover
        self.forfeit(side, "resigned")

    def adjourn(self) -> None:
        """Stop a game that is not over; `resume` continues its record."""
        if self._outcome is None:
            self._outcome = Outcome(None, ADJOURNED)

    def take_back(self) -> None:
        """Return to the human's previous turn; raises GameError if there is none."""
        states = [self.start]
        for ply in self._plies:
            states.append(states[-1].rolled(ply.roll).play(ply.move))
        turns = [turn for turn, mover in enumerate(self.movers) if self.players[mover] is None]
        if not turns:
            raise GameError("nothing to take back: you have not moved yet", code="nothing_to_take_back")
        for player in self.players:
            if player is not None and not player.supports_take_back:
                raise GameError(f"{player.name} cannot take moves back", code="cannot_take_back", player=player.name)
        for played in (self._plies, self.movers, self.events):
            del played[turns[-1] :]
        before = states[turns[-1]]
        self._enter(before.position, turns[-1], before.last_squares, before.history)
        self._outcome, self._detail, self._finished = None, "", False

    def record(self) -> GameRecord:
        """The record so far; a game that is not over is adjourned."""
        start, outcome = self.start, self._outcome or Outcome(None, ADJOURNED)
        end = outcome.winner, outcome.reason, self._detail
        numbers = self.seed, self._pair, self._half
        left = self.clocks[0].left, self.clocks[1].left
        source = games.source_digest(start.game)
        return GameRecord(
            start.game.name, start.text, self.names, tuple(self._plies), *end, *numbers, source=source, left=left,
            points=outcome.points, final_event=self.state.event if self._result is not None else NOT_ROLLED,
        )  # fmt: skip

    def finish(self) -> GameRecord:
        """Report the result to the players, once, ignoring their errors; return the record."""
        record = self.record()
        for player in self.players:
            if player is not None and not self._finished:
                with suppress_errors():
                    player.end(record.winner, record.reason, record.detail)
        self._finished = True
        return record

    def close(self) -> None:
        """Release the players' resources."""
        for player in self.players:
            if player is not None:
                player.close()

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a player; its errors, except those in the game's own file, become PlayerError."""
        try:
            if turn_reporter is None:
                return function(*arguments)
            return _reported(turn_reporter, function, *arguments)
        except PlayerError:
            raise
        except BaseException as error:
            if is_interrupt(error):
                raise
            fault = None if isinstance(error, GameError) else user_code_error(error)
            file = self.start.game.file
            if fault is not None and file and fault.is_beside(file):
                raise fault from error
            raise PlayerError("crash", exception_text(error)) from error


def _reported(report: Callable[[Player | None], None], function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a method of a player and report whose turn it is meanwhile."""
    player: Any = getattr(function, "__self__", None)
    report(None if player is None or player.local else player)
    answer = function(*arguments)
    report(None)
    return answer


def play_game(
    start: State,
    players: Players,
    limits: Limits,
    *,
    seed: int = 0,
    pair: int = 0,
    half: int = 0,
    dice: int | None = None,
    adjudication: Adjudication | None = None,
) -> GameRecord:
    """Play a game between two players to its end; the arguments are those of `GameInProgress`."""
    game = GameInProgress(start, players, limits, seed=seed, pair=pair, half=half, dice=dice, adjudication=adjudication)
    game.begin()
    report = ply_reporter.get()
    if report is not None:
        report(game)
    while not game.over:
        game.play_turn()
        if report is not None:
            report(game)
    return game.finish()


def human_side(record: GameRecord) -> int:
    """The human's side in the record of an adjourned game; raises GameError."""
    if record.reason != ADJOURNED or HUMAN not in record.players:
        raise GameError("the record is not an adjourned game of a human against a player")
    return record.players.index(HUMAN)
