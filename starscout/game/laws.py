"""The laws of the game contract, checked along random games by `starscout laws GAME`."""

import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints

import numpy

from starscout.game import NOT_ROLLED, ONGOING, Cell, Game, GameError, Position, Symmetry
from starscout.game.chance import MOST_WEIGHT, ONLY_EVENT
from starscout.kernels.bits import Word, random_word
from starscout.kernels.kernel import result_types

DEFAULT_GAMES, DEFAULT_SECONDS = 20, 2.0
"""Minimum number of random games that `starscout laws` plays, and the seconds for which it continues."""
PICKS_PER_MOVE = 64
FEW_PLIES = 8
"""`random_moves` is tested with up to this many plies; in one of this many positions, to the end of the game."""
MOST_STARTS = 200
"""Number of starts that are compared."""
BEYOND, UNWRITTEN = 1024, -(2**62) - 12345
"""Number of guard cells after `max_moves`, and their sentinel value."""
WORDS = {Word: "uint64", int: "int64"}
"""Numba's types of the fields of a position."""


class LawBrokenError(AssertionError):
    """A violated law and the position that violates it."""


class Decision(NamedTuple):
    """A position after its event, its outcome and its legal moves."""

    position: Position
    outcome: int
    legal: list[int]


Decisions = dict[int, Decision]
"""Event → decision; a position without events has one."""


@dataclass(frozen=True)
class LawReport:
    """The size of a check in which every law held."""

    games: int
    positions: int
    longest: int


def check_laws(game: Game, games: int = DEFAULT_GAMES, seed: int = 0, seconds: float = 0.0) -> LawReport:
    """Play random games and check every law in every position; raises LawBrokenError.

    Plays at least this many games, and more until `seconds` have passed since the first game, which compiles the rules.
    """
    positions, longest, number = 0, 0, 0
    futures: dict[tuple[int, int], tuple[object, ...]] = {}
    _check_starts(game)
    ends = math.inf
    while number < games or time.monotonic() < ends:
        generator = random.Random(f"{seed} {number}")
        for plies, position in _random_plies(game, generator):
            check_position(game, position, generator, futures)
            positions += 1
            longest = max(longest, plies)
        number += 1
        if number == 1:
            ends = time.monotonic() + seconds if seconds > 0.0 else -math.inf
    return LawReport(number, positions, longest)


def random_game(game: Game, generator: random.Random) -> Iterator[Position]:
    """Yield the positions of a random game; raises LawBrokenError if the game does not end."""
    return (position for _, position in _random_plies(game, generator))


def _random_plies(game: Game, generator: random.Random) -> Iterator[tuple[int, Position]]:
    """Yield each position of a random game with the number of moves before it."""
    position = _position(game, "start", game.start(Word(generator.randrange(game.starts or 2**63))))
    for plies in range(game.max_plies + 1):
        yield plies, position
        if _outcome(game, position) != ONGOING:
            return
        weights = _event_weights(game, position)
        if game.is_fair_die:
            event = generator.randint(1, game.faces)
        else:
            event = generator.choices(list(weights), list(weights.values()))[0]
        decision = _decision(game, position, event)
        if decision.outcome != ONGOING:
            yield plies, decision.position
            return
        _require(bool(decision.legal), game, decision.position, "an unfinished position has no move")
        move = generator.choice(decision.legal)
        position = _position(game, f"play of move {move}", game.play(decision.position, move))
    raise LawBrokenError(f"{game.name}: a game is longer than max_plies = {game.max_plies}")


def check_position(
    game: Game, position: Position, generator: random.Random, futures: dict[tuple[int, int], tuple[object, ...]]
) -> None:
    """Check every law in one position. `futures` maps each key to the future of its position."""
    outcome = _outcome(game, position)
    weights = _event_weights(game, position)
    _check_text(game, position, [NOT_ROLLED, *weights] if game.has_chance and not game.resolves else [NOT_ROLLED])
    _check_picture(game, position)
    decisions: Decisions = {}
    if outcome == ONGOING:
        _check_random_moves(game, position, generator)
        decisions = {event: _decision(game, position, event) for event in weights}
        _check_groups(game, position, decisions, weights)
        for event, decision in decisions.items():
            if game.resolves:
                _check_resolved(game, position, event, decision.position)
            if decision.outcome == ONGOING:
                _check_moves(game, decision.position, event, decision.legal, generator)
            else:
                _check_reason(game, decision.position)
    else:
        _check_reason(game, position)
    for symmetry in game.symmetries:
        _check_symmetry(game, position, decisions, symmetry)
    future = _future(game, outcome, decisions)
    known = futures.setdefault(key_of(game, position), future)
    _require(known == future, game, position, "another position with a different future has the same key")


