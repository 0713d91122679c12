"""Tables: games that users play on the page, against a player or against each other.

The server rolls the dice and keeps the clocks; pages send only the actions of their users. A table outlives its pages:
any page that knows its name can join.

`RecordLibrary` finds the records of games by keys that fit into a link:

table/NAME          a game that is played on this server
match/3/12/0        game 0 of pair 12 of match 3 in the store
record/DIGEST       an uploaded record; the last MAX_RECORDS are kept
"""

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from starscout.arena.store import Store
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError
from starscout.game.state import State, from_position
from starscout.players.player import Limits, PlayerError
from starscout.players.spec import describe, make_player
from starscout.records.files import read_records_of, write_record
from starscout.records.record import GameRecord, RecordError
from starscout.referee.game_in_progress import GameInProgress
from starscout.referee.openings import series_start
from starscout.search.limits import Limit
from starscout.web.board import outcome_json, state_json
from starscout.web.catalogue import Offer
from starscout.web.searches import Job, SearchPool, StoppedError

MAX_TABLES = 300
MAX_RECORDS = 500
MAX_GAMES = 200
"""Maximum number of games listed from one uploaded file."""
HASH_BITS = ((0.5, 14), (2.0, 16), (10.0, 18))
"""Maximum seconds per move → maximum size of the transposition table in bits (1, 4 and 16 MB)."""
GRACE_SECONDS = 5.0
"""Time until the search of a table without viewers is stopped; long enough for a reload of the page."""


@dataclass(frozen=True)
class Setup:
    """The settings of a game."""

    game: Game
    opponent: Offer | None
    """None: two users share the board."""
    side: int
    level: Limit
    clocks: Limits
    first: int | None = None
    """The side that moves first, in games in which either side may."""


