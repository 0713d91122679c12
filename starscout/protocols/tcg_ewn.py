"""`tcg-ewn`: the course server's line protocol for EWN, with one process per game.

    > name · version                       < text
    > time_setting 60 0 0                  < 1
    > board_setting 5 6 2                  < 1
    > ini B                                < E5 D5 C5 D4 E3 E4           own cubes 1 … 6
    > get R 2 b1 … b6 r1 … r6              < B1 B2                       `0` for a captured cube, blue first
    > exit

The server places the cubes. The answer to `ini` is a preferred placement, which the server may ignore; with free
placement each side gets its preference.
"""

import contextlib
import dataclasses
import re
import time

from starscout import __version__, games
from starscout.game import Game, GameError, Position
from starscout.game.notation import format_board, square_name, square_number
from starscout.game.state import State, parse
from starscout.games.ewn.board import BLUE, RED, build_cubes, places, red_and_blue, seen_by
from starscout.players.player import Decision, Player, PlayerError, Players
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import Course, EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.referee.series import Schedule
from starscout.search.limits import Limit
from starscout.settings.options import read_whole

SIZE, CUBES = 5, 6
GAME_SECONDS = 60
COLOURS = "RB"
PREFERRED = {"R": "A1 B1 C1 B2 A3 A2", "B": "E5 D5 C5 D4 E3 E4"}
"""Preferred placements of our engine: the best set-up of `benchmarks/ewn_setups.py`."""
PLACEMENTS = ("random", "free")
SQUARES = {side: frozenset(PREFERRED[colour].split()) for side, colour in enumerate(COLOURS)}
"""The start squares of each side."""

_BOARD = build_cubes(SIZE, SIZE, CUBES)


def squares_text(position: Position) -> str:
    """The squares of blue's and red's cubes in the notation of `get`."""
    red, blue = red_and_blue(position)
    names = [
        "0" if place is None else square_name(seen_by(_BOARD, side, place), SIZE)
        for side, word in ((BLUE, blue), (RED, red))
        for place in places(_BOARD, word)
    ]
    return " ".join(names)


class TcgEwnPlayer(RemotePlayer):
    """A course agent as a player."""

    def _greet(self, channel: Channel, game: Game) -> None:
        self._ask(channel, "name", self.ready_timeout)
        self._ask(channel, "version")
        self._settled = False

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        if not self._settled:
            self._settle(channel, side)
        self._settled = False

    def preferred_squares(self, side: int) -> str:
        """Ask for the preferred squares of its six cubes before the game. Raises PlayerError."""
        self.new_game(games.load("ewn"), 0)
        with self._close_on_failure():
            squares = self._settle(self._open_channel(), side)
        self._settled = True
        return squares

    def _settle(self, channel: Channel, side: int) -> str:
        clock = self.limits[side].clock
        seconds = GAME_SECONDS if clock is None else max(round(clock), 1)
        for question in (f"time_setting {seconds} 0 0", f"board_setting {SIZE} {CUBES} 2"):
            if (answer := self._ask(channel, question)) != "1":
                raise PlayerError("illegal move", f"{self.name} answered {answer[:60]!r} to {question!r}, not '1'")
        squares = self._ask(channel, f"ini {COLOURS[side]}")
        if not re.fullmatch(r"([A-E][1-5]\s+){5}[A-E][1-5]", squares):
            raise PlayerError("illegal move", f"{self.name} answered {squares[:60]!r} to 'ini', not six squares")
        return squares

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        channel.send_line(f"get {COLOURS[state.mover]} {state.roll} {squares_text(state.position)}", deadline)
        return Decision(read_move(state, channel.line(deadline)[:60], self.name))

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        # The protocol requires a new process for every game.
        self.close()

    def _leave(self, channel: Channel) -> None:
        channel.send_line("exit", deadline_in(REPLY))

    def _ask(self, channel: Channel, question: str, seconds: float = REPLY) -> str:
        channel.send_line(question, deadline_in(seconds))
        return channel.line(deadline_in(seconds)).strip()