def _future(game: Game, outcome: int, decisions: Decisions) -> tuple[object, ...]:
    """Outcome of a position, its moves by event, and the keys of the next positions."""
    moves = {event: (decision.outcome, decision.legal) for event, decision in decisions.items()}
    following = {
        (decision.position, move): game.play_position(decision.position, move)
        for decision in decisions.values()
        for move in decision.legal
    }
    if not game.resolves:
        ordered = [following[pair] for pair in sorted(following, key=lambda pair: pair[1])]
    else:
        ordered = list(following.values())
    return (outcome, repr(moves), *(key_of(game, position) for position in ordered))


def _event_weights(game: Game, position: Position) -> dict[int, int]:
    """Event → weight of an unfinished position, checked; the event of a position without events has weight 1."""
    count = game.events(position) if _outcome(game, position) == ONGOING else 0
    holds = is_whole(count) and 0 <= count <= game.max_events
    _require(holds, game, position, f"there are {count!r} events: expected 0 to max_events = {game.max_events}")
    weights: dict[int, int] = {}
    for index in range(count):
        found = game.event(position, index)
        holds = isinstance(found, tuple) and len(found) == 2 and all(map(is_whole, found))
        _require(holds, game, position, f"event {index} is {found!r}: expected an event and its weight")
        event, weight = map(int, found)
        _require(event > 0, game, position, f"event {index} is {event}: events are 1 or more")
        _require(weight > 0, game, position, f"event {event} has weight {weight}")
        _require(event not in weights, game, position, f"event {event} is listed twice")
        weights[event] = weight
    total = sum(weights.values())
    _require(total <= MOST_WEIGHT, game, position, f"the weights sum to {total}: expected at most {MOST_WEIGHT}")
    return weights or {NOT_ROLLED if game.has_chance else ONLY_EVENT: 1}


def _decision(game: Game, position: Position, event: int) -> Decision:
    """The decision after an event."""
    if not game.resolves or event == NOT_ROLLED:
        return Decision(position, ONGOING, _listed(game, position, event))
    resolved = _position(game, f"resolve of event {event}", game.resolve(position, event))
    outcome = _outcome(game, resolved)
    return Decision(resolved, outcome, _listed(game, resolved, event) if outcome == ONGOING else [])


def _check_resolved(game: Game, position: Position, event: int, resolved: Position) -> None:
    """Check the position that `resolve` returns for an event."""
    if event == NOT_ROLLED:
        return
    where = f"event {event}"
    if _outcome(game, resolved) == ONGOING:
        _require(game.events(resolved) == 0, game, position, f"the position after {where} has events again")
        without = _listed(game, resolved, NOT_ROLLED)
        same = without == _listed(game, resolved, event)
        _require(same, game, resolved, f"moves depends on its argument for {where}, although resolve has applied it")
    kept = not game.alternating or resolved.mover == position.mover
    _require(kept, game, position, f"{where} changes the side to move; declare alternating=False")
    _check_text(game, resolved, [NOT_ROLLED])
    _check_picture(game, resolved)
    text = game.format_event(position, event)
    holds = isinstance(text, str) and text == "".join(text.split()) != ""
    _require(holds, game, position, f"format_event returns {text!r} for {where}: expected a text without spaces")


