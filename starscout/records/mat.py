"""Match files of backgammon programs (`.mat`), as GNU Backgammon reads and writes them.

     1 point match

     Game 1
     Anna : 0                             Bert : 0
      1)                                  64: 24/14
      2) 31: 8/5 6/5                      65:
          Wins 1 point and the match

The first player of the file is white. A roll without a play is a pass. A match of one point counts only wins: its games
are `backgammon-dmp`; those of longer matches are `backgammon`. The doubling cube is not supported.
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.records.record import GameRecord, RecordError, Replay, points_text

DMP, MONEY = "backgammon-dmp", "backgammon"
HEADER = re.compile(r"\s*([0-9]{1,4}) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game [0-9]+\s*", re.IGNORECASE)
_PLAYERS = re.compile(r"\s*(.*\S)\s*:\s*[0-9]+\s{2,}(.*\S)\s*:\s*[0-9]+\s*")
_PLIES = re.compile(r"\s*[0-9]+\)(.*)")
_ROLL = re.compile(r"\b([1-6][1-6]):")
_WINS = re.compile(r"(\s*(?:[0-9]+\).*?)?)Wins ([0-9]+) points?.*", re.IGNORECASE)
_CUBE = re.compile(r"doubles|takes|drops|beavers|raccoons|redoubles", re.IGNORECASE)
_NO_PLAY = ("", "cannot move", "can't move", "????")
_START = "4HPwATDgc/ABMA {} - opening"
_WIDTH = 33
"""The width of the number of the move and the first column."""
_MIDDLE = 20
"""A single ply or a result to the right of this character is in the second column."""


def read_mat(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a file; after an error, reading continues at the next game."""
    length, game, faulty = 0, None, False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(";"):
            continue
        try:
            begins = HEADER.fullmatch(line) or _GAME.fullmatch(line)
            if begins is not None:
                unfinished, game, faulty = game, None, False
                if unfinished is not None:
                    yield unfinished.finished(None)
            if header := HEADER.fullmatch(line):
                length = int(header[1])
            elif begins is not None:
                game = _MatGame(DMP if length == 1 else MONEY, number)
            elif faulty:
                continue
            elif game is None:
                raise RecordError(number, f"expected 'N point match' or 'Game N', got {line[:60]!r}")
            elif game.read(line, number):
                finished, game = game, None
                yield finished.finished(finished.winner)
        except RecordError as error:
            yield error
            game, faulty = None, True
    if game is not None:
        try:
            yield game.finished(None)
        except RecordError as error:
            yield error


class _MatGame:
    """A game that is being read."""

    def __init__(self, name: str, line: int) -> None:
        self._name, self._line = name, line
        self._players: tuple[str, str] | None = None
        self._replay: Replay | None = None
        self.winner: tuple[int, int] | None = None
        """The side that the last line names, and its points."""

    def read(self, line: str, number: int) -> bool:
        """Read a line; returns whether it was the last one of the game."""
        players = _PLAYERS.fullmatch(line)
        if self._players is None:
            if players is None:
                raise RecordError(number, f"expected 'NAME : 0    NAME : 0', got {line[:60]!r}")
            self._players = players[1][:100], players[2][:100]
            return False
        if cube := _CUBE.search(line):
            raise RecordError(number, f"the doubling cube is not supported: {cube[0]!r}")
        wins = _WINS.fullmatch(line)
        plies = _PLIES.fullmatch(wins[1] if wins else line)
        if plies is not None:
            self._add(plies[1], plies.start(1), number)
        elif wins is None:
            raise RecordError(number, f"expected plies like '1) 31: 8/5 6/5   64: 24/14', got {line[:60]!r}")
        if wins is None:
            return False
        # The line is in the winner's column; if the game has ended by its rules, they decide who has won.
        side = int(wins.end(1) >= _MIDDLE)
        self.winner = side, int(wins[2])
        return True

    def _add(self, text: str, column: int, number: int) -> None:
        before, *parts = _ROLL.split(text)
        if before.strip() or len(parts) not in (2, 4):
            raise RecordError(number, f"expected one or two plies like '31: 8/5 6/5', got {text.strip()[:60]!r}")
        if self._replay is None:
            second = len(parts) == 2 and column + len(before) >= _MIDDLE
            self._replay = Replay(self._name, _START.format("wb"[second]), number)
        for roll, play in zip(parts[::2], parts[1::2], strict=True):
            self._replay.add(roll, "pass" if play.strip().lower() in _NO_PLAY else play.strip(), number)

    def finished(self, wins: tuple[int, int] | None) -> GameRecord:
        """The record; a game that the rules have not ended was resigned if the file names a winner."""
        if self._replay is None:
            raise RecordError(self._line, "the game has no plies")
        last = self._replay.state
        claimed = None
        if wins is not None and not last.over:
            claimed = Outcome(wins[0], "resigned", min(wins[1], last.game.points))
        record = self._replay.finished(claimed, self._players)
        if wins is not None and last.game.points > 1 and record.points != wins[1]:
            raise RecordError(
                self._line, f"the file says {points_text(wins[1])}, but the winner has {points_text(record.points)}"
            )
        return record


def write_mat(record: GameRecord) -> str:
    """Format a game of backgammon from the standard start as a match; raises GameError."""
    if record.game not in (DMP, MONEY) or record.start not in (_START.format("w"), _START.format("b")):
        raise GameError("mat supports only backgammon from the standard start")
    names = [re.sub(r"[^\w .-]", "_", name)[:26] for name in record.players]
    lines = [
        f" {int(record.game == DMP)} point match",
        "",
        " Game 1",
        f" {names[0]} : 0".ljust(_WIDTH) + f"{names[1]} : 0",
    ]
    plies = [
        f"{roll}: {_gnubg_play(ply.text)}".rstrip()
        for roll, ply in zip(record.event_texts(), record.plies, strict=False)
    ]
    if record.start.split()[1] == "b":
        plies.insert(0, "")
    for place in range(0, len(plies), 2):
        first, *second = plies[place : place + 2]
        left = f"{place // 2 + 1:3}) {first}"
        lines.append(f"{left:{_WIDTH - 1}} {second[0]}" if second else left)
    if record.winner is not None:
        match = " and the match" if record.game == DMP else ""
        column = 6 if record.winner == 0 else _WIDTH + 1
        lines.append(" " * column + f"Wins {points_text(record.points)}{match}")
    return "\n".join([*lines, "", ""])


def _gnubg_play(text: str) -> str:
    """A play in GNU Backgammon's spelling."""
    return "" if text == "pass" else text.replace(",", " ").replace("bar/", "25/").replace("/off", "/0")
