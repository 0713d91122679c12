"""`tcg-dark`: the course's protocol for dark chess, over standard input and output.

    > ????????/????????/????????/???????? r 600000 600000      board, side to move, milliseconds of red and black
    < FLIP D2                                                  or MOVE A1 A2
    > ????????/???N????/????????/???????? r -9999 -9999        a board of the other side: no answer

The board lacks the pool of unrevealed pieces and the count of quiet plies. An engine derives them from the boards that
it has seen; that is why it is shown those of the other side. A board with 32 hidden pieces begins a new game. With
all pieces face up (dark-chess-open) only the side to move is sent a board, without times.
"""

from starscout.game import Game, GameError
from starscout.game.state import State, parse
from starscout.games.dark_chess.rules import QUIET_LIMIT, parse_board, piece_set
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import Course, EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

DARK, OPEN = ("dark-chess", "dark-chess-reset"), "dark-chess-open"
GAME_SECONDS, PLY_SECONDS = 600.0, 5.0
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
        """Remove pieces of the commonest kinds until the pool fits: some were captured on boards that were not seen."""
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


PROTOCOL = Protocol(
    "tcg-dark",
    TcgDarkPlayer,
    TcgDarkEngine,
    games=(*DARK, OPEN),
    says_ready=False,
    exchanges=(
        Exchange(r"[\w?./-]+ [rb]( \d+ \d+)?", r"FLIP [A-H]\d|MOVE [A-H]\d [A-H]\d", "FLIP D2", move=r"[a-hA-H]\d"),
    ),
    courses={
        **{name: Course(Limit(clock=GAME_SECONDS), Schedule(shared=False, shuffled=False)) for name in DARK},
        OPEN: Course(Limit(time=PLY_SECONDS), Schedule(shared=False, shuffled=False)),
    },
)
