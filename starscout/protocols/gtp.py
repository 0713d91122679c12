"""`gtp`: Go Text Protocol 2 for Othello, as in Debian's `gtp-rhino` and `edax -gtp`.

    > name                < = Foo        > time_settings 0 1 1      < =      (seconds, then seconds for stones)
    > boardsize 8         < =            > time_left black 12 0     < =      (0 stones: for the whole game)
    > clear_board         < =            > genmove black            < = F5   (played by the engine too)
    > play white D6       < =            > final_score              < = B+12

    > gogui-param_general                < = [bool] ponder 0 · [string] own 5      (an engine's options, if any)
    > gogui-param_general own 7          < =

An answer begins with `=`, or with `?` and an error, and ends with an empty line. A command may begin with a number,
which its answer repeats. A pass is `pass`. Source: Gunnar Farnebäck's specification of GTP version 2;
options follow the convention of the GoGui front end (`gogui-analyze_commands`, type `param`).
"""

import time

from starscout import __version__, games
from starscout.errors import printable
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.games.othello.rules import BLACK, PASS
from starscout.kernels.bits import popcount
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine_options import MAX_OPTIONS, EngineOption
from starscout.protocols.protocol import EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.search.limits import Limit
from starscout.settings.options import read_decimal, read_whole

COLOURS = ("black", "white")
_LISTINGS = ("gogui-analyze_commands", "gogui_analyze_commands")
"""Commands that list the parameter commands of an engine; newer name first."""
DEFAULT_SECONDS = 1.0
"""Seconds per move if the referee sets no time."""


class GtpPlayer(RemotePlayer):
    """A GTP engine as a player. Times and clocks are forwarded."""

    supports_take_back = False

    def _greet(self, channel: Channel, game: Game) -> None:
        deadline = deadline_in(self.ready_timeout)
        self.engine_name = self._ask(channel, "name", deadline)[:64]
        self._commands = self._ask(channel, "list_commands", deadline).split()
        self.announced = self._announced(channel, deadline)
        if "set_game" in self._commands:
            self._ask(channel, "set_game Othello")

    def _announced(self, channel: Channel, deadline: Deadline) -> dict[str, EngineOption]:
        """The parameters of the engine, by the convention of the GoGui front end."""
        found: dict[str, EngineOption] = {}
        listing = next((name for name in _LISTINGS if name in self._commands), None)
        commands = [] if listing is None else self._ask(channel, listing, deadline).splitlines()
        for kind, _, rest in (line.partition("/") for line in commands[:MAX_OPTIONS]):
            command = rest.rpartition("/")[2].strip()
            if kind != "param" or command not in self._commands:
                continue
            for line in self._ask(channel, command, deadline).splitlines()[:MAX_OPTIONS]:
                option = _parameter(line, command)
                if option is not None:
                    found[option.name] = option
        return found

    def _set_option(self, channel: Channel, option: EngineOption, value: str) -> None:
        text = {"true": "1", "false": "0"}[value] if option.kind == "check" else value
        try:
            self._ask(channel, f"{option.command} {option.name} {text}")
        except PlayerError as error:
            raise GameError(f"{self.name} does not accept {option.name}={value}: {error.detail}") from error

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        if start.position != start.game.start_position(0) and not start.opening:
            raise GameError(f"gtp engines play only from the standard start, not from {start.text!r}")
        self._side = side
        self._ask(channel, f"boardsize {start.game.rows}")
        self._ask(channel, "clear_board")
        limit = self.limits[side]
        if "time_settings" in self._commands:
            if limit.clock is not None:
                self._ask(channel, f"time_settings {round(limit.clock)} 0 0")
            elif limit.time is not None:
                # Engines accept only whole seconds. The referee enforces the exact limit.
                self._ask(channel, f"time_settings 0 {max(round(limit.time), 1)} 1")
        state = State(start.game, start.game.start_position(0), 1)
        for move in start.opening:
            self._send_move(channel, state, move)
            state = state.play(move)

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        colour = COLOURS[state.mover]
        if limit.clock is not None and "time_left" in self._commands:
            self._ask(channel, f"time_left {colour} {int(limit.clock)} 0", deadline)
        return Decision(read_move(state, self._ask(channel, f"genmove {colour}", deadline), self.name))

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        if state.mover != self._side:
            self._send_move(channel, state, move)

    def _leave(self, channel: Channel) -> None:
        self._ask(channel, "quit")

    def _send_move(self, channel: Channel, state: State, move: int) -> None:
        question = f"play {COLOURS[state.mover]} {gtp_move(state, move)}"
        # Some engines (gtp-rhino) play forced passes themselves and refuse them.
        self._ask(channel, question, refusable=move == PASS)

    def _ask(
        self, channel: Channel, question: str, deadline: Deadline | None = None, *, refusable: bool = False
    ) -> str:
        """Send a command and return the answer; errors forfeit the game unless `refusable`."""
        deadline = deadline or deadline_in(REPLY)
        channel.send_line(question, deadline)
        while not (first := channel.line(deadline).strip()):
            pass
        lines = [first[1:].strip()]
        while (line := channel.line(deadline).strip()) != "":
            lines.append(line)
        if first[0] != "=" and not (refusable and first[0] == "?"):
            raise PlayerError("illegal move", f"{self.name} answered {first[:60]!r} to {question!r}")
        return "\n".join(lines)


