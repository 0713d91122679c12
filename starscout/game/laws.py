"""The laws of the game contract, checked along random games by `starscout laws GAME`."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy

from starscout.game import DRAW, LOSS, NOT_ROLLED, ONGOING, WIN, Cell, Game, GameError, Position, Symmetry
from starscout.kernels.bits import Word
from starscout.kernels.kernel import result_types

PICKS_PER_MOVE = 64
MOST_STARTS = 200
"""Number of starts that are compared."""
BEYOND, UNWRITTEN = 1024, -(2**62) - 12345
"""Number of guard cells after `max_moves`, and their sentinel value."""
WORDS = {Word: "uint64", int: "int64"}
"""Numba's types of the fields of a position."""


class LawBrokenError(AssertionError):
    """A violated law and the position that violates it."""


@dataclass(frozen=True)
class LawReport:
    """The extent of a check in which every law held."""

    games: int
    positions: int
    longest: int


def check_laws(game: Game, games: int = 20, seed: int = 0) -> LawReport:
    """Play random games and check every law in every position; raises LawBrokenError."""
    positions, longest = 0, 0
    futures: dict[tuple[int, int], tuple[object, ...]] = {}
    _check_starts(game)
    for number in range(games):
        generator = random.Random(f"{seed} {number}")
        plies = 0
        for position in random_game(game, generator):
            check_position(game, position, generator, futures)
            positions += 1
            plies += 1
        longest = max(longest, plies - 1)
    return LawReport(games, positions, longest)


def random_game(game: Game, generator: random.Random) -> Iterator[Position]:
    """Yield the positions of a random game; raises LawBrokenError if the game does not end."""
    position = _position(game, "start", game.start(Word(generator.randrange(game.starts or 2**63))))
    for _ in range(game.max_plies + 1):
        yield position
        if _outcome(game, position) != ONGOING:
            return
        moves = _listed(game, position, generator.randint(1, game.faces))
        _require(bool(moves), game, position, "an unfinished position has no move")
        move = generator.choice(moves)
        position = _position(game, f"play of move {move}", game.play(position, move))
    raise LawBrokenError(f"{game.name}: a game is longer than max_plies = {game.max_plies}")


def check_position(
    game: Game, position: Position, generator: random.Random, futures: dict[tuple[int, int], tuple[object, ...]]
) -> None:
    """Check every law in one position. `futures` maps keys to what followed from them."""
    _check_text(game, position)
    _check_picture(game, position)
    outcome = _outcome(game, position)
    rolls = range(1, game.faces + 1)
    moves = {roll: _listed(game, position, roll) if outcome == ONGOING else [] for roll in rolls}
    if outcome == ONGOING:
        _check_groups(game, position, moves)
        for roll, legal in moves.items():
            _check_moves(game, position, roll, legal, generator)
    else:
        reason = game.reason(position)
        _require(isinstance(reason, str) and bool(reason), game, position, "a finished game has no reason")
    for symmetry in game.symmetries:
        _check_symmetry(game, position, moves, symmetry)
    following = sorted({move for legal in moves.values() for move in legal})
    future = (outcome, repr(moves), *(key_of(game, game.play_position(position, move)) for move in following))
    known = futures.setdefault(key_of(game, position), future)
    _require(known == future, game, position, "another position with another future has the same key")


def key_of(game: Game, position: Position) -> tuple[int, int]:
    """The key as plain numbers."""
    key = game.key(position)
    holds = isinstance(key, tuple) and len(key) == 2 and all(map(is_whole, key))
    _require(holds, game, position, f"key is {key!r}: expected two words")
    return int(key[0]), int(key[1])


def is_whole(value: object) -> bool:
    """Whether a kernel has returned an integer, not a bool."""
    return isinstance(value, int | numpy.integer) and not isinstance(value, bool)


def _position(game: Game, source: str, fields: Any) -> Position:
    """Convert the return value of a kernel to a position; raises LawBrokenError if it is none."""
    kinds = list(get_type_hints(game.position).items())
    holds = isinstance(fields, tuple) and len(fields) == len(kinds) and all(map(is_whole, fields))
    declared = ", ".join(f"{name}: {WORDS[kind]}" for name, kind in kinds)
    if not holds:
        raise LawBrokenError(f"{game.name}: {source} gives {fields!r}: a position has the fields {declared}")
    for found in result_types(getattr(game, source.split()[0])):
        if found != tuple(WORDS[kind] for _, kind in kinds):
            raise LawBrokenError(
                f"{game.name}: {source} gives fields of the types {', '.join(found)}: a position has the fields "
                f"{declared}"
            )
    position = game.as_position(fields)
    if position.mover not in (0, 1):
        raise LawBrokenError(f"{game.name}: {source} gives mover = {position.mover}: the sides are 0 and 1")
    return position


