"""The laws of a game (see game.py), checked along random games. `starscout laws GAME` checks them on any game."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from starscout.bits import Word
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position, Symmetry, new_row

PICKS_PER_MOVE = 64


class LawBrokenError(AssertionError):
    """A law that does not hold, and where."""


@dataclass(frozen=True)
class LawReport:
    """What was checked when every law held."""

    games: int
    positions: int
    longest: int


def check_laws(game: Game, games: int = 20, seed: int = 0) -> LawReport:
    """Play random games and check every law in every position; raises LawBrokenError."""
    positions, longest = 0, 0
    futures: dict[tuple[int, int], tuple[object, ...]] = {}
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
    """The positions of a random game from start to end; a game that does not end raises LawBrokenError."""
    position = game.start_position(generator.randrange(game.starts or 2**63))
    for _ in range(game.max_plies + 1):
        yield position
        if game.outcome(position) != ONGOING:
            return
        moves = game.legal(position, generator.randint(1, game.faces))
        _require(bool(moves), game, position, "a position that is not over has no move")
        position = game.play_position(position, generator.choice(moves))
    raise LawBrokenError(f"{game.name}: a game is longer than max_plies = {game.max_plies}")


def check_position(
    game: Game, position: Position, generator: random.Random, futures: dict[tuple[int, int], tuple[object, ...]]
) -> None:
    """Check every law about one position. `futures` remembers what followed from each key."""
    _check_text(game, position)
    cells = game.cells(position)
    _require(len(cells) == game.rows * game.columns, game, position, "there is not one cell per square")
    outcome = game.outcome(position)
    moves = {roll: game.legal(position, roll) for roll in range(1, game.faces + 1)}
    if outcome == ONGOING:
        _check_groups(game, position, moves)
        for roll, legal in moves.items():
            _check_moves(game, position, roll, legal, generator)
    else:
        _require(bool(game.reason(position)), game, position, "a finished game has no reason")
    for symmetry in game.symmetries:
        _check_symmetry(game, position, moves, symmetry)
    following = sorted({move for legal in moves.values() for move in legal})
    future = (outcome, repr(moves), *(key_of(game, game.play_position(position, move)) for move in following))
    known = futures.setdefault(key_of(game, position), future)
    _require(known == future, game, position, "another position with another future has the same key")


def key_of(game: Game, position: Position) -> tuple[int, int]:
    """The key as plain numbers."""
    first, second = game.key(position)
    return int(first), int(second)


def _check_text(game: Game, position: Position) -> None:
    for roll in (NOT_ROLLED, game.faces) if game.has_dice else (1,):
        text = game.format(position, roll)
        try:
            back = game.parse(text)
        except GameError as error:
            raise LawBrokenError(f"{game.name}: its own text {text!r} is refused: {error}") from error
        _require(back == (position, roll), game, position, f"the text {text!r} is read as {back}")


def _check_groups(game: Game, position: Position, moves: dict[int, list[int]]) -> None:
    by_group: Counter[tuple[int, ...]] = Counter()
    for index in range(game.groups(position)):
        roll, weight = game.group(position, index)
        _require(weight > 0, game, position, f"group {index} has weight {weight}")
        by_group[tuple(sorted(moves[roll]))] += weight
    by_roll = Counter(tuple(sorted(legal)) for legal in moves.values())
    _require(sum(by_group.values()) == game.faces, game, position, "the weights of the groups do not sum to faces")
    _require(by_group == by_roll, game, position, "a group's rolls do not allow the same moves")


def _check_moves(game: Game, position: Position, roll: int, legal: list[int], generator: random.Random) -> None:
    _require(bool(legal), game, position, f"roll {roll} has no move though the game is not over")
    _require(len(legal) <= game.max_moves, game, position, f"roll {roll} has more than max_moves moves")
    _require(len(set(legal)) == len(legal), game, position, f"roll {roll} lists a move twice")
    texts = {game.format_move(position, move) for move in legal}
    _require(len(texts) == len(legal), game, position, f"two moves of roll {roll} have the same text")
    row = new_row(game)
    _require(
        game.count(position, roll, row) == len(legal), game, position, f"count of roll {roll} disagrees with moves"
    )
    total = PICKS_PER_MOVE * len(legal)
    offset = generator.randrange(2**64 // total)
    words = [Word(offset + index * (2**64 // total)) for index in range(total)]
    picked = Counter(int(game.pick(position, roll, word, row)) for word in words)
    even = all(PICKS_PER_MOVE / 2 <= picked[move] <= 2 * PICKS_PER_MOVE for move in legal)
    _require(set(picked) == set(legal) and even, game, position, f"pick of roll {roll} is not fair: {dict(picked)}")
    for move in legal:
        squares = game.move_squares(position, move)
        inside = all(0 <= square < game.rows * game.columns for square in squares)
        _require(inside, game, position, f"move {move} leaves the board: {squares}")
        following = game.play_position(position, move)
        _require(following.mover == 1 - position.mover, game, position, f"move {move} keeps the turn")


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
        raise LawBrokenError(f"{game.name}: {sentence} (in {game.format(position, NOT_ROLLED)!r})")