def _parameter(line: str, command: str) -> EngineOption | None:
    """Parse `[bool] ponder 0`, `[list/fast/deep] style fast` or `[string] own 5`; None if it is none of them."""
    kind, _, rest = line.strip().removeprefix("[").partition("]")
    name, _, value = rest.strip().partition(" ")
    if not line.strip().startswith("[") or not name or kind == "label":
        return None
    name, value = printable(name, 200), printable(value.strip(), 200)
    if kind.startswith("list/"):
        return EngineOption(name, "combo", value, choices=tuple(kind.split("/")[1:]), command=command)
    return EngineOption(name, "check" if kind == "bool" else "string", value, command=command)


def gtp_move(state: State, move: int) -> str:
    """`F5` or `pass`."""
    return "pass" if move == PASS else state.game.format_move(state.position, move).upper()


class GtpEngine:
    """Serves a player to a GTP front end."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._player = player
        self._connection = connection
        self._name = settings.name
        self._own_limit = settings.limit
        self._per_move: float | None = None
        self._clocks: list[float | None] = [None, None]
        self._number = 0
        self._commands = {
            "protocol_version": lambda words: "2",
            "name": lambda words: self._name,
            "version": lambda words: __version__,
            "known_command": lambda words: "true" if words[:1] and words[0] in self._commands else "false",
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            "set_game": self._set_game,
            "list_games": lambda words: "Othello",
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": lambda words: "",
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            "showboard": lambda words: f"\n{self._state}",
        }
        self._new_board(games.load("othello"))

    def serve(self) -> None:
        """Answer until `quit`; all kernels are compiled before the first answer."""
        self._player.new_game(self._state.game, 0)
        while (line := self._connection.line()) is not None:
            words = line.partition("#")[0].replace("\t", " ").split()
            number = words.pop(0) if words and words[0].isdecimal() else ""
            if not words:
                continue
            command, *arguments = words
            try:
                if command not in self._commands:
                    raise GameError("unknown command")
                text, sign = self._commands[command](arguments), "="
            except GameError as error:
                text, sign = str(error), "?"
            self._connection.send(f"{sign}{number} {text}".rstrip() + "\n")
            if command == "quit":
                break
        self._player.close()

    @property
    def _state(self) -> State:
        return self._history[-1]

    def _new_board(self, game: Game) -> None:
        self._history = [start(game)]

    def _set_game(self, words: list[str]) -> str:
        if [word.lower() for word in words] not in (["othello"], ["reversi"]):
            raise GameError("unsupported game: this engine plays Othello")
        return ""

    def _boardsize(self, words: list[str]) -> str:
        size = read_whole(words[0], 1, 99) if len(words) == 1 else None
        try:
            game = games.load("othello" if size == 8 else f"othello-{size}x{size}")
        except GameError as error:
            raise GameError("unacceptable size") from error
        if game is not self._state.game:
            self._new_board(game)
            self._player.new_game(game, self._number)
        return ""

    def _clear_board(self, words: list[str]) -> str:
        self._number += 1
        self._new_board(self._state.game)
        self._clocks = [None, None]
        self._player.new_game(self._state.game, self._number)
        return ""

    def _turn(self, words: list[str]) -> None:
        """Set the side to move to the named colour by playing an omitted pass."""
        colours = {colour[:length]: side for side, colour in enumerate(COLOURS) for length in (1, 5)}
        colour = words[0].lower() if words else ""
        if colour not in colours:
            raise GameError("syntax error: expected black or white")
        state = self._state
        if not state.over and state.mover != colours[colour]:
            if state.legal != [PASS]:
                raise GameError(f"illegal move: {COLOURS[state.mover]} is to move")
            self._history.append(state.play(PASS))

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise GameError("syntax error: expected play COLOUR SQUARE")
        if self._state.over and words[1].lower() == "pass":
            return ""
        before = len(self._history)
        self._turn(words)
        try:
            self._history.append(self._state.play(words[1]))
        except GameError as error:
            del self._history[before:]
            raise GameError(f"illegal move: {error}") from error
        return ""

    def _genmove(self, words: list[str]) -> str:
        text = self._reg_genmove(words)
        if not self._state.over:
            self._history.append(self._state.play(text))
        return text

    def _reg_genmove(self, words: list[str]) -> str:
        self._turn(words)
        state = self._state
        if state.over:
            return "pass"
        began = time.monotonic()
        move = self._player.choose(state, self._limit(state.mover)).move
        clock = self._clocks[state.mover]
        if clock is not None:
            self._clocks[state.mover] = max(clock - (time.monotonic() - began), 0.0)
        return gtp_move(state, move)

    def _limit(self, side: int) -> Limit:
        if self._own_limit is not None:
            return self._own_limit
        clock = self._clocks[side]
        if clock is not None:
            return Limit(clock=clock)
        return Limit(time=DEFAULT_SECONDS if self._per_move is None else self._per_move)

    def _undo(self, words: list[str]) -> str:
        if len(self._history) == 1:
            raise GameError("cannot undo")
        self._history.pop()
        return ""

    def _time_settings(self, words: list[str]) -> str:
        numbers = [read_decimal(word) for word in words]
        if len(numbers) != 3 or any(number is None or number < 0 for number in numbers):
            raise GameError("syntax error: expected time_settings MAIN BYO_YOMI STONES, in seconds")
        main, byo_yomi, stones = (number or 0.0 for number in numbers)
        self._clocks = [main, main] if main > 0 else [None, None]
        self._per_move = byo_yomi / stones if stones > 0 and byo_yomi > 0 else None
        return ""

    def _time_left(self, words: list[str]) -> str:
        seconds = read_decimal(words[1]) if len(words) == 3 else None
        stones = read_whole(words[2], 0, 1000) if len(words) == 3 else None
        colours = [side for side, colour in enumerate(COLOURS) if words and colour[0] == words[0].lower()[:1]]
        if seconds is None or seconds < 0 or stones is None or not colours:
            raise GameError("syntax error: expected time_left COLOUR SECONDS STONES")
        self._clocks[colours[0]] = seconds if stones == 0 else None
        if stones > 0:
            self._per_move = seconds / stones
        return ""

    def _final_score(self, words: list[str]) -> str:
        if not self._state.over:
            raise GameError("cannot score")
        position = self._state.position
        margin = int(popcount(position.own)) - int(popcount(position.enemy))
        margin = margin if position.mover == BLACK else -margin
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin)}"


_OK = r"=.*"
"""Pattern of an answer; it ends with an empty line."""

PROTOCOL = Protocol(
    "gtp",
    GtpPlayer,
    GtpEngine,
    games=("othello",),
    options=None,
    exchanges=(
        Exchange(r"name", r"=.*\S.*", "= Foo"),
        Exchange(r"list_commands", _OK, "= genmove"),
        Exchange(r"genmove \w+", r"= ?([a-hA-H][1-8]|[pP][aA][sS]{2})", "= {}", move=r"[a-hA-H][1-8]|pass"),
        Exchange(r"play \w+ pass", r"[=?].*", "="),
        Exchange(r".+", _OK, "="),
    ),
    remarks=r"[\w.-]*",
)
