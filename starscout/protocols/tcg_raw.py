"""`tcg-raw`: the course's protocol for ewn-cyclic and kari: characters without newlines.

    > 6 red digits and 6 blue digits in start-cell order, 21 dice digits (cyclic only), then f (red, first) or s
    < 21         both sides alternate cube and direction, here `<` the agent's and `>` the opponent's
    > 30
    > y          another game follows; after the last game nothing is sent

Directions as each game numbers them: cyclic 0 horizontal, 1 vertical, 2 diagonal towards the goal, 3 the diagonal
across it (red ↗, blue ↙); kari 0 vertical, 1 horizontal, 2 diagonal. A pass in kari is `??`.
"""

from typing import NamedTuple

from starscout.game import Game, GameError, Position
from starscout.game.notation import format_board
from starscout.game.state import State, parse
from starscout.games.ewn.board import RED
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import Course, EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

PASS = "??"
DICE = 21


class Dialect(NamedTuple):
    """The differences between the two games."""

    directions: dict[tuple[int, int], str]
    """Digit of each step (rows, columns) of red; blue moves in the opposite direction."""
    dice: int
    """Number of dice digits in the header."""
    seconds: float
    """The course's time limit per ply."""


DIALECTS = {
    "ewn-cyclic": Dialect({(0, 1): "0", (1, 0): "1", (1, 1): "2", (-1, 1): "3"}, DICE, 2.0),
    "kari": Dialect({(1, 0): "0", (0, 1): "1", (1, 1): "2"}, 0, 10.0),
}


def start_cells(game: Game) -> tuple[list[int], list[int]]:
    """The start cells of red and blue in ascending order."""
    cells = game.cells(game.start_position(0))
    red, blue = ([number for number, cell in enumerate(cells) if cell.side == side] for side in (0, 1))
    return red, blue


def header(start: State, side: int) -> str:
    """The header for an agent of this side; raises GameError for other positions."""
    game, dialect = start.game, DIALECTS[start.game.name]
    cells = game.cells(start.position)
    digits = ""
    for colour, places in enumerate(start_cells(game)):
        if any(cells[place].side != colour for place in places):
            raise GameError(f"tcg-raw agents play only from a start of the game, not from {start.text!r}")
        digits += "".join(cells[place].text for place in places)
    if start.mover != RED:
        raise GameError(f"red moves first in {game.name}")
    return digits + (start.text.split()[2] if dialect.dice else "") + "fs"[side]


def start_from_header(game: Game, text: str) -> tuple[State, int]:
    """Parse a header: the start and the agent's side. Raises GameError."""
    dialect = DIALECTS[game.name]
    digits, dice, order = text[:12], text[12:-1], text[-1:]
    if len(text) != 12 + dialect.dice + 1 or order not in ("f", "s"):
        raise GameError(f"header of {game.name}: expected 12 + {dialect.dice} digits, then f or s, got {text[:60]!r}")
    characters = ["."] * game.rows * game.columns
    red, blue = start_cells(game)
    for place, digit in zip(red + blue, digits, strict=True):
        if digit not in "012345":
            raise GameError(f"header {text!r}: expected cubes from 0 to 5, got {digit!r}")
        characters[place] = digit if place in red else "abcdef"[int(digit)]
    board = format_board("".join(characters), game.columns)
    return parse(game, f"{board} r {dice} 0" if dialect.dice else f"{board} r"), "fs".index(order)


def code(game: Game, position: Position, move: int) -> str:
    """Format a move as cube and direction."""
    squares = game.move_squares(position, move)
    if not squares:
        return PASS
    (row, column), (to_row, to_column) = (divmod(square, game.columns) for square in squares)
    sign = 1 if position.mover == RED else -1
    step = sign * (to_row - row), sign * (to_column - column)
    return game.cells(position)[squares[0]].text + DIALECTS[game.name].directions[step]


def move_of(state: State, text: str) -> int | None:
    """The legal move of a code; None if there is none."""
    return next((move for move in state.legal if code(state.game, state.position, move) == text), None)


class TcgRawPlayer(RemotePlayer):
    """A course agent as a player. One process plays all games of a match."""

    supports_take_back = False
    startup = 10.0
    """Seconds of startup before the clock of the first move runs; 0 after a failure."""

    def _greet(self, channel: Channel, game: Game) -> None:
        self._played = False

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        self._side = side
        again = "y" if self._played else ""
        self._played = True
        self._fresh = not again
        channel.send((again + header(start, side)).encode(), deadline_in(REPLY))
        if side == start.mover:
            self._wait_for_start(channel)

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        text = channel.characters(2, deadline_of(limit, self.watchdog))
        move = move_of(state, text)
        if move is None:
            raise PlayerError("illegal move", f"{self.name} answered {text!r}, which is not a move in {state.text!r}")
        return Decision(move)

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        if state.mover != self._side:
            channel.send(code(state.game, state.position, move).encode(), deadline_in(REPLY))
            self._wait_for_start(channel)

    def _wait_for_start(self, channel: Channel) -> None:
        """Keep the startup off the clock of the first move: there is no "ready" message."""
        if self._fresh and not channel.more_within(min(self.startup, self.ready_timeout)):
            self.startup = 0.0
        self._fresh = False

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        if not complete:
            # The agent still expects a move of this game and would misread the next header.
            self._drop()


class TcgRawEngine:
    """Serves a player as a course agent."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        assert settings.game is not None, "the protocol does not name the game"
        self._player = player
        self._connection = connection
        self._game = settings.game
        self._limit = settings.limit or Limit(time=0.8 * DIALECTS[settings.game.name].seconds)

    def serve(self) -> None:
        """Play games until the referee ends the session."""
        self._player.new_game(self._game, 0)
        number = 0
        length = 12 + DIALECTS[self._game.name].dice + 1
        while (text := self._read(length)) is not None:
            start, side = start_from_header(self._game, text)
            if number:
                self._player.new_game(self._game, number)
            number += 1
            if not self._play(start, side) or self._read(1) != "y":
                break
        self._player.close()

    def _play(self, state: State, side: int) -> bool:
        """Play one game; False if the referee has closed the connection."""
        while not state.over:
            if state.mover == side:
                move = self._player.choose(state, self._limit).move
                self._connection.send(code(self._game, state.position, move))
            else:
                text = self._read(2)
                if text is None:
                    return False
                move = move_of(state, text)
                if move is None:
                    raise GameError(f"the referee sent {text!r}, which is not a legal move in {state.text!r}")
            state = state.play(move)
        return True

    def _read(self, count: int) -> str | None:
        """Read characters; skip newlines, which some referees send."""
        text = ""
        while len(text) < count:
            character = self._connection.character()
            if character is None:
                return None
            if not character.isspace():
                text += character
        return text


PROTOCOL = Protocol(
    "tcg-raw",
    TcgRawPlayer,
    TcgRawEngine,
    games=tuple(DIALECTS),
    newlines=False,
    starts_anywhere=False,
    says_ready=False,
    exchanges=(Exchange(r"\S+", r"[0-5][0-3]|\?\?", "{}", move=r"[0-5][0-3]"),),
    courses={
        name: Course(Limit(time=dialect.seconds), Schedule(shared=False, shuffled=False))
        for name, dialect in DIALECTS.items()
    },
)
