"""Records of the EWN course server: its own lines, and a compact form with one game per line.

The server's lines, one game after the other:           The compact form:

    * order RB                                          RB ChessTotheCorner | b1 … b6 r1 … r6 | 1A1B1 5E3D3 …
    * board 5 6
    * time 60 0 0                                       (order and ending | squares | die, from, to)
    * ini b1 … b6 r1 … r6
    * 1. R 1 A1 B1                                      Blank lines and lines that begin with # are ignored.
    * ChessTotheCorner NAME wins
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.game.notation import format_board, square_name, square_number
from starscout.games.ewn.board import BLUE, RED
from starscout.records.record import GameRecord, RecordError
from starscout.records.replay import Replay

ENDINGS = {"ChessTotheCorner": "corner", "NoMove": "captured all", "TimeOut": "timeout"}
SIZE, CUBES = 5, 6


def read_compact(text: str) -> Iterator[GameRecord | RecordError]:
    """The games of a compact file; a line that is not a legal game is an error."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield _compact_game(line, number)
        except RecordError as error:
            yield error


def _compact_game(line: str, number: int) -> GameRecord:
    parts = [part.split() for part in line.split("|")]
    if len(parts) != 3 or len(parts[0]) != 2:
        raise RecordError(number, f"expected 'ORDER ENDING | squares | moves', got {line[:60]!r}")
    (order, ending), squares, moves = parts
    replay = Replay("ewn", _start_text(squares, order, number), number)
    for move in moves:
        match = re.fullmatch(r"([0-9])([A-Z][0-9])([A-Z][0-9])", move)
        if not match:
            raise RecordError(number, f"{move!r} is not a die, from and to, like 1A1B1")
        replay.add(int(match[1]), match[2] + match[3], number)
    return replay.finished(_claim(ending, order, len(moves), number))


def read_server(text: str) -> Iterator[GameRecord | RecordError]:
    """The games of a file of server lines; after an error the next game begins at the next `* order`."""
    game: _ServerGame | None = None
    faulty = False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#") or (faulty and words[:2] != ["*", "order"]):
            continue
        faulty = False
        try:
            if words[0] != "*" or len(words) < 2:
                raise RecordError(number, f"a line of a server record begins with '* ', got {line[:60]!r}")
            if words[1] == "order":
                unfinished, game = game, None
                if unfinished is not None:
                    yield unfinished.finished(None)
                game = _ServerGame(number, words[2:])
            elif game is None:
                raise RecordError(number, f"the record begins with '* order RB', got {line[:60]!r}")
            elif words[1] in ENDINGS:
                finished, game = game, None
                yield finished.finished(_claim(words[1], finished.order, finished.plies, number))
            else:
                game.read(words[1], words[2:], number)
        except RecordError as error:
            yield error
            game, faulty = None, True
    if game is not None:
        try:
            yield game.finished(None)
        except RecordError as error:
            yield error


class _ServerGame:
    """A game whose lines are being read."""

    def __init__(self, line: int, order: list[str]) -> None:
        if order not in (["RB"], ["BR"]):
            raise RecordError(line, f"the order is RB or BR, not {' '.join(order)!r}")
        self.order, self.plies = order[0], 0
        self._line = line
        self._replay: Replay | None = None

    def read(self, keyword: str, words: list[str], line: int) -> None:
        """One line between the order and the ending."""
        if keyword == "board":
            if words != [str(SIZE), str(CUBES)]:
                raise RecordError(line, f"only 'board {SIZE} {CUBES}' is known, got {' '.join(words)!r}")
        elif keyword == "ini":
            self._replay = Replay("ewn", _start_text(words, self.order, line), line)
        elif re.fullmatch(r"[0-9]{1,6}\.", keyword):
            self._add(int(keyword[:-1]), words, line)
        elif keyword != "time":
            raise RecordError(line, f"{keyword!r} is not a line of a server record")

    def _add(self, ply: int, words: list[str], line: int) -> None:
        if len(words) != 4 or not re.fullmatch(r"[0-9]{1,3}", words[1]):
            raise RecordError(line, f"a move is 'COLOUR DIE FROM TO', got {' '.join(words)!r}")
        colour, die, start, target = words
        if ply != self.plies + 1 or colour != self.order[(ply - 1) % 2]:
            wanted = f"{self.plies + 1}. {self.order[self.plies % 2]}"
            raise RecordError(line, f"move {wanted} was expected, got '{ply}. {colour}'")
        self._started().add(int(die), start + target, line)
        self.plies += 1

    def finished(self, claimed: Outcome | None) -> GameRecord:
        """The record of the whole game."""
        return self._started().finished(claimed)

    def _started(self) -> Replay:
        if self._replay is None:
            raise RecordError(self._line, "the game has no line '* ini …'")
        return self._replay


def write_server(record: GameRecord, seconds: int = 60) -> str:
    """A game as the server's lines."""
    if record.game != "ewn":
        raise GameError(f"the server's format is for ewn, not for {record.game}")
    board, mover, _ = record.start.split()
    squares = board.replace("/", "")
    order = "RB" if mover == "r" else "BR"
    places = [square_name(squares.index(piece), SIZE) for piece in "abcdef123456"]
    lines = [f"* order {order}", f"* board {SIZE} {CUBES}", f"* time {seconds} 0 0", f"* ini {' '.join(places)}"]
    for number, ply in enumerate(record.plies):
        lines.append(f"* {number + 1}. {order[number % 2]} {ply.roll} {ply.text[:2]} {ply.text[2:]}")
    if record.winner is not None:
        ending = {reason: ending for ending, reason in ENDINGS.items()}.get(record.reason, "TimeOut")
        lines.append(f"* {ending} {record.players[record.winner]} wins")
    return "\n".join(lines) + "\n"


def _start_text(squares: list[str], order: str, line: int) -> str:
    if order not in ("RB", "BR"):
        raise RecordError(line, f"the order is RB or BR, not {order!r}")
    if len(squares) != 2 * CUBES:
        raise RecordError(line, f"{2 * CUBES} start squares are needed (blue's, then red's), got {len(squares)}")
    characters = ["."] * SIZE * SIZE
    for piece, name in zip("abcdef123456", squares, strict=True):
        try:
            square = square_number(name, SIZE, SIZE)
        except GameError as error:
            raise RecordError(line, str(error)) from error
        if characters[square] != ".":
            raise RecordError(line, f"two cubes start on {name}")
        characters[square] = piece
    return f"{format_board(''.join(characters), SIZE)} {order[0].lower()} -"


def _claim(ending: str, order: str, plies: int, line: int) -> Outcome:
    """The last mover won, also on time: the side to move overstepped it."""
    if ending not in ENDINGS:
        raise RecordError(line, f"{ending!r} is not an ending: {', '.join(ENDINGS)}")
    last = order[(plies - 1) % 2]
    return Outcome(RED if last == "R" else BLUE, ENDINGS[ending])
