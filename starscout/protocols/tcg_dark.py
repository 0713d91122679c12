"""`tcg-dark`: the course's protocol for dark chess, over standard input and output.

    > ????????/????????/????????/???????? r 600000 600000      board, side to move, milliseconds of red and black
    < FLIP D2                                                  or MOVE A1 A2
    > ????????/???N????/????????/???????? r -9999 -9999        a board of the other side: no answer

The board lacks the pool of unrevealed pieces and the count of quiet plies. An engine derives them from the boards that
it has received, which is why it also receives those of the other side. A board with 32 hidden pieces begins a new game.
With all pieces face up (dark-chess-open) only the side to move is sent a board, without times.

`CourseReferee` speaks the commands of the course's referee program, which its match script starts beside two engines:

    START 1            a new game, or START 0 with all pieces face up
    STATE              IN-PLAY, the board; or RED WINS, BLACK WINS or DRAW, the board, the reason
    FLIP A1, MOVE A1 B1
    QUIT
"""

import random
import re

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, parse
from starscout.game.state import start as start_of
from starscout.games.dark_chess.rules import QUIET_LIMIT, mover_colour, parse_board, piece_set
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import Course, EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

DARK, OPEN = ("dark-chess", "dark-chess-reset"), "dark-chess-open"
GAME_SECONDS, PLY_SECONDS = 600.0, 5.0
GAME_MEMORY, PLY_MEMORY = 1024, 400
"""Megabytes of address space in the final project and in homework 2."""
NO_ANSWER = "-9999 -9999"


def board_line(state: State) -> str:
    """The board and the colour to move."""
    return " ".join(state.game.format(state.position, state.roll).split()[:2])


def red_side(state: State) -> int:
    """The side that plays red; the first one before colours are assigned."""
    return 1 if state.position.colours == 2 else 0


class TcgDarkPlayer(RemotePlayer):
    """A course engine as a player. One process plays all games of a match."""

    supports_take_back = False

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        self._side = side

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        times = "" if state.game.name == OPEN else f" {self._times(state, limit)}"
        channel.send_line(board_line(state) + times, deadline)
        text = channel.line(deadline).strip()
        if text.split()[:1] not in (["FLIP"], ["MOVE"]):
            expected = "expected FLIP A1 or MOVE A1 B1"
            raise PlayerError("illegal move", f"{self.name} answered {text[:60]!r}: {expected}")
        return Decision(read_move(state, text[:60], self.name))

    def _times(self, state: State, limit: Limit) -> str:
        """Milliseconds left of red and black."""
        limits = self.limits or (limit, limit)
        seconds = [each.clock or each.time or GAME_SECONDS for each in limits]
        red = red_side(state)
        return f"{1000 * seconds[red]:.0f} {1000 * seconds[1 - red]:.0f}"

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        if state.mover != self._side and state.game.name != OPEN:
            channel.send_line(f"{board_line(state)} {NO_ANSWER}", deadline_in(REPLY))


class BoardTracker:
    """Derives the pool and the quiet plies of a game from its boards."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._squares = ""
        self._pool = piece_set()
        self._quiet = 0

    def see(self, board: str, side: str) -> State:
        """The state of the next board; raises GameError."""
        squares = parse_board(board)
        known = self._squares
        revealed = [square for square in range(len(squares)) if known[square : square + 1] == "?" != squares[square]]
        is_new = not known or squares.count("?") > known.count("?") or _pieces(squares) > _pieces(known)
        if is_new:
            self._pool, self._quiet = piece_set(), 0
            for letter in squares:
                self._pool[letter] -= letter.isalpha()
        elif _pieces(squares) < _pieces(known):
            self._quiet = 0
        elif not revealed and squares != known:
            self._quiet = min(self._quiet + 1, QUIET_LIMIT - 1)
        if not is_new:
            for square in revealed:
                self._pool[squares[square]] -= 1
        self._squares = squares
        self._fit_pool(squares.count("?"))
        pool = "".join(self._pool.elements())
        first = "-" if squares.count("?") == len(squares) else "r"
        return parse(self._game, f"{board} {side} {self._quiet} {pool or '-'} {first}")

    def _fit_pool(self, hidden: int) -> None:
        """Remove pieces of the most frequent kinds until the pool fits: some were captured on boards not received."""
        self._pool = +self._pool
        while self._pool.total() > hidden:
            self._pool[self._pool.most_common(1)[0][0]] -= 1


def _pieces(squares: str) -> int:
    """The number of pieces, hidden or not."""
    return len(squares) - squares.count(".")


class TcgDarkEngine:
    """Serves a player as a course engine."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        assert settings.game is not None, "the protocol does not name the game"
        self._player, self._connection, self._game = player, connection, settings.game
        self._limit = settings.limit

    def serve(self) -> None:
        """Answer boards until the input ends."""
        games, plies = 0, 0
        self._player.new_game(self._game, games)
        tracker = BoardTracker(self._game)
        while (line := self._connection.line()) is not None:
            words = line.split()
            if not words:
                continue
            if len(words) not in (2, 4):
                raise GameError(f"expected a board, a side and two times, got {line[:100]!r}")
            if words[0].count("?") == 32 and plies:
                games, plies, tracker = games + 1, 0, BoardTracker(self._game)
                self._player.new_game(self._game, games)
            state = tracker.see(words[0], words[1])
            plies += 1
            milliseconds = self._milliseconds(words)
            if (milliseconds is not None and milliseconds < 0) or state.over:
                continue
            move = self._player.choose(state, self._allowed(milliseconds)).move
            text = self._game.format_move(state.position, move)
            self._connection.send(f"FLIP {text}" if len(text) == 2 else f"MOVE {text[:2]} {text[2:]}")
        self._player.close()

    def _milliseconds(self, words: list[str]) -> float | None:
        """The time left of the side to move; None if the board has no times."""
        if len(words) == 2:
            return None
        try:
            return float(words[2] if words[1] == "r" else words[3])
        except ValueError as error:
            raise GameError(f"times: expected two numbers of milliseconds, got {' '.join(words[2:])!r}") from error

    def _allowed(self, milliseconds: float | None) -> Limit:
        if self._limit is not None:
            return self._limit
        return Limit(time=0.8 * PLY_SECONDS) if milliseconds is None else Limit(clock=max(milliseconds / 1000.0, 0.01))


