"""`nboard`: the line protocol of the NBoard Othello GUI and of strong public engines.

    > nboard 2 · set depth 10 · set game (;GM[Othello]…;) · ping 1            < set myname Foo · pong 1
    > move F5 · ping 2 · go                                                  < pong 2 · === D6/1.50/0.2
    > hint 3                                                                 < search D6C3 1.50 0 10

The engine does not play its own answer: it waits for `move`. A pass is `PA`. Evaluations are in discs from the mover's
point of view; ours are 64 times the value. Unknown commands are ignored. The protocol has no clock: engines search to
their depth. Source: the protocol description by Chris Welty, the author of NBoard.
"""

import time

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, Player
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine_options import EngineOption
from starscout.protocols.protocol import EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.records.ggf import read_ggf, write_ggf
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.search.limits import Limit
from starscout.settings.options import read_whole

VERSION = 2
DEPTH = 10
"""The depth of engines if the limit has none."""
DISCS = 64
CONTEMPT = EngineOption("contempt", "spin", "0")
"""Contempt for draws in hundredths of a disc: the only option of the protocol besides the depth."""


class NboardPlayer(RemotePlayer):
    """An NBoard engine as a player. It receives the depth of the limit, not its time."""

    def _greet(self, channel: Channel, game: Game) -> None:
        self._pings = 0
        self.announced = {CONTEMPT.name: CONTEMPT}
        channel.send_line(f"nboard {VERSION}", deadline_in(REPLY))
        self._synchronise(channel, deadline_in(self.ready_timeout))

    def _set_option(self, channel: Channel, option: EngineOption, value: str) -> None:
        channel.send_line(f"set {option.name} {value}", deadline_in(REPLY))

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        game = GameRecord(start.game.name, start.text, ("black", "white"), (), None, ADJOURNED)
        depth = self.limits[side].depth or DEPTH
        deadline = deadline_in(REPLY)
        channel.send_line(f"set depth {depth}", deadline)
        channel.send_line(f"set game {write_ggf(game)}", deadline)

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        self._synchronise(channel, deadline)
        channel.send_line("go", deadline)
        while not (line := channel.line(deadline)).startswith("==="):
            pass
        words = line[3:].replace("/", " ").split()
        return Decision(read_move(state, words[0] if words else "", self.name))

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        channel.send_line(f"move {nboard_move(state, move)}", deadline_in(REPLY))

    def _leave(self, channel: Channel) -> None:
        channel.send_line("quit", deadline_in(REPLY))

    def _synchronise(self, channel: Channel, deadline: Deadline) -> None:
        """Skip everything that the engine has sent so far."""
        self._pings += 1
        channel.send_line(f"ping {self._pings}", deadline)
        while channel.line(deadline).split() != ["pong", str(self._pings)]:
            pass


def nboard_move(state: State, move: int) -> str:
    """Format a move: `F5`, or `PA` for a pass."""
    text = state.game.format_move(state.position, move)
    return "PA" if text == "pass" else text.upper()


class NboardEngine:
    """Serves a player to NBoard."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._player = player
        self._connection = connection
        self._name = settings.name
        self._limit = settings.limit
        self._depth = DEPTH
        self._state = start(games.load("othello"))

    def serve(self) -> None:
        """Answer until `quit`; all kernels are compiled before the first answer."""
        self._player.new_game(self._state.game, 0)
        while (line := self._connection.line()) is not None:
            command, _, rest = line.strip().partition(" ")
            if command == "quit":
                break
            try:
                self._obey(command, rest.strip())
            except GameError as error:
                self._connection.send(f"status {error}")
        self._player.close()

    def _obey(self, command: str, rest: str) -> None:
        match command:
            case "set":
                self._set(*rest.split(maxsplit=1))
            case "move":
                self._state = self._state.play(rest.split("/")[0])
            case "ping":
                self._connection.send(f"pong {rest}")
            case "go":
                self._go()
            case "hint":
                self._hint(read_whole(rest, 1, 1000) or 1)
            case "learn":
                self._connection.send("learned")

    def _set(self, name: str = "", value: str = "") -> None:
        if name == "depth":
            self._depth = read_whole(value, 1, 1000) or self._depth
            self._connection.send(f"set myname {self._name}")
        elif name == "game":
            record = next(read_ggf(value), None)
            if record is None:
                raise GameError("set game: expected a game in GGF")
            if isinstance(record, RecordError):
                raise record
            *_, self._state = record.states()
            self._player.new_game(self._state.game, 0)

    def _think(self) -> tuple[Decision, float]:
        if self._state.over:
            raise GameError("the game is over")
        began = time.perf_counter()
        self._connection.send(f"status {self._name} is thinking")
        decision = self._player.choose(self._state, self._limit or Limit(depth=self._depth))
        self._connection.send("status")
        return decision, time.perf_counter() - began

    def _go(self) -> None:
        decision, seconds = self._think()
        value = "" if decision.value is None else f"{DISCS * decision.value:.2f}"
        self._connection.send(f"=== {nboard_move(self._state, decision.move)}/{value}/{seconds:.3f}")

    def _hint(self, count: int) -> None:
        decision, _ = self._think()
        values = {report.move: report.value for report in decision.moves if report.value is not None}
        values.setdefault(decision.move, 1.0 if decision.value is None else decision.value)
        best = sorted(values, key=lambda move: (move != decision.move, -values[move]))
        for move in best[:count]:
            text = nboard_move(self._state, move)
            self._connection.send(f"search {text} {DISCS * values[move]:.2f} 0 {decision.depth or self._depth}")


PROTOCOL = Protocol(
    "nboard",
    NboardPlayer,
    NboardEngine,
    games=("othello",),
    options=(CONTEMPT,),
    exchanges=(
        Exchange(r"ping \d+", r"pong \d+", "pong 1"),
        Exchange(r"go", r"===\s*\S+.*", "=== {}", move=r"[a-hA-H][1-8]|PA"),
    ),
    remarks=r"(set|status|search|nodestats|book|learn|learned|pong)\b.*|",
)
