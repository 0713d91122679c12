"""Opening books: the starts of games, read from a file of positions or of game records.

A file of positions has one per line; empty lines and comments (#) are skipped. The opening of a record is its last
position, or the one after `plies` plies. Errors name the file and the line.
"""

import functools
from dataclasses import replace
from pathlib import Path

from starscout import games
from starscout.game import NOT_ROLLED, Game, GameError
from starscout.game.state import State, from_position, parse
from starscout.records.files import read_records_of
from starscout.records.record import GameRecord, RecordError
from starscout.referee.openings import start_number

RANDOM_ORDER, SEQUENTIAL = "random", "sequential"
ORDERS = (RANDOM_ORDER, SEQUENTIAL)


def read_book(path: str, game: Game, plies: int = 0) -> tuple[State, ...]:
    """Read the starts of a book, each before its roll; raises GameError."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise GameError(f"openings: {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise GameError(f"openings: {path} is not a text file: invalid UTF-8 at byte {error.start}") from error
    lines = [
        (number, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise GameError(f"openings: {path} has no positions")
    if _is_position(lines[0][1], game) or not _is_record_file(text, path):
        if plies:
            raise GameError(f"openings: {path} has positions: opening plies are for game records")
        return tuple(_position(path, number, line, game) for number, line in lines)
    records = _records(text, path)
    # Most formats have one game per line.
    single = len(lines) == len(records)
    return tuple(
        _opening(f"{path}:{lines[index][0]}" if single else f"{path}, game {index + 1}", record, game, plies)
        for index, record in enumerate(records)
    )


def _is_position(text: str, game: Game) -> bool:
    try:
        parse(game, text)
    except GameError:
        return False
    return True


def _is_record_file(text: str, path: str) -> bool:
    try:
        next(iter(read_records_of(text, path)), None)
    except RecordError:
        return True
    except GameError:
        return False
    return True


def _records(text: str, path: str) -> list[GameRecord]:
    found: list[GameRecord] = []
    for record in read_records_of(text, path):
        if isinstance(record, RecordError):
            raise GameError(f"openings: {path}:{record.line}: {record.why}")
        found.append(record)
    return found


def _position(path: str, line: int, text: str, game: Game) -> State:
    try:
        state = parse(game, text)
        if game.has_chance and state.roll != NOT_ROLLED:
            raise GameError(f"{text!r} has a roll: write - instead of it")
        if state.over:
            raise GameError(f"the game is over in {text!r}")
    except GameError as error:
        raise GameError(f"openings: {path}:{line}: {error}") from error
    return from_position(game, state.position)


def _opening(place: str, record: GameRecord, game: Game, plies: int) -> State:
    """The opening of a record, at this place of a file."""
    where = f"openings: {place}"
    if games.find(record.game) is not game and record.game != game.name:
        raise GameError(f"{where}: expected a game of {game.name}, got {record.game}")
    if len(record.plies) < plies:
        raise GameError(f"{where}: expected at least {plies} plies, got {len(record.plies)}")
    taken = record.plies[: plies or len(record.plies)]
    state = replace(record, plies=taken, final_event=NOT_ROLLED)
    *_, last = state.states()
    if last.over:
        raise GameError(f"{where}: the game is over after {len(taken)} plies: choose the plies of the opening")
    start = from_position(game, last.position)
    from_start = record.start == from_position(game, game.start_position(0)).text
    # Protocols that cannot set up positions replay the moves of the opening.
    moves = tuple(ply.move for ply in taken) if from_start and not game.has_chance else ()
    return replace(start, opening=moves)


@functools.lru_cache(maxsize=8)
def loaded_book(path: str, game: Game, plies: int, contents: str) -> tuple[State, ...]:
    """Read a book once per process; `contents` is a digest that changes with the file."""
    return read_book(path, game, plies)


def book_start(book: tuple[State, ...], order: str, seed: int, number: int) -> State:
    """Start `number` of a series: in the order of the file, or all in random order, then all again in another."""
    index = number % len(book) if order == SEQUENTIAL else start_number(seed, number, len(book))
    return book[index]
