"""`otp`: the course's Othello protocol; newlines over stdin, no framing over TCP.

    > name            < name <id>                     > genmove         < genmove x y       (played by the engine too)
    > clear_board     < clear_board                   > final_score     < final_score n     (black − white discs)
    > play x y        < play                          > undo, showboard, quit               < the same word
    > anything else   < unknown command

(x, y) = (row, column), 0 to 7 from the top left; a pass is `8 0`. A game ends with two passes, even on a full board.
"""

import re

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.games.othello.rules import BLACK, PASS
from starscout.kernels.bits import popcount
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import Course, EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import RemotePlayer, Transport
from starscout.referee.series import Schedule
from starscout.search.limits import Limit
from starscout.settings.options import read_whole

SIZE = 8
PASS_TEXT = "8 0"
GENMOVE_SECONDS = 10.0
OTHER_SECONDS = 1.0

_QUIET = 0.05
"""Seconds of silence after which an answer of unknown length is complete."""

_LONGEST = 200
"""Maximum length of an answer in characters."""


def move_text(move: int) -> str:
    """Format a move as `x y`."""
    return PASS_TEXT if move == PASS else f"{move // SIZE} {move % SIZE}"


def read_move_text(x: str, y: str) -> int:
    """Parse a move of two digits, legal or not; raises GameError."""
    if f"{x} {y}" == PASS_TEXT:
        return PASS
    row, column = (read_whole(digit, 0, SIZE - 1) if len(digit) == 1 else None for digit in (x, y))
    if row is not None and column is not None:
        return row * SIZE + column
    raise GameError(f"square: expected row and column from 0 to 7, or {PASS_TEXT} for a pass, got {x[:20]} {y[:20]}")


class OtpPlayer(RemotePlayer):
    """A course engine as a player; messages end with a newline unless it has connected over TCP."""

    supports_take_back = False
    readmitted = False

    def __init__(self, name: str, transport: Transport) -> None:
        super().__init__(name, transport)
        self.newlines = not (transport.persistent or getattr(transport, "over_tcp", False))

    def _greet(self, channel: Channel, game: Game) -> None:
        self.engine_name = self._ask(
            channel, "name", r"name[ \t]+(\S[^\r\n]*)", deadline_in(self.ready_timeout), open_end=True
        )[1][:64]

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        if start.position != start.game.start_position(0) and not start.opening:
            raise GameError(f"otp engines play only from the standard start, not from {start.text!r}")
        self._side = side
        self._ask(channel, "clear_board", "clear_board")
        for move in start.opening:
            self._ask(channel, f"play {move_text(move)}", "play")

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        answer = self._ask(channel, "genmove", r"genmove\s+([0-9])\s+([0-9])", deadline_of(limit, self.watchdog))
        try:
            move = read_move_text(answer[1], answer[2])
        except GameError as error:
            raise PlayerError("illegal move", f"{self.name}: {error}") from error
        if move not in state.legal:
            raise PlayerError("illegal move", f"{self.name} answered {answer[0]!r} in {state.text!r}")
        return Decision(move)

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        self._last_mover = state.mover
        if state.mover != self._side:
            self._ask(channel, f"play {move_text(move)}", "play")

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        """Send the two passes with which the protocol ends a game; they do not change the result."""
        if not complete:
            return
        asks = [("genmove", r"genmove\s+8\s+0"), (f"play {PASS_TEXT}", "play")]
        first = asks if self._last_mover != self._side else asks[::-1]
        for question, pattern in first:
            self._ask(channel, question, pattern)

    def _leave(self, channel: Channel) -> None:
        self._send(channel, "quit", deadline_in(OTHER_SECONDS))
        channel.more_within(OTHER_SECONDS)

    def _send(self, channel: Channel, question: str, deadline: Deadline) -> None:
        channel.send((question + ("\n" if self.newlines else "")).encode(), deadline)

    def _ask(
        self, channel: Channel, question: str, pattern: str, deadline: Deadline | None = None, *, open_end: bool = False
    ) -> re.Match[str]:
        """Send a command and read the answer; one that does not match forfeits the game."""
        deadline = deadline or deadline_in(OTHER_SECONDS, "timeout")
        self._send(channel, question, deadline)
        complete = re.compile(rf"\s*{pattern}\s*", re.IGNORECASE)
        text = (
            self._line(channel, deadline)
            if self.newlines
            else _unframed(channel, complete, question, deadline, open_end)
        )
        match = complete.fullmatch(text)
        if match is None:
            raise PlayerError("illegal move", f"{self.name} answered {text.strip()[:60]!r} to {question!r}")
        return match

    def _line(self, channel: Channel, deadline: Deadline) -> str:
        while not (line := channel.line(deadline)).strip():
            pass
        return line


