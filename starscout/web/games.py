"""Tables: games that users play on the page, against a player or against each other.

The server rolls the dice and keeps the clocks; pages send only the actions of their users. A seat belongs to the
browser that created the table or, at a table with an invitation, to the first other browser that opens its link; all
others watch. A table outlives its pages and the server: it is saved after every change and restored when needed.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from starscout.drawing.svg import input_squares
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError
from starscout.game.state import State, parse
from starscout.players.player import Decision, Player, PlayerError
from starscout.players.spec import describe
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress
from starscout.search.limits import Limit
from starscout.web.board import last_squares, outcome_json, plies_json, state_json
from starscout.web.catalogue import Offer
from starscout.web.searches import Client, EngineError, Job, SearchPool
from starscout.web.setup import Setup, first_state, with_exchange
from starscout.web.warming import QuickJob, Warming
from starscout.web.worker import Seat, StoppedError

GRACE_SECONDS = 5.0
"""Time until the search of a table without viewers is stopped; long enough for a reload of the page."""
LONG_SECONDS = 5.0
"""Longest search of an opponent that takes precedence over other work."""
RETRIES = 2
"""Maximum number of times that a search is repeated because the engine process died."""


@dataclass
class Request:
    """A request of one side that the other side has to answer."""

    what: str
    side: int


class Opponent(Player):
    """Placeholder for a player that runs in the engine process."""

    def __init__(self, offer: Offer, game: Game) -> None:
        described = describe(offer.spec, game, check=False)
        self.name = offer.spec
        self.limit = described.limit
        self.supports_take_back = described.starts_anywhere

    def choose(self, state: State, limit: Limit) -> Decision:
        """Not used: the engine process chooses the moves."""
        raise NotImplementedError


class Table:
    """One game. Everything runs in the thread of the event loop; searches run in the engine process."""

    def __init__(
        self, setup: Setup, owner: Client, pool: SearchPool, warming: Warming, changed: Callable[["Table"], None],
        name: str = "",
    ) -> None:  # fmt: skip
        self.name = name or secrets.token_urlsafe(9)
        self.setup, self.owner = setup, owner
        self._pool, self._warming, self._changed = pool, warming, changed
        seats: list[str | None] = [owner.id, owner.id]
        if setup.invite or setup.opponent is not None:
            seats[1 - setup.side] = None
        self.seats = seats
        """The browser of each side; None for a player and for an open invitation."""
        self._seed = secrets.randbits(63)
        self._start = first_state(setup, self._seed)
        self._game: GameInProgress | None = None
        self._search: Job | QuickJob | None = None
        self._retries = 0
        self._turn_began = 0.0
        self._flag_fall: asyncio.TimerHandle | None = None
        self._grace_period: asyncio.TimerHandle | None = None
        self._failure = ""
        """The error in the rules of the game that stopped it."""
        self._quick: set[int] = set()
        """Plies of the opponent that were chosen in plain Python."""
        self._marked: tuple[tuple[int, ...], tuple[int, ...]] = (), ()
        """The moves of the game, and the squares of the last one."""
        self._passes: set[int] = set()
        """Plies that were passed automatically."""
        self.request: Request | None = None
        """An open request between two users."""
        self.rematch = ""
        """The table of the next game."""
        self.viewers = 0

    # Views for pages.

    def sides_of(self, client: str) -> tuple[int, ...]:
        """The sides that a browser plays; empty for spectators."""
        return tuple(side for side in (0, 1) if self.seats[side] == client)

    def to_json(self, turned: bool, sides: tuple[int, ...] = (0, 1)) -> dict[str, Any]:
        """The state of the table for a page that plays these sides."""
        game, setup = self._game, self.setup
        state = self._start if game is None else game.state
        outcome = None if game is None else game.outcome
        left = None if game is None or game.clocks[0].left is None else [clock.left for clock in game.clocks]
        running = self._running_side()
        if left is not None and running is not None and left[running] is not None:
            left[running] = max(0.0, (left[running] or 0.0) - (time.monotonic() - self._turn_began))
        described = state_json(state, turned=turned, last=self._last_squares())
        if not self._can_move() or state.mover not in sides:
            described["moves"] = []
        return described | {
            "push": "table",
            "table": self.name,
            "opponent": None if setup.opponent is None else setup.opponent.name,
            "label": setup.label,
            "side": setup.side,
            "yours": list(sides),
            "invite": setup.invite,
            "open": setup.invite and None in self.seats,
            "request": None if self.request is None else asdict(self.request),
            "rematch": self.rematch,
            "placing": game is None,
            "placement": knowledge_of(setup.game).set_up is not None,
            "thinking": self._search is not None,
            "loading": setup.opponent is not None and not self._warming.is_ready(setup.game, setup.opponent.spec),
            "over": None if outcome is None else outcome_json(setup.game, outcome),
            "failure": self._failure or _opponents_failure(game),
            "clocks": left,
            "running": running,
            "plies": [] if game is None else plies_json(game, self._quick, self._passes),
        }

    def _last_squares(self) -> tuple[int, ...] | None:
        """The squares of the last move in a game that does not name them; None: derived from the state."""
        game = self._game
        if game is None or not game.plies or game.state.last_squares:
            return None
        moves = tuple(ply.move for ply in game.plies)
        if self._marked[0] != moves:
            *_, after = game.record().states()
            self._marked = moves, last_squares(after)
        return self._marked[1]

    def _running_side(self) -> int | None:
        """The side whose clock runs."""
        game = self._game
        return None if game is None or game.over else game.mover

    def _can_move(self) -> bool:
        return self._game is not None and self._search is None and self._game.human_to_move and not self._failure

    # Actions of users.

    def join(self, client: str) -> tuple[int, ...]:
        """Take the open seat of an invitation; returns the sides of this browser."""
        if self.setup.invite and None in self.seats and client not in self.seats:
            self.seats[self.seats.index(None)] = client
            self._changed(self)
        return self.sides_of(client)

    def check_seat(self, client: str) -> tuple[int, ...]:
        """The sides of a browser; raises GameError for spectators."""
        sides = self.sides_of(client)
        if not sides:
            raise GameError("you are watching this game: only its players can do this", code="spectator")
        return sides

    def exchange(self, first: int, second: int) -> None:
        """Exchange two of the user's pieces before the game; raises GameError."""
        game = self.setup.game
        if self._game is not None or knowledge_of(game).set_up is None:
            raise GameError(
                "pieces can be placed only before the game, in games that allow it", code="placement_closed"
            )
        cells = game.cells(self._start.position)
        own = (0, 1) if self.setup.opponent is None else (self.setup.side,)
        if not (first < len(cells) and second < len(cells)) or cells[first].side not in own:
            raise GameError("only your own pieces can be exchanged", code="other_pieces")
        if cells[first].side != cells[second].side:
            raise GameError("only two pieces of the same side can be exchanged", code="mixed_pieces")
        self._start = with_exchange(self._start, first, second)
        self._changed(self)

    def begin(self) -> None:
        """Roll the dice, and start the opponent's search if it moves first."""
        if self._game is not None:
            raise GameError("the game has already begun", code="already_begun")
        self._game = self._new_game()
        self._next_turn()
        opponent = self.setup.opponent
        # Load the opponent while the user thinks.
        if opponent is not None and self._search is None and self._warming.is_ready(self.setup.game, opponent.spec):
            self._preparing = asyncio.ensure_future(self._prepare())

    async def _prepare(self) -> None:
        game = self._begun()
        try:
            await self._pool.run("prepare", self._seat(), lane="move", client=self.owner)
        except PlayerError as error:
            game.forfeit(1 - self.setup.side, error.reason, error.detail)
            self._next_turn()
        except Exception:
            # The search of the first move will fail in the same way and report it.
            return

    def _new_game(self) -> GameInProgress:
        setup = self.setup
        player = None if setup.opponent is None else Opponent(setup.opponent, setup.game)
        players = (None, player) if setup.side == 0 else (player, None)
        return GameInProgress(self._start, players, setup.clocks, seed=self._seed)

    def _seat(self) -> Seat:
        setup = self.setup
        assert setup.opponent is not None
        return Seat(
            self.name, setup.game.name, setup.opponent.spec, setup.side, self._start.text, self._seed, setup.clocks,
            setup.level.time or 0.0,
        )  # fmt: skip

    def play(self, ply: int, text: str, sides: tuple[int, ...] = (0, 1)) -> None:
        """Play a user's move, chosen in the position of `ply`; raises GameError."""
        game = self._begun()
        if ply != game.state.ply:
            raise GameError("the position has changed since this move was chosen", code="position_changed")
        if not self._can_move() or game.mover not in sides:
            raise GameError("it is not your turn", code="not_your_turn")
        game.submit_text(text, time.monotonic() - self._turn_began)
        self._next_turn()

    async def take_back(self, sides: tuple[int, ...] = (0, 1)) -> None:
        """Go back to the user's previous turn; the other user of an invitation has to agree."""
        game = self._begun()
        if self.setup.invite and len(sides) == 1:
            if self.request is None or self.request.what != "back" or self.request.side in sides:
                if sides[0] not in game.movers:
                    raise GameError("nothing to take back: you have not moved yet", code="nothing_to_take_back")
                self.request = Request("back", sides[0])
                self._changed(self)
                return
            sides = (self.request.side,)
        await self._stop_search()
        game.take_back()
        while self.setup.invite and game.mover not in sides:
            game.take_back()
        self._next_turn()

    def refuse(self) -> None:
        """Decline the request of the other user."""
        self.request = None
        self._changed(self)

    def wants_rematch(self, sides: tuple[int, ...]) -> bool:
        """Whether the next game can begin; if not, the other user is asked."""
        asked = self.request is not None and self.request.what == "rematch" and self.request.side not in sides
        if not self.setup.invite or len(sides) == 2 or asked:
            return True
        self.request = Request("rematch", sides[0])
        self._changed(self)
        return False

    def go_on(self, table: str) -> None:
        """Continue at another table."""
        self.rematch, self.request = table, None
        self._changed(self)

    async def resign(self, sides: tuple[int, ...] = (0, 1)) -> None:
        """Resign for the user."""
        await self._stop_search()
        if len(sides) == 1:
            self._begun().forfeit(sides[0], "resigned")
        else:
            self._begun().resign()
        self._next_turn()

    async def hurry(self) -> None:
        """Make the opponent move now."""
        if self._search is not None:
            await self._search.hurry()

    def state(self) -> State:
        """The current state."""
        return self._begun().state

    def record(self) -> GameRecord:
        """The record of the game so far."""
        return self._begun().record()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._game is not None and self._game.over

    def _begun(self) -> GameInProgress:
        if self._game is None:
            raise GameError("the game has not begun", code="not_begun")
        return self._game

    # Turns.

    def _next_turn(self) -> None:
        """Start the clock, and the search if the opponent is to move."""
        self._turn_began, self._retries, self.request = time.monotonic(), 0, None
        if self._flag_fall is not None:
            self._flag_fall.cancel()
            self._flag_fall = None
        game = self._game
        if game is None or self._failure:
            self._changed(self)
            return
        while game.human_to_move and _is_pass(game.state):
            self._passes.add(len(game.plies))
            game.submit(Decision(game.state.legal[0]))
        if game.over:
            game.finish()
        elif game.human_to_move:
            left = game.clocks[game.mover].left
            if left is not None:
                self._flag_fall = asyncio.get_running_loop().call_later(left, self._flag_falls, game.state.ply)
        else:
            self._think()
        self._changed(self)

    def _think(self) -> None:
        """Start the search of the opponent."""
        game, opponent = self._begun(), self.setup.opponent
        assert opponent is not None
        try:
            if self._warming.is_ready(self.setup.game, opponent.spec):
                moves, left = [ply.move for ply in game.plies], [clock.left for clock in game.clocks]
                self._search = self._pool.start(
                    "choose", self._seat(), moves, left, self.setup.level, lane=self._lane(), client=self.owner
                )
            else:
                self._quick.add(len(game.plies))
                self._search = self._warming.quick_answer(game.state)
        except GameError as error:
            self._failure = str(error)
            return
        self._answer = asyncio.ensure_future(self._wait_for_answer(self._search))
        if self.viewers == 0:
            self._stop_soon()

    def _lane(self) -> str:
        """The lane for searches of the opponent, so that short ones do not wait for long ones."""
        return "move" if (self.setup.level.time or 0.0) <= LONG_SECONDS else "long"

    def _flag_falls(self, ply: int) -> None:
        game = self._game
        if game is not None and game.state.ply == ply and not game.over:
            game.forfeit(game.mover, "timeout")
            self._next_turn()

    async def _wait_for_answer(self, search: Job | QuickJob) -> None:
        game = self._begun()
        try:
            answer = await search.result()
            if search.stopped:
                return
            decision, seconds, withheld = answer
            game.submit(decision, seconds, withheld)
        except StoppedError:
            return
        except PlayerError as error:
            if search.stopped:
                return
            game.forfeit(game.mover, error.reason, error.detail)
        except EngineError as error:
            self._retries += 1
            if self._search is search and self._retries <= RETRIES:
                self._think()
                return
            self._failure = f"crash: {error}"
        except Exception as error:
            self._failure = f"crash: {error}"
        if self._search is search:
            self._search = None
            self._next_turn()

    async def _stop_search(self) -> None:
        """Stop the search and wait until it has ended; a player runs one search at a time."""
        while (search := self._search) is not None:
            await search.stop()
            if self._search is search:
                self._search = None

    # Viewers.

    def enter(self) -> None:
        """Add a viewer."""
        self.viewers += 1
        if self._grace_period is not None:
            self._grace_period.cancel()
            self._grace_period = None
        self.resume_search()

    def resume_search(self) -> None:
        """Restart the search of the opponent if it was stopped."""
        game = self._game
        if game is not None and self._search is None and not game.over and not game.human_to_move:
            self._next_turn()

    def leave(self) -> None:
        """Remove a viewer; the search is stopped soon if it was the last one."""
        self.viewers -= 1
        if self.viewers == 0:
            self._stop_soon()

    def _stop_soon(self) -> None:
        if self._grace_period is None:
            self._grace_period = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._grace_period_over)

    def _grace_period_over(self) -> None:
        self._grace_period = None
        if self.viewers == 0:
            self._ending = asyncio.ensure_future(self._release())

    async def _release(self) -> None:
        """Stop the search of a table without viewers and close its opponent."""
        await self._stop_search()
        # A viewer may have joined while the search was being stopped.
        if self.viewers:
            self.resume_search()
        else:
            self._close_opponent()

    def _close_opponent(self) -> None:
        if self.setup.opponent is not None and self._game is not None:
            self._pool.start("release", self.name, lane="store")

    async def close(self) -> None:
        """Stop the search and close the opponent."""
        for timer in (self._flag_fall, self._grace_period):
            if timer is not None:
                timer.cancel()
        await self._stop_search()
        self._close_opponent()

    # Saving.

    def saved(self) -> dict[str, Any]:
        """The state of the table as JSON."""
        setup, game = self.setup, self._game
        plies = [] if game is None else game.plies
        outcome = None if game is None else game.outcome
        return {
            "game": setup.game.name, "opponent": None if setup.opponent is None else setup.opponent.name,
            "side": setup.side, "level": asdict(setup.level), "clocks": [asdict(limit) for limit in setup.clocks],
            "first": setup.first, "invite": setup.invite, "label": setup.label, "owner": list(self.owner),
            "seats": self.seats, "seed": self._seed, "start": self._start.text, "begun": game is not None,
            "plies": [[ply.move, ply.seconds, ply.value, ply.depth, ply.nodes, ply.simulations] for ply in plies],
            "forfeit": None
            if game is None or outcome is None or not _is_forfeit(game)
            else [1 - (outcome.winner or 0), outcome.reason, game.detail],
            "quick": sorted(self._quick), "passes": sorted(self._passes), "rematch": self.rematch,
        }  # fmt: skip

    def restore(self, data: dict[str, Any]) -> None:
        """Continue from a saved state; raises GameError."""
        self.seats, self._seed, self.rematch = data["seats"], data["seed"], data["rematch"]
        self._start = parse(self.setup.game, data["start"])
        self._quick, self._passes = set(data["quick"]), set(data["passes"])
        if not data["begun"]:
            return
        self._game = game = self._new_game()
        for move, seconds, value, depth, nodes, simulations in data["plies"]:
            game.submit(Decision(move, value, depth, nodes, simulations), seconds)
        if data["forfeit"] is not None:
            game.forfeit(*data["forfeit"])
        self._turn_began = time.monotonic()


def _is_pass(state: State) -> bool:
    """Whether the only legal move changes no square, so that there is nothing to choose."""
    legal = state.legal
    return len(legal) == 1 and input_squares(state.game, state.position, legal[0]) == ()


def _is_forfeit(game: GameInProgress) -> bool:
    return game.record().forfeit


def _opponents_failure(game: GameInProgress | None) -> str:
    """Why the opponent failed; empty if it did not, and if it lost on time."""
    if game is None or game.outcome is None or not game.detail or game.outcome.reason == "timeout":
        return ""
    return f"{game.outcome.reason}: {game.detail}"
