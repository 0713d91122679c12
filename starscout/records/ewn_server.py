"""Records of the EWN course server: its own lines, and a compact form with a game a line.

The server's lines, one game after the other:           The compact form:

    * order RB                                          RB ChessTotheCorner | b1 … b6 r1 … r6 | 1A1B1 5E3D3 …
    * board 5 6
    * time 60 0 0                                       (order and ending | squares | die, from, to)
    * ini b1 … b6 r1 … r6
    * 1. R 1 A1 B1                                      Blank lines and lines that begin with # are passed over.
    * ChessTotheCorner NAME wins
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.games.cubes import BLUE, RED
from starscout.notation import format_board, square_name, square_number
from starscout.records.recorded import RecordedGame, RecordedPly, RecordError

ENDINGS = {"ChessTotheCorner": "corner", "NoMove": "captured all", "TimeOut": "timeout"}
SIZE, CUBES = 5, 6


def read_compact(text: str) -> Iterator[RecordedGame]:
    """The games of a compact file; raises RecordError at a line that has another form."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.split() for part in line.split("|")]
        if len(parts) != 3 or len(parts[0]) != 2:
            raise RecordError(number, f"expected 'ORDER ENDING | squares | moves', got {line[:60]!r}")
        (order, ending), squares, moves = parts
        plies = []
        for move in moves:
            match = re.fullmatch(r"([0-9])([A-Z][0-9])([A-Z][0-9])", move)
            if not match:
                raise RecordError(number, f"{move!r} is no die, from and to, like 1A1B1")
            plies.append(RecordedPly(int(match[1]), match[2] + match[3], number))
        start = _start_text(squares, order, number)
        yield RecordedGame("ewn", start, tuple(plies), _claim(ending, order, len(plies), number), number)


def read_server(text: str) -> Iterator[RecordedGame]:
    """The games of a file of server lines; raises RecordError at a line that has another form."""
    game: _Unfinished | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if words[0] != "*" or len(words) < 2:
            raise RecordError(number, f"a line of a server record begins with '* ', got {line[:60]!r}")
        keyword, rest = words[1], words[2:]
        if keyword == "order":
            if game is not None:
                yield game.finished(None)
            game = _Unfinished(number, rest)
        elif game is None:
            raise RecordError(number, f"the record begins with '* order RB', got {line[:60]!r}")
        elif keyword == "board":
            if rest != [str(SIZE), str(CUBES)]:
                raise RecordError(number, f"only 'board {SIZE} {CUBES}' is known, got {' '.join(rest)!r}")
        elif keyword == "ini":
            game.start = _start_text(rest, game.order, number)
        elif keyword in ENDINGS:
            yield game.finished(_claim(keyword, game.order, len(game.plies), number))
            game = None
        elif match := re.fullmatch(r"(\d+)\.", keyword):
            game.add(int(match[1]), rest, number)
        elif keyword != "time":
            raise RecordError(number, f"{keyword!r} is no line of a server record")
    if game is not None:
        yield game.finished(None)


class _Unfinished:
    """A game whose lines are still being read."""

    def __init__(self, line: int, order: list[str]) -> None:
        if order not in (["RB"], ["BR"]):
            raise RecordError(line, f"the order is RB or BR, not {' '.join(order)!r}")
        self.line = line
        self.order = order[0]
        self.start: str | None = None
        self.plies: list[RecordedPly] = []

    def add(self, ply: int, words: list[str], line: int) -> None:
        if len(words) != 4 or not words[1].isdigit():
            raise RecordError(line, f"a move is 'COLOUR DIE FROM TO', got {' '.join(words)!r}")
        colour, die, start, target = words
        if ply != len(self.plies) + 1 or colour != self.order[(ply - 1) % 2]:
            wanted = f"{len(self.plies) + 1}. {self.order[len(self.plies) % 2]}"
            raise RecordError(line, f"move {wanted} was expected, got '{ply}. {colour}'")
        self.plies.append(RecordedPly(int(die), start + target, line))

    def finished(self, claimed: Outcome | None) -> RecordedGame:
        if self.start is None:
            raise RecordError(self.line, "the game has no line '* ini …'")
        return RecordedGame("ewn", self.start, tuple(self.plies), claimed, self.line)


def write_server(recorded: RecordedGame, names: tuple[str, str], seconds: int = 60) -> str:
    """A finished game as the server's lines; `names` are red's and blue's."""
    board, mover, _ = recorded.start.split()
    squares = board.replace("/", "")
    order = "RB" if mover == "r" else "BR"
    places = [square_name(squares.index(piece), SIZE) for piece in "abcdef123456"]
    lines = [f"* order {order}", f"* board {SIZE} {CUBES}", f"* time {seconds} 0 0", f"* ini {' '.join(places)}"]
    for number, ply in enumerate(recorded.plies):
        lines.append(f"* {number + 1}. {order[number % 2]} {ply.roll} {ply.move[:2]} {ply.move[2:]}")
    claimed = recorded.claimed
    if claimed is not None and claimed.winner is not None:
        ending = {reason: ending for ending, reason in ENDINGS.items()}.get(claimed.reason, "TimeOut")
        lines.append(f"* {ending} {names[claimed.winner]} wins")
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
    """The last mover won; who overstepped the time was to move, so the last mover won then too."""
    if ending not in ENDINGS:
        raise RecordError(line, f"{ending!r} is no ending: {', '.join(ENDINGS)}")
    last = order[(plies - 1) % 2]
    return Outcome(RED if last == "R" else BLUE, ENDINGS[ending])