class Table:
    """One game. Everything except the search runs in the thread of the event loop."""

    def __init__(self, setup: Setup, pool: SearchPool, changed: Callable[["Table"], None]) -> None:
        self.name = secrets.token_urlsafe(9)
        self.setup = setup
        self._pool, self._changed = pool, changed
        self._seed = secrets.randbits(63)
        self._start = _start(setup, self._seed)
        self._game: GameInProgress | None = None
        self._search: Job[Any] | None = None
        self._turn_began = 0.0
        self._flag_fall: asyncio.TimerHandle | None = None
        self._grace_period: asyncio.TimerHandle | None = None
        self._failure = ""
        """The error in the rules of the game that stopped it."""
        self.viewers = 0

    def to_json(self, turned: bool) -> dict[str, Any]:
        """The state of the table for a page."""
        game, setup = self._game, self.setup
        state = self._start if game is None else game.state
        outcome = None if game is None else game.outcome
        left = None if game is None or game.clocks[0].left is None else [clock.left for clock in game.clocks]
        running = self._running_side()
        if left is not None and running is not None and left[running] is not None:
            left[running] = max(0.0, (left[running] or 0.0) - (time.monotonic() - self._turn_began))
        described = state_json(state, turned=turned)
        if not self._can_move():
            described["moves"] = []
        return described | {
            "push": "table",
            "table": self.name,
            "opponent": None if setup.opponent is None else setup.opponent.name,
            "side": setup.side,
            "placing": game is None,
            "placement": knowledge_of(setup.game).free_placement,
            "thinking": self._search is not None,
            "over": None if outcome is None else outcome_json(setup.game, outcome),
            "failure": self._failure or _opponents_failure(game),
            "clocks": left,
            "running": running,
            "plies": [] if game is None else _plies(game),
        }

    def _running_side(self) -> int | None:
        """The side whose clock runs."""
        game = self._game
        return None if game is None or game.over else game.mover

    def _can_move(self) -> bool:
        return self._game is not None and self._search is None and self._game.human_to_move and not self._failure

    # Actions of users.

    def exchange(self, first: int, second: int) -> None:
        """Exchange two of the user's pieces before the game; raises GameError."""
        game = self.setup.game
        if self._game is not None or not knowledge_of(game).free_placement:
            raise GameError(
                "pieces can be placed only before the game, in games that allow it", code="placement_closed"
            )
        cells = game.cells(self._start.position)
        own = (0, 1) if self.setup.opponent is None else (self.setup.side,)
        if not (first < len(cells) and second < len(cells)) or cells[first].side not in own:
            raise GameError("only your own pieces can be exchanged", code="other_pieces")
        if cells[first].side != cells[second].side:
            raise GameError("only two pieces of the same side can be exchanged", code="mixed_pieces")
        self._start = _exchanged(self._start, first, second)
        self._changed(self)

    async def begin(self) -> None:
        """Compile the opponent's kernels, roll the dice, and start the opponent's search if it moves first."""
        if self._game is not None:
            raise GameError("the game has already begun", code="already_begun")
        if self._search is not None:
            raise GameError("the opponent is not ready yet", code="opponent_not_ready")
        setup = self.setup
        self._search = search = self._pool.start(_new_game, setup, self._start, self._seed)
        self._changed(self)
        try:
            game = await search.result()
        except StoppedError:
            return
        finally:
            self._search = None
        if search.stopped and game.over:
            game.close()
            return
        self._game = game
        self._next_turn()

    def play(self, ply: int, text: str) -> None:
        """Play a user's move, chosen in the position of `ply`; raises GameError."""
        game = self._begun()
        if ply != game.state.ply:
            raise GameError("the position has changed since this move was chosen", code="position_changed")
        if not self._can_move():
            raise GameError("it is not your turn", code="not_your_turn")
        game.submit_text(text, time.monotonic() - self._turn_began)
        self._next_turn()

    async def take_back(self) -> None:
        """Go back to the user's previous turn."""
        await self._stop_search()
        self._begun().take_back()
        self._next_turn()

    async def resign(self) -> None:
        """Resign for the user."""
        await self._stop_search()
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

    def _begun(self) -> GameInProgress:
        if self._game is None:
            raise GameError("the game has not begun", code="not_begun")
        return self._game

    # Turns.

    def _next_turn(self) -> None:
        """Start the clock, and the search if the opponent is to move."""
        self._turn_began = time.monotonic()
        if self._flag_fall is not None:
            self._flag_fall.cancel()
            self._flag_fall = None
        game = self._game
        if game is None or self._failure:
            self._changed(self)
            return
        if game.over:
            game.finish()
        elif game.human_to_move:
            left = game.clocks[game.mover].left
            if left is not None:
                self._flag_fall = asyncio.get_running_loop().call_later(left, self._flag_falls, game.state.ply)
        else:
            self._search = self._pool.start(game.think, self.setup.level)
            self._answer = asyncio.ensure_future(self._wait_for_answer(self._search))
            if self.viewers == 0:
                self._stop_soon()
        self._changed(self)

    def _flag_falls(self, ply: int) -> None:
        game = self._game
        if game is not None and game.state.ply == ply and not game.over:
            game.forfeit(game.mover, "timeout")
            self._next_turn()

    async def _wait_for_answer(self, search: Job[Any]) -> None:
        game = self._begun()
        try:
            answer = await search.result()
            if search.stopped:
                return
            game.submit(*answer)
        except StoppedError:
            return
        except PlayerError as error:
            if search.stopped:
                return
            game.forfeit(game.mover, error.reason, error.detail)
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
        self._resume_search()

    def _resume_search(self) -> None:
        game = self._game
        if game is not None and self._search is None and not game.over and not game.human_to_move:
            self._next_turn()

    def leave(self) -> None:
        """Remove a viewer; without viewers the search is stopped after a grace period."""
        self.viewers -= 1
        if self.viewers == 0 and self._search is not None:
            self._stop_soon()

    def _stop_soon(self) -> None:
        if self._grace_period is None:
            self._grace_period = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._grace_period_over)

    def _grace_period_over(self) -> None:
        self._grace_period = None
        if self.viewers == 0:
            self._ending = asyncio.ensure_future(self._stop_unwatched())

    async def _stop_unwatched(self) -> None:
        await self._stop_search()
        # A viewer may have joined while the search was being stopped.
        if self.viewers:
            self._resume_search()

    async def close(self) -> None:
        """Stop the search and close the opponent."""
        if self._flag_fall is not None:
            self._flag_fall.cancel()
        await self._stop_search()
        if self._game is not None:
            self._game.close()


class Tables:
    """The tables of a server; the least recently used one without viewers is closed to make room."""

    def __init__(self, pool: SearchPool, changed: Callable[[Table], None], limit: int = MAX_TABLES) -> None:
        self._pool, self._changed, self._limit = pool, changed, limit
        self._tables: OrderedDict[str, Table] = OrderedDict()

    async def open(self, setup: Setup) -> Table:
        """Open a new table; raises GameError if all tables are in use."""
        while len(self._tables) >= self._limit:
            unused = next((name for name, table in self._tables.items() if table.viewers == 0), None)
            if unused is None:
                raise GameError("all tables of this server are in use: try again later", code="server_full")
            await self._tables.pop(unused).close()
        table = Table(setup, self._pool, self._changed)
        self._tables[table.name] = table
        return table

    def find(self, name: str) -> Table:
        """Look up a table; raises GameError."""
        if name not in self._tables:
            raise GameError("this game no longer exists: start a new one", code="unknown_table")
        self._tables.move_to_end(name)
        return self._tables[name]

    async def close(self) -> None:
        """Close all tables."""
        for table in self._tables.values():
            await table.close()