COLOURS = ("RED", "BLACK")
REASONS = {
    "30 quiet plies": "30 moves without captures.",
    "stalemate": "Stalemate.",
    "captured all": "All pieces eliminated.",
}
SQUARE = re.compile("[A-H][1-4]")


class CourseReferee:
    """The course's referee program, without its loopholes: illegal moves lose the game."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._state: State | None = None
        self._loser: int | None = None
        """The colour that made an illegal move."""

    def answers(self, line: str) -> list[str] | None:
        """The lines that answer a command; None: goodbye."""
        command, *words = line.split() or [""]
        if command == "QUIT":
            return None
        if command == "START":
            return self._start(words)
        if command not in ("STATE", "FLIP", "MOVE"):
            return ["ERR Unknown command"]
        if self._state is None:
            return ["ERR Run START first"]
        if command == "STATE":
            return self._describe(self._state)
        if len(words) != (1 if command == "FLIP" else 2):
            return ["ERR Invalid Move Format"]
        self._make(self._state, command, words)
        return ["OK"]

    def _start(self, words: list[str]) -> list[str]:
        if words not in (["0"], ["1"]):
            return ["ERR Bad Command"]
        game, self._loser = games.load(DARK[0] if words == ["1"] else OPEN), None
        self._state = start_of(game, self._random.getrandbits(60))
        return ["OK"]

    def _describe(self, state: State) -> list[str]:
        board, winner, reason = board_line(state), None, "Illegal move."
        if state.over and state.outcome is not None:
            reason = REASONS[state.outcome.reason]
            winner = None if state.outcome.winner is None else _colour(state, state.outcome.winner)
            if winner is None:
                return ["DRAW", board, reason, "OK"]
        elif self._loser is not None:
            winner = 1 - self._loser
        return ["IN-PLAY", board, "OK"] if winner is None else [f"{COLOURS[winner]} WINS", board, reason, "OK"]

    def _make(self, state: State, command: str, words: list[str]) -> None:
        """Make a move and reveal the flipped piece; an illegal move is remembered for the rest of the game."""
        if state.over or self._loser is not None:
            return
        move = "".join(words)
        is_flip = command == "FLIP"
        if not all(map(SQUARE.fullmatch, words)) or move not in state.moves or (len(move) == 2) != is_flip:
            self._loser = int(mover_colour(state.position))
            return
        state = state.play(move)
        self._state = state.rolled(self._random) if state.needs_roll and not state.over else state

    def serve(self, connection: RefereeConnection) -> None:
        """Answer commands until QUIT or the end of the input."""
        while (line := connection.line()) is not None:
            answers = self.answers(line)
            connection.send("BYE" if answers is None else "\n".join(answers))
            if answers is None:
                break


def _colour(state: State, side: int) -> int:
    """The colour of a side."""
    return side if red_side(state) == 0 else 1 - side


PROTOCOL = Protocol(
    "tcg-dark",
    TcgDarkPlayer,
    TcgDarkEngine,
    games=(*DARK, OPEN),
    says_ready=False,
    referee=CourseReferee,
    exchanges=(
        Exchange(r"[\w?./-]+ [rb]( \d+ \d+)?", r"FLIP [A-H]\d|MOVE [A-H]\d [A-H]\d", "FLIP D2", move=r"[a-hA-H]\d"),
    ),
    courses={
        **{
            name: Course(Limit(clock=GAME_SECONDS), Schedule(shared=False, shuffled=False), GAME_MEMORY)
            for name in DARK
        },
        OPEN: Course(Limit(time=PLY_SECONDS), Schedule(shared=False, shuffled=False), PLY_MEMORY),
    },
)