def _outcome(game: Game, position: Position) -> int:
    outcome = game.outcome(position)
    known = is_whole(outcome) and outcome in (LOSS, DRAW, WIN, ONGOING)
    _require(known, game, position, f"outcome is {outcome!r}: expected WIN, DRAW, LOSS or ONGOING")
    return int(outcome)


def _guarded_row(game: Game) -> numpy.ndarray:
    """A row with guard cells, which detect writes beyond `max_moves`."""
    return numpy.full(game.max_moves + BEYOND, UNWRITTEN, dtype=numpy.int64)


def _check_row(game: Game, position: Position, row: numpy.ndarray, what: str) -> None:
    beyond = row[game.max_moves :] != UNWRITTEN
    needed = game.max_moves + int(beyond.nonzero()[0].max(initial=-1)) + 1
    _require(not beyond.any(), game, position, f"{what} writes beyond max_moves = {game.max_moves} (up to {needed})")


def _listed(game: Game, position: Position, roll: int) -> list[int]:
    """The legal moves of an unfinished position; checks the guard cells of the row."""
    row = _guarded_row(game)
    count = game.moves(position, roll, row)
    _check_row(game, position, row, f"moves of roll {roll}")
    holds = is_whole(count) and 0 <= count <= game.max_moves
    _require(holds, game, position, f"moves of roll {roll} returns {count!r}, which is not a number of moves")
    written = bool((row[:count] != UNWRITTEN).all())
    _require(written, game, position, f"moves of roll {roll} counts {count} moves, but does not write as many")
    return [int(move) for move in row[:count]]