class RecordLibrary:
    """Finds game records by key."""

    def __init__(self, tables: Tables, open_store: Callable[[], Store]) -> None:
        self._tables, self._open_store = tables, open_store
        self._records: OrderedDict[str, GameRecord] = OrderedDict()

    def find(self, key: str) -> GameRecord:
        """The record of a key; raises GameError. Reads the store: call it in a thread."""
        match key.split("/"):
            case ["table", name]:
                return self._tables.find(name).record()
            case ["match", *numbers] if len(numbers) == 3 and all(number.isdecimal() for number in numbers):
                return self._stored(*(int(number[:12]) for number in numbers))
            case ["record", digest] if digest in self._records:
                self._records.move_to_end(digest)
                return self._records[digest]
        raise GameError(
            f"no game {key[:60]!r} on this server: it may have been uploaded to another one",
            code="unknown_record", key=key[:60],
        )  # fmt: skip

    def _stored(self, match: int, pair: int, half: int) -> GameRecord:
        with self._open_store() as store:
            plan = store.match(match).plan
            record = next(iter(store.pairs(match, pair)), None)
            if record is not None and record.pair == pair and half < len(record.scores):
                return record.games(plan.game, (plan.first, plan.second), plan.seed)[half].record
        raise GameError(
            f"match {match}: no game {half} in pair {pair}",
            code="unknown_stored_game", match=match, pair=pair, game=half,
        )  # fmt: skip

    def add_text(self, text: str) -> list[dict[str, Any]]:
        """Keep and list the games of an uploaded file; raises GameError if it contains none."""
        listed: list[dict[str, Any]] = []
        for record in read_records_of(text, "the uploaded file"):
            if len(listed) == MAX_GAMES:
                break
            if isinstance(record, RecordError):
                listed.append({"key": None, "error": str(record)})
                continue
            listed.append({"key": f"record/{self._keep(record)}", **headline(record)})
        if not listed:
            raise GameError("the uploaded file contains no game", code="empty_file")
        return listed

    def _keep(self, record: GameRecord) -> str:
        digest = hashlib.blake2b(write_record(record, "json").encode(), digest_size=9).hexdigest()
        self._records[digest] = record
        while len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)
        return digest


def headline(record: GameRecord) -> dict[str, Any]:
    """Game, players, result and length of a record."""
    return {
        "game": record.game,
        "players": list(record.players),
        "winner": record.winner,
        "reason": record.reason,
        "plies": len(record.plies),
    }


def _new_game(setup: Setup, start: State, seed: int) -> GameInProgress:
    player = None
    if setup.opponent is not None:
        spec = setup.opponent.spec
        player = make_player(with_hash_size(spec, setup.game, setup.level), setup.game, name=spec, hosted=True)
    players = (None, player) if setup.side == 0 else (player, None)
    game = GameInProgress(start, players, setup.clocks, seed=seed)
    game.begin()
    return game


def with_hash_size(spec: str, game: Game, level: Limit) -> str:
    """The player with a transposition table no larger than it can fill within the time limit."""
    table = getattr(describe(spec, game).options, "table", 0)
    most = next((bits for seconds, bits in HASH_BITS if (level.time or 0.0) <= seconds), table)
    return spec if table <= most else f"{spec} table={most}"


def _start(setup: Setup, seed: int) -> State:
    start = series_start(setup.game, seed, 0)
    turn = setup.game.other_side_first
    if setup.first is None or setup.first == start.mover or turn is None:
        return start
    return from_position(setup.game, turn(start.position))


def _exchanged(start: State, first: int, second: int) -> State:
    """The start position with the pieces on two squares exchanged."""
    board, *rest = start.text.split(" ")
    places = [index for index, character in enumerate(board) if character != "/"]
    letters = list(board)
    one, other = places[first], places[second]
    letters[one], letters[other] = letters[other], letters[one]
    position, _ = start.game.parse(" ".join(["".join(letters), *rest]))
    return replace(start, position=position)


def _opponents_failure(game: GameInProgress | None) -> str:
    """Why the opponent failed; empty if it did not, and if it lost on time."""
    if game is None or game.outcome is None or not game.detail or game.outcome.reason == "timeout":
        return ""
    return f"{game.outcome.reason}: {game.detail}"


def _plies(game: GameInProgress) -> list[dict[str, Any]]:
    plain = game.start.game.has_plain_die
    return [
        {
            "side": side, "roll": ply.roll if plain else event, "move": ply.text, "value": ply.value,
            "seconds": ply.seconds,
        }
        for ply, side, event in zip(game.plies, game.movers, game.events, strict=True)
    ]  # fmt: skip
