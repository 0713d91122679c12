"""Records of the EWN course server, and a compact format with one game per line.

The server's format, one game after another:            The compact format:

    * order RB                                          RB ChessTotheCorner | b1 … b6 r1 … r6 | 1A1B1 5E3D3 …
    * board 5 6
    * time 60 0 0                                       (order and ending | squares | die, from, to)
    * ini b1 … b6 r1 … r6
    * 1. R 1 A1 B1                                      Blank lines and lines starting with # are ignored.
    * ChessTotheCorner NAME wins
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.game.notation import format_board, square_name, square_number
from starscout.games.ewn.board import BLUE, RED
from starscout.records.record import GameRecord, RecordError, Replay

ENDINGS = {"ChessTotheCorner": "corner", "NoMove": "captured all", "TimeOut": "timeout"}
SIZE, CUBES = 5, 6


def read_compact(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a compact file; yields an error for each line that is not a legal game."""
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
            raise RecordError(number, f"move: expected die, from and to, such as 1A1B1, got {move!r}")
        replay.add(int(match[1]), match[2] + match[3], number)
    return replay.finished(_claim(ending, order, len(moves), number))


def read_server(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a server file; after an error, reading continues at the next `* order`."""
    game: _ServerGame | None = None
    faulty = False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#") or (faulty and words[:2] != ["*", "order"]):
            continue
        faulty = False
        try:
            if words[0] != "*" or len(words) < 2:
                raise RecordError(number, f"expected a line starting with '* ', got {line[:60]!r}")
            if words[1] == "order":
                unfinished, game = game, None
                if unfinished is not None:
                    yield unfinished.finished(None)
                game = _ServerGame(number, words[2:])
            elif game is None:
                raise RecordError(number, f"expected '* order RB' or '* order BR', got {line[:60]!r}")
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
    """A game that is being read."""

    def __init__(self, line: int, order: list[str]) -> None:
        if order not in (["RB"], ["BR"]):
            raise RecordError(line, f"order: expected RB or BR, got {' '.join(order)!r}")
        self.order, self.plies = order[0], 0
        self._line = line
        self._replay: Replay | None = None

    def read(self, keyword: str, words: list[str], line: int) -> None:
        """Read a line between the order and the ending."""
        if keyword == "board":
            if words != [str(SIZE), str(CUBES)]:
                raise RecordError(line, f"board: expected '{SIZE} {CUBES}', got {' '.join(words)!r}")
        elif keyword == "ini":
            self._replay = Replay("ewn", _start_text(words, self.order, line), line)
        elif re.fullmatch(r"[0-9]{1,6}\.", keyword):
            self._add(int(keyword[:-1]), words, line)
        elif keyword != "time":
            raise RecordError(line, f"unknown keyword {keyword!r}")

    def _add(self, ply: int, words: list[str], line: int) -> None:
        if len(words) != 4 or not re.fullmatch(r"[0-9]{1,3}", words[1]):
            raise RecordError(line, f"move: expected 'COLOUR DIE FROM TO', got {' '.join(words)!r}")
        colour, die, start, target = words
        if ply != self.plies + 1 or colour != self.order[(ply - 1) % 2]:
            wanted = f"{self.plies + 1}. {self.order[self.plies % 2]}"
            raise RecordError(line, f"expected move '{wanted}', got '{ply}. {colour}'")
        self._started().add(int(die), start + target, line)
        self.plies += 1

    def finished(self, claimed: Outcome | None) -> GameRecord:
        """Build the record of the game."""
        return self._started().finished(claimed)

    def _started(self) -> Replay:
        if self._replay is None:
            raise RecordError(self._line, "the line '* ini …' is missing")
        return self._replay


def write_server(record: GameRecord, seconds: int = 60) -> str:
    """Format a game for the server."""
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
        raise RecordError(line, f"order: expected RB or BR, got {order!r}")
    if len(squares) != 2 * CUBES:
        raise RecordError(line, f"expected {2 * CUBES} start squares (blue's, then red's), got {len(squares)}")
    characters = ["."] * SIZE * SIZE
    for piece, name in zip("abcdef123456", squares, strict=True):
        try:
            square = square_number(name, SIZE, SIZE)
        except GameError as error:
            raise RecordError(line, str(error)) from error
        if characters[square] != ".":
            raise RecordError(line, f"two cubes on square {name}")
        characters[square] = piece
    return f"{format_board(''.join(characters), SIZE)} {order[0].lower()} -"


def _claim(ending: str, order: str, plies: int, line: int) -> Outcome:
    """The claimed outcome: the last mover won, even if the opponent ran out of time."""
    if ending not in ENDINGS:
        raise RecordError(line, f"ending: expected one of {', '.join(ENDINGS)}, got {ending!r}")
    last = order[(plies - 1) % 2]
    return Outcome(RED if last == "R" else BLUE, ENDINGS[ending])