def _check_reason(game: Game, position: Position) -> None:
    reason = game.reason(position)
    _require(isinstance(reason, str) and bool(reason), game, position, "a finished game has no reason")


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
    """Convert the return value of a kernel to a position; raises LawBrokenError if it is not one."""
    kinds = list(get_type_hints(game.position).items())
    holds = isinstance(fields, tuple) and len(fields) == len(kinds) and all(map(is_whole, fields))
    declared = ", ".join(f"{name}: {WORDS[kind]}" for name, kind in kinds)
    if not holds:
        raise LawBrokenError(f"{game.name}: {source} returns {fields!r}: a position has the fields {declared}")
    for found in result_types(getattr(game, source.split()[0])):
        if found != tuple(WORDS[kind] for _, kind in kinds):
            raise LawBrokenError(
                f"{game.name}: {source} returns fields of the types {', '.join(found)}: a position has the fields "
                f"{declared}"
            )
    position = game.as_position(fields)
    if position.mover not in (0, 1):
        raise LawBrokenError(f"{game.name}: {source} returns mover = {position.mover}: the sides are 0 and 1")
    return position


def _outcome(game: Game, position: Position) -> int:
    outcome = game.outcome(position)
    known = is_whole(outcome) and (outcome == ONGOING or -game.points <= outcome <= game.points)
    accepted = "WIN, DRAW, LOSS" if game.points == 1 else f"{-game.points} to {game.points} points"
    _require(known, game, position, f"outcome is {outcome!r}: expected {accepted} or ONGOING")
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
    _require(written, game, position, f"moves of roll {roll} returns {count}, but writes fewer moves")
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
        _require(holds, game, starts[0], "other_side_first does not return the start with the other side to move")


def _check_text(game: Game, position: Position, events: list[int]) -> None:
    for roll in events if game.has_chance else (ONLY_EVENT,):
        text = game.format(position, roll)
        if not isinstance(text, str) or "\n" in text:
            raise LawBrokenError(f"{game.name}: format returns {text!r}: expected one line of text")
        try:
            back = game.parse(text)
        except GameError as error:
            raise LawBrokenError(f"{game.name}: parse rejects its own text {text!r}: {error}") from error
        _require(back == (position, roll), game, position, f"the text {text!r} is parsed as {back}")
        kinds = get_type_hints(game.position)
        wrong = [name for name, kind in kinds.items() if type(getattr(back[0], name, None)) is not kind]
        fields = ", ".join(f"{name} as {kinds[name].__name__}" for name in wrong)
        _require(not wrong, game, position, f"parse does not return {fields}, as the position declares")
        die = game.die(position, roll)
        _require(die is None or isinstance(die, str), game, position, f"die returns {die!r}: expected text or None")


def _check_picture(game: Game, position: Position) -> None:
    cells = game.cells(position)
    holds = len(cells) == game.rows * game.columns
    _require(holds, game, position, f"there are {len(cells)} cells: expected one per square")
    for square, cell in enumerate(cells):
        holds = isinstance(cell, Cell) and isinstance(cell.text, str) and cell.side in (None, 0, 1)
        _require(holds, game, position, f"cell {square} is {cell!r}: expected Cell(text, 0, 1 or None)")
    coming = game.dice_to_come(position)
    holds = all(isinstance(die, str) for die in coming)
    _require(holds, game, position, f"dice_to_come returns {coming!r}: expected texts")


def _check_groups(game: Game, position: Position, decisions: Decisions, weights: dict[int, int]) -> None:
    """Check that the groups merge only events that lead to the same decision."""

    def kind(event: int) -> tuple[object, ...]:
        decision = decisions[event]
        return key_of(game, decision.position) if game.resolves else tuple(sorted(decision.legal))

    by_group: Counter[tuple[object, ...]] = Counter()
    count = game.groups(position)
    holds = is_whole(count) and 1 <= count <= max(len(weights), 1)
    _require(holds, game, position, f"there are {count!r} groups: expected 1 to {len(weights)}, the number of events")
    for index in range(count):
        group = game.group(position, index)
        holds = isinstance(group, tuple) and len(group) == 2 and all(map(is_whole, group))
        _require(holds, game, position, f"group {index} is {group!r}: expected a roll and a weight")
        event, weight = map(int, group)
        _require(event in weights, game, position, f"group {index} has event {event}: events are {[*weights]}")
        _require(weight > 0, game, position, f"group {index} has weight {weight}")
        by_group[kind(event)] += weight
    by_event: Counter[tuple[object, ...]] = Counter()
    for event, weight in weights.items():
        by_event[kind(event)] += weight
    total = sum(weights.values())
    _require(sum(by_group.values()) == total, game, position, f"the weights of the groups do not sum to {total}")
    _require(by_group == by_event, game, position, "a group's rolls do not allow the same moves")