class TcgEwnEngine:
    """Serves a player as a course agent. The engine keeps the clock of the whole game itself."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._player = player
        self._connection = connection
        self._settings = settings
        self._left = float(GAME_SECONDS)
        self._asked = 0

    def serve(self) -> None:
        """Answer until `exit`; all kernels are compiled before the first answer."""
        self._player.new_game(games.load("ewn"), 0)
        while (line := self._connection.line()) is not None:
            words = line.split()
            match words[:1]:
                case ["name"]:
                    self._connection.send(self._settings.name)
                case ["version"]:
                    self._connection.send(__version__)
                case ["time_setting"]:
                    seconds = read_whole(words[1]) if len(words) > 1 else None
                    self._left = self._left if seconds is None else float(seconds)
                    self._connection.send("1")
                case ["board_setting"]:
                    self._connection.send("1")
                case ["ini"]:
                    self._connection.send(PREFERRED["B" if words[1:] == ["B"] else "R"])
                case ["get"]:
                    self._connection.send(self._move(words[1:]))
                case ["exit"]:
                    break
        self._player.close()

    def _move(self, words: list[str]) -> str:
        began = time.perf_counter()
        state = read_get(words)
        if state.over:
            raise GameError(f"the game is over in {state.text!r}")
        state = dataclasses.replace(state, ply=2 * self._asked + state.mover)
        self._asked += 1
        decision = self._player.choose(state, self._settings.limit or Limit(clock=self._left))
        self._left = max(self._left - (time.perf_counter() - began), 0.0)
        text = state.game.format_move(state.position, decision.move)
        return f"{text[:2]} {text[2:]}"


def read_get(words: list[str]) -> State:
    """Parse the arguments of `get`; raises GameError."""
    if len(words) != 2 + 2 * CUBES or words[0] not in COLOURS:
        raise GameError(f"expected 'get COLOUR DIE' and {2 * CUBES} squares, got 'get {' '.join(words)}'")
    characters = ["."] * SIZE * SIZE
    for piece, name in zip("abcdef123456", words[2:], strict=True):
        if name != "0":
            characters[square_number(name, SIZE, SIZE)] = piece
    mover = "r" if words[0] == "R" else "b"
    return parse(games.load("ewn"), f"{format_board(''.join(characters), SIZE)} {mover} {words[1]}")


def check_placement(placement: str, game: Game) -> None:
    """Raise GameError if the game does not support the placement."""
    if placement not in PLACEMENTS:
        raise GameError(f"placement: expected {' or '.join(PLACEMENTS)}, got {placement!r}")
    if placement == "free" and game.name != "ewn":
        raise GameError(f"free placement requires ewn, got {game.name}")


def placed(start: State, players: Players) -> State:
    """Place the cubes on the squares that the players prefer.

    Players of other kinds, and agents whose answer is not the six start squares of their side, get our own preference.
    An agent that fails to answer forfeits the game that follows.
    """
    characters = ["."] * SIZE * SIZE
    for side in (RED, BLUE):
        squares = PREFERRED[COLOURS[side]].split()
        player = players[side]
        if isinstance(player, TcgEwnPlayer):
            with contextlib.suppress(PlayerError):
                preferred = player.preferred_squares(side).split()
                squares = preferred if set(preferred) == SQUARES[side] and len(preferred) == CUBES else squares
        for cube, square in enumerate(squares):
            characters[square_number(square, SIZE, SIZE)] = ("123456", "abcdef")[side][cube]
    board = format_board("".join(characters), SIZE)
    return parse(start.game, f"{board} {'rb'[start.mover]} -")


PROTOCOL = Protocol(
    "tcg-ewn",
    TcgEwnPlayer,
    TcgEwnEngine,
    games=("ewn",),
    process_per_game=True,
    exchanges=(
        Exchange(r"name|version", r".*\S.*", "Foo"),
        Exchange(r"time_setting .*|board_setting .*", r"1", "1"),
        Exchange(r"ini .", r"([A-E][1-5]\s+){5}[A-E][1-5]", "C1 B2 A3 A1 B1 A2"),
        Exchange(r"get .*", r"[A-E][1-5]\s+[A-E][1-5]", "{}", move=r"[A-E][1-5]\s*[A-E][1-5]"),
    ),
    courses={"ewn": Course(Limit(clock=float(GAME_SECONDS)), Schedule(shared=False, swapped=False, shuffled=False))},
)