def _unframed(channel: Channel, complete: re.Pattern[str], question: str, deadline: Deadline, open_end: bool) -> str:
    """Read until the text is an answer or cannot become one.

    Every answer begins with the first word of its command, so invalid text is detected immediately. With `open_end`,
    the answer ends when nothing follows.
    """
    word = question.split()[0]
    while True:
        text = channel.peek().decode("latin-1")
        received = text.lstrip().lower()
        if complete.fullmatch(text):
            if not (open_end and deadline.left() > 0 and channel.more_within(_QUIET)):
                break
        elif not (received.startswith(word) or word.startswith(received)) or len(received) > _LONGEST:
            break
        else:
            channel.more(deadline)
    channel.take(len(text))
    return text


_COMMAND = re.compile(
    r"\s*(clear_board|showboard|final_score|genmove|name|undo|quit|play\s+[0-9]\s+[0-9])\s*", re.IGNORECASE
)
_BEGUN = re.compile(
    r"\s*(c[a-z_]*|s[a-z]*|f[a-z_]*|g[a-z]*|n[a-z]*|u[a-z]*|q[a-z]*|p[a-z]*(\s+[0-9]?)?(\s+)?)", re.IGNORECASE
)
"""Prefixes of commands that may arrive in pieces."""


def _split(text: str) -> list[str]:
    """Split text without newlines into commands; an invalid rest is the last item."""
    commands = []
    while match := _COMMAND.match(text):
        commands.append(match[1])
        text = text[match.end() :]
    return [*commands, text] if text.strip() else commands


class OtpEngine:
    """Serves a player as a course engine."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._player = player
        self._connection = connection
        self._name = settings.name
        self._limit = settings.limit or Limit(time=0.8 * GENMOVE_SECONDS)
        self._game = games.load("othello")
        self._history = [start(self._game)]
        self._number = 0
        self._waiting: list[str] = []

    def serve(self) -> None:
        """Answer until `quit`; raises WorkError if the judge rejects the engine."""
        try:
            self._player.new_game(self._game, 0)
            while (command := self._command()) is not None:
                if (rejection := self._connection.rejection(command.lstrip())) is not None:
                    raise rejection
                answer = self._answer(command.lower().split())
                self._connection.send(answer)
                if answer == "quit":
                    break
        finally:
            self._player.close()

    def _command(self) -> str | None:
        """The next command; without newlines, the first one in the received text."""
        if self._connection.newlines:
            while (line := self._connection.line()) is not None and not line.strip():
                pass
            return line
        while not self._waiting:
            chunk = self._connection.receive().decode("latin-1")
            if not chunk:
                return None
            while _BEGUN.fullmatch(chunk) and (more := self._connection.receive_within(_QUIET)):
                chunk += more.decode("latin-1")
            self._waiting = _split(chunk)
        return self._waiting.pop(0)

    def _answer(self, words: list[str]) -> str:
        match words:
            case ["name"]:
                return f"name {self._name}"
            case ["clear_board"]:
                self._number += 1
                self._history = [start(self._game)]
                self._player.new_game(self._game, self._number)
                return "clear_board"
            case ["play", x, y]:
                return "play" if self._play(x, y) else "unknown command"
            case ["genmove"]:
                return self._genmove()
            case ["final_score"]:
                position = self._history[-1].position
                margin = int(popcount(position.own)) - int(popcount(position.enemy))
                return f"final_score {margin if position.mover == BLACK else -margin}"
            case ["undo"]:
                if len(self._history) > 1:
                    self._history.pop()
                return "undo"
            case ["showboard"] | ["quit"]:
                return words[0]
        return "unknown command"

    def _play(self, x: str, y: str) -> bool:
        """Play a move; return whether it was legal. Passes after the end of the game are accepted."""
        state = self._history[-1]
        try:
            move = read_move_text(x, y)
            self._history.append(state if state.over and move == PASS else state.play(move))
        except GameError:
            return False
        return True

    def _genmove(self) -> str:
        state = self._history[-1]
        move = PASS if state.over else self._player.choose(state, self._limit).move
        self._play(*move_text(move).split())
        return f"genmove {move_text(move)}"


PROTOCOL = Protocol(
    "otp",
    OtpPlayer,
    OtpEngine,
    games=("othello",),
    newlines_over_tcp=False,
    connects=True,
    says_ready=False,
    exchanges=(
        Exchange(r"name", r"(?i:name)[ \t]+\S.*", "name Foo"),
        Exchange(r"clear_board", r"(?i:clear_board)", "clear_board"),
        Exchange(r"play \d \d", r"(?i:play)", "play"),
        Exchange(r"genmove", r"(?i:genmove)\s+\d\s+\d", "genmove {}", move=r"[0-8]\s+[0-7]"),
        Exchange(r"quit", r"(?i:quit)", "quit"),
    ),
    wait=10.0,
    courses={"othello": Course(Limit(time=GENMOVE_SECONDS), Schedule(shuffled=False))},
)