def _check_starts(game: Game) -> None:
    """Check that the starts are unfinished positions and all different."""
    count = min(game.starts or MOST_STARTS, MOST_STARTS)
    step = max(1, (game.starts or 2**63) // count)
    starts = [_position(game, "start", game.start(Word(number * step))) for number in range(count)]
    for start in starts:
        _require(_outcome(game, start) == ONGOING, game, start, "a start is a finished game")
    again = next((start for start, times in Counter(starts).items() if times > 1), None)
    if again is not None and game.starts:
        _require(False, game, again, f"two of the seeds 0 to starts − 1 = {game.starts - 1} give the same start")
    if game.other_side_first is not None:
        swapped = game.other_side_first(starts[0])
        holds = isinstance(swapped, game.position) and swapped.mover == 1 - starts[0].mover
        _require(holds, game, starts[0], "other_side_first does not give the start with the other side to move")


def _check_text(game: Game, position: Position) -> None:
    for roll in (NOT_ROLLED, *range(1, game.faces + 1)) if game.has_dice else (1,):
        text = game.format(position, roll)
        if not isinstance(text, str) or "\n" in text:
            raise LawBrokenError(f"{game.name}: format gives {text!r}: expected one line of text")
        try:
            back = game.parse(text)
        except GameError as error:
            raise LawBrokenError(f"{game.name}: parse rejects its own text {text!r}: {error}") from error
        _require(back == (position, roll), game, position, f"the text {text!r} is read as {back}")
        kinds = get_type_hints(game.position)
        wrong = [name for name, kind in kinds.items() if type(getattr(back[0], name, None)) is not kind]
        fields = ", ".join(f"{name} as {kinds[name].__name__}" for name in wrong)
        _require(not wrong, game, position, f"parse does not give {fields}, as the position declares")
        die = game.die(position, roll)
        _require(die is None or isinstance(die, str), game, position, f"die gives {die!r}, which is not a text")


def _check_picture(game: Game, position: Position) -> None:
    cells = game.cells(position)
    _require(len(cells) == game.rows * game.columns, game, position, "there is not one cell per square")
    for square, cell in enumerate(cells):
        holds = isinstance(cell, Cell) and isinstance(cell.text, str) and cell.side in (None, 0, 1)
        _require(holds, game, position, f"cell {square} is {cell!r}: expected Cell(text, 0, 1 or None)")
    coming = game.dice_to_come(position)
    _require(all(isinstance(die, str) for die in coming), game, position, "dice_to_come does not give texts")


def _check_groups(game: Game, position: Position, moves: dict[int, list[int]]) -> None:
    by_group: Counter[tuple[int, ...]] = Counter()
    count = game.groups(position)
    holds = is_whole(count) and 1 <= count <= game.faces
    _require(holds, game, position, f"there are {count!r} groups: expected 1 to faces = {game.faces}")
    for index in range(count):
        group = game.group(position, index)
        holds = isinstance(group, tuple) and len(group) == 2 and all(map(is_whole, group))
        _require(holds, game, position, f"group {index} is {group!r}: expected a roll and a weight")
        roll, weight = map(int, group)
        _require(roll in moves, game, position, f"group {index} has roll {roll}: rolls are 1 to {game.faces}")
        _require(weight > 0, game, position, f"group {index} has weight {weight}")
        by_group[tuple(sorted(moves[roll]))] += weight
    by_roll = Counter(tuple(sorted(legal)) for legal in moves.values())
    _require(sum(by_group.values()) == game.faces, game, position, "the weights of the groups do not sum to faces")
    _require(by_group == by_roll, game, position, "a group's rolls do not allow the same moves")


def _check_moves(game: Game, position: Position, roll: int, legal: list[int], generator: random.Random) -> None:
    _require(bool(legal), game, position, f"roll {roll} has no move in an unfinished game")
    _require(len(set(legal)) == len(legal), game, position, f"roll {roll} lists a move twice")
    _check_move_texts(game, position, roll, legal)
    row = _guarded_row(game)
    count = game.count(position, roll, row)
    _check_row(game, position, row, f"count of roll {roll}")
    _require(count == len(legal), game, position, f"count of roll {roll} disagrees with moves")
    total = PICKS_PER_MOVE * len(legal)
    offset = generator.randrange(2**64 // total)
    words = [Word(offset + index * (2**64 // total)) for index in range(total)]
    picked = Counter(game.pick(position, roll, word, row) for word in words)
    _check_row(game, position, row, f"pick of roll {roll}")
    even = all(PICKS_PER_MOVE / 2 <= picked[move] <= 2 * PICKS_PER_MOVE for move in legal)
    _require(set(picked) == set(legal) and even, game, position, f"pick of roll {roll} is not fair: {dict(picked)}")
    for move in legal:
        squares = game.move_squares(position, move)
        inside = all(is_whole(square) and 0 <= square < game.rows * game.columns for square in squares)
        _require(inside, game, position, f"move {move} leaves the board: {squares}")
        following = _position(game, f"play of move {move}", game.play(position, move))
        _require(following.mover == 1 - position.mover, game, position, f"move {move} keeps the turn")


def _check_move_texts(game: Game, position: Position, roll: int, legal: list[int]) -> None:
    """Check that the texts of the moves are distinct, ignoring case."""
    named: dict[str, int] = {}
    for move in legal:
        text = game.format_move(position, move)
        holds = isinstance(text, str) and text == "".join(text.split()) != ""
        _require(holds, game, position, f"move {move} has the text {text!r}: expected one word")
        _require(text.lower() not in named, game, position, f"two moves of roll {roll} have the same text {text!r}")
        named[text.lower()] = move
        spelled = game.move_spellings(text)
        known = isinstance(spelled, str) and spelled.lower() == text.lower()
        _require(known, game, position, f"move_spellings makes {spelled!r} of the move {text!r}")


def _check_symmetry(game: Game, position: Position, moves: dict[int, list[int]], symmetry: Symmetry) -> None:
    image = symmetry.position(position)
    where = f"symmetry {symmetry.name!r}"
    _require(game.outcome(image) == game.outcome(position), game, position, f"{where} changes the outcome")
    for roll, legal in moves.items():
        wanted = {symmetry.move(position, move) for move in legal}
        _require(set(game.legal(image, symmetry.roll(roll))) == wanted, game, position, f"{where} changes the moves")
        for move in legal:
            first = symmetry.position(game.play_position(position, move))
            second = game.play_position(image, symmetry.move(position, move))
            _require(first == second, game, position, f"{where} does not commute with move {move}")


def _require(holds: bool, game: Game, position: Position, sentence: str) -> None:
    if not holds:
        raise LawBrokenError(f"{game.name}: {sentence} (in {_text(game, position)})")


def _text(game: Game, position: Position) -> str:
    """The text of a position; a position that violates a law may have none."""
    try:
        return repr(game.format(position, NOT_ROLLED))
    except Exception:
        return repr(tuple(position))