def _check_moves(game: Game, position: Position, roll: int, legal: list[int], generator: random.Random) -> None:
    _require(bool(legal), game, position, f"roll {roll} has no move in an unfinished game")
    _require(len(set(legal)) == len(legal), game, position, f"roll {roll} lists a move twice")
    _check_move_texts(game, position, roll, legal)
    row = _guarded_row(game)
    count = game.count(position, roll, row)
    _check_row(game, position, row, f"count of roll {roll}")
    _require(count == len(legal), game, position, f"count of roll {roll} disagrees with moves")
    # A derived `pick` takes an element of the row: one word per move is enough.
    picks = 1 if _is_derived(game.pick) else PICKS_PER_MOVE
    total = picks * len(legal)
    offset = generator.randrange(2**64 // total)
    words = [Word(offset + index * (2**64 // total)) for index in range(total)]
    picked = Counter(game.pick(position, roll, word, row) for word in words)
    _check_row(game, position, row, f"pick of roll {roll}")
    even = all(picks / 2 <= picked[move] <= 2 * picks for move in legal)
    _require(set(picked) == set(legal) and even, game, position, f"pick of roll {roll} is not fair: {dict(picked)}")
    for move in legal:
        squares = game.move_squares(position, move)
        inside = all(is_whole(square) and 0 <= square < game.rows * game.columns for square in squares)
        _require(inside, game, position, f"move {move} leaves the board: {squares}")
        following = _position(game, f"play of move {move}", game.play(position, move))
        passed = not game.alternating or following.mover == 1 - position.mover
        _require(passed, game, position, f"move {move} keeps the turn; declare alternating=False")


def _check_random_moves(game: Game, position: Position, generator: random.Random) -> None:
    """Check that `random_moves` does the same as `pick` and `play`."""
    if game.random_moves is None:
        return
    seed, counter, row = Word(generator.getrandbits(63)), generator.randrange(1000), _guarded_row(game)
    most = game.max_plies if generator.randrange(FEW_PLIES) == 0 else generator.randint(1, FEW_PLIES)
    expected, plies = position, 0
    while plies < most and _outcome(game, expected) == ONGOING:
        word = Word(random_word(seed, Word(counter + plies)))
        expected = _position(game, "play", game.play(expected, game.pick(expected, ONLY_EVENT, word, row)))
        plies += 1
    found, found_plies = game.random_moves(position, seed, Word(counter), most)
    holds = game.as_position(found) == expected and found_plies == plies
    _require(holds, game, position, f"random_moves with {most} plies disagrees with pick and play")


def _is_derived(function: Any) -> bool:
    return getattr(function, "py_func", function).__module__ == Game.__module__


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
        _require(known, game, position, f"move_spellings changes the move {text!r} to {spelled!r}")


def _check_symmetry(game: Game, position: Position, decisions: Decisions, symmetry: Symmetry) -> None:
    image = symmetry.position(position)
    where = f"symmetry {symmetry.name!r}"
    _require(game.outcome(image) == game.outcome(position), game, position, f"{where} changes the outcome")
    for event, (decision, _, legal) in decisions.items():
        wanted = {symmetry.move(decision, move) for move in legal}
        image_event = symmetry.roll(event)
        mirrored = game.resolve_position(image, image_event) if event != NOT_ROLLED else image
        _require(set(game.legal(mirrored, image_event)) == wanted, game, position, f"{where} changes the moves")
        for move in legal:
            first = symmetry.position(game.play_position(decision, move))
            second = game.play_position(mirrored, symmetry.move(decision, move))
            _require(first == second, game, position, f"{where} does not commute with move {move}")


def _require(holds: bool, game: Game, position: Position, problem: str) -> None:
    if not holds:
        raise LawBrokenError(f"{game.name}: {problem} (in {_text(game, position)})")


def _text(game: Game, position: Position) -> str:
    """The text of a position; a position that violates a law may have none."""
    try:
        return repr(game.format(position, NOT_ROLLED))
    except Exception:
        return repr(tuple(position))
