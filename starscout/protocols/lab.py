"""`lab`: our line protocol between a referee and an engine, for any game, with dice. The referee's side.

    > lab 1                             < id name Foo · game ewn kari · option name seed … · labok
    > newgame ewn seat 1 · isready      < readyok
    > position start 123../45.../6...f/...ed/..cba r - moves 4 A2B3 6 E3D3
    > go die 4 movetime 1000            < info depth 5 nodes 120000 score 0.226 pv A2B3 · bestmove A2B3
    > result p1 reason corner

Seats count from 1 in the order of the game's sides, so `p1` is red or black. The other side is `lab_engine.py`.
"""

import math
import secrets

from starscout.game import Game
from starscout.players.player import Decision, PlayerError
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of
from starscout.protocols.remote import REPLY, RemotePlayer, read_move
from starscout.search.limits import Limit
from starscout.state import State

VERSION = 1
SEED_OPTION = "seed"

_MOST_NAMES = 1000
"""Names of games and of options that are remembered of an engine."""


class LabPlayer(RemotePlayer):
    """An engine that speaks `lab`. After an illegal move, or a late one over a lasting line, it plays on."""

    recovery = 2.0
    """Seconds that it has to become ready after it has failed to answer."""

    def _greet(self, channel: Channel, game: Game) -> None:
        self.survives = ("illegal move", "timeout", "stalled") if self._link.lasting else ("illegal move",)
        self._options: set[str] = set()
        self._games: set[str] = set()
        self._late = False
        channel.send_line(f"lab {VERSION}", deadline_in(REPLY))
        deadline = deadline_in(self.patience)
        while (line := _clean(channel.line(deadline))) != "labok":
            words = line.split()
            if words[:1] == ["game"] and len(self._games) < _MOST_NAMES:
                self._games.update(words[1:])
            elif words[:2] == ["option", "name"] and len(words) > 2 and len(self._options) < _MOST_NAMES:
                self._options.add(words[2])

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        self._start, self._moves = start.text, []
        game = start.game
        if self._games and not {game.name, game.family, "*"} & self._games:
            raise PlayerError(
                "crash", f"{self.name} does not play {game.name}: it plays {' '.join(sorted(self._games))}"
            )
        deadline = deadline_in(self.recovery if self._late else self.patience)
        try:
            if SEED_OPTION in self._options:
                channel.send_line(f"setoption name {SEED_OPTION} value {self._seed % 2**32}", deadline)
            channel.send_line(f"newgame {game.name} seat {side + 1}", deadline)
            self._wait_until_ready(channel, deadline)
        except PlayerError:
            # Not even ready: nothing can be expected of this line any more.
            self._drop()
            raise
        self._late = False

    def _wait_until_ready(self, channel: Channel, deadline: Deadline) -> None:
        if self._late:
            # An answer to an old question may still be on its way: a ping that nobody can guess comes after it.
            word = secrets.token_hex(8)
            channel.send_line(f"ping {word}", deadline)
            while _clean(channel.line(deadline)) != f"pong {word}":
                pass
        channel.send_line("isready", deadline)
        while _clean(channel.line(deadline)) != "readyok":
            pass

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        message = f"position start {self._start}{moves}\n{go_line(state, limit, self.limits)}\n"
        known: dict[str, str] = {}
        try:
            channel.send(message.encode(), deadline)
            while True:
                words = _clean(channel.line(deadline)).split()
                if words[:1] == ["info"]:
                    known.update(_info(words))
                elif words[:1] == ["bestmove"]:
                    break
        except PlayerError:
            self._late = True
            raise
        text = words[1] if len(words) > 1 else ""
        try:
            move = read_move(state, text, self.name)
        except PlayerError:
            channel.send_line(f"? illegal move {text}", deadline_in(REPLY))
            raise
        return Decision(
            move,
            value=_score(known.get("score")),
            depth=_count(known.get("depth")),
            nodes=_count(known.get("nodes")),
            simulations=_count(known.get("simulations")),
            line=tuple(known.get("pv", "").split()),
        )

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        text = state.game.format_move(state.position, move)
        self._moves.append(f"{state.roll} {text}" if state.game.has_dice else text)

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        result = "draw" if winner is None else f"p{winner + 1}"
        stop = "stop\n" if self._late else ""
        channel.send(f"{stop}result {result} reason {reason}\n".encode(), deadline_in(REPLY))

    def _leave(self, channel: Channel) -> None:
        channel.send_line("quit", deadline_in(REPLY))


def go_line(state: State, limit: Limit, limits: tuple[Limit, Limit]) -> str:
    """`go` with the die and everything that limits the move; `limits` are those of both sides."""
    words = ["go"]
    if state.game.has_dice:
        words.append(f"die {state.roll}")
    if limit.clock is not None:
        for name, value in (("time", lambda side: side.clock), ("inc", lambda side: side.increment)):
            words += [
                f"p{seat}{name} {_milliseconds(value(side))}"
                for seat, side in enumerate(limits, 1)
                if side.clock is not None
            ]
    if limit.time is not None:
        words.append(f"movetime {_milliseconds(limit.time)}")
    for name in ("depth", "nodes", "simulations"):
        if (number := getattr(limit, name)) is not None:
            words.append(f"{name} {number}")
    return " ".join(words)


def _clean(line: str) -> str:
    """The line without its comment."""
    return line.partition("#")[0].strip()


def _info(words: list[str]) -> dict[str, str]:
    """The pairs of an info line; the line of play takes all the rest."""
    found = {}
    index = 1
    while index + 1 < len(words):
        name = words[index]
        found[name] = " ".join(words[index + 1 :]) if name == "pv" else words[index + 1]
        if name == "pv":
            break
        index += 2
    return found


def _score(text: str | None) -> float | None:
    """A value in [−1, 1], or None for what is none."""
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) and -1 <= value <= 1 else None


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def _milliseconds(seconds: float | None) -> int:
    return round((seconds or 0.0) * 1000)
