"""The guide for game authors, docs/games.md: every step satisfies the laws, and every message is real."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pytest

from starscout import games
from starscout.game import DRAW, LOSS, ONGOING, Cell, Game, GameError
from starscout.game.laws import LawBrokenError, check_laws
from starscout.game.state import start
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, mix
from starscout.kernels.kernel import PLAIN, kernel
from starscout.players.spec import make_player
from starscout.search.limits import Limit
from tests.blocks import ROOT, programs_of

PAGE = ROOT / "docs" / "games.md"
STEPS = [program for program, _ in programs_of(PAGE)[:-1]]
EXAMPLE = ROOT / "examples" / "tic_tac_toe.py"
pytestmark = pytest.mark.plain


def test_first_step_is_the_example() -> None:
    assert EXAMPLE.read_text(encoding="utf-8").endswith(STEPS[0])
    assert len(STEPS) == 7


@pytest.mark.parametrize(
    "step", range(len(STEPS)) if PLAIN else [pytest.param(n, marks=pytest.mark.slow) for n in range(len(STEPS))]
)
def test_step_satisfies_the_laws(step: int, tmp_path: Path) -> None:
    """As plain Python in the default suite; compiled in the slow one."""
    file = tmp_path / "my_game.py"
    file.write_text("\n\n".join(STEPS[: step + 1]), encoding="utf-8")
    game = games.load(str(file))
    report = check_laws(game, games=8, seed=step)
    assert report.positions > 30
    assert game.has_chance == (step in (1, 2, 4))
    assert game.alternating == (step not in (3, 4))
    assert (game.points, game.repetition) == (5 if step == 5 else 1, 3 if step == 6 else 0)


def mistaken(**changes: Any) -> Game:
    """Tic-tac-toe with other fields."""
    names: dict[str, Any] = getattr(games.load(str(EXAMPLE)).parse, "__globals__", {})
    return names["variant"](name="mistaken", **changes)


def message(**changes: Any) -> str:
    """The error of such a game, when it is built or when its laws are checked."""
    with pytest.raises((GameError, LawBrokenError)) as caught:
        check_laws(mistaken(**changes), games=5)
    text = str(caught.value)
    assert text.removeprefix("mistaken: ") != text
    return text


def listed(text: str) -> bool:
    return f"`{text}`" in PAGE.read_text(encoding="utf-8")


@kernel(inline=True)
def keeps_the_turn(position: Any, move: int) -> Any:
    return position


@kernel(inline=True)
def seven(position: Any) -> int:
    return ONGOING if position.own == WORD_ZERO else 7


@kernel(inline=True)
def one_event(position: Any) -> int:
    return 1


@kernel(inline=True)
def heavy_event(position: Any, index: int) -> tuple[int, int]:
    return 1, 200000


def fast(**changes: Any) -> Any:
    """A case that compiles nothing."""
    return pytest.param(changes.pop("expected"), changes)


def checked(**changes: Any) -> Any:
    """A case whose laws are checked: as plain Python in the default suite, compiled in the slow one."""
    return pytest.param(changes.pop("expected"), changes, marks=() if PLAIN else pytest.mark.slow)


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        fast(expected="max_events: expected the maximum number of events of a position",
             events=one_event, event=heavy_event),
        fast(expected="max_moves: expected at most 16384", max_moves=16385),
        fast(expected="max_events: expected at most 1024", events=one_event, event=heavy_event, max_events=1025),
        fast(expected="max_events · max_moves: expected at most 1048576", faces=1024, max_moves=1025),
        fast(expected="points: expected at most 1024", points=1025),
        checked(expected="the weights sum to 200000: expected at most 131072",
                events=one_event, event=heavy_event, max_events=1),
        checked(expected="writes beyond max_moves = 8 (up to 9)", max_moves=8),
        checked(expected="keeps the turn; declare alternating=False", play=keeps_the_turn),
        checked(expected="outcome is 7: expected WIN, DRAW, LOSS or ONGOING", outcome=seven),
        checked(expected="a game is longer than max_plies = 4", max_plies=4),
        checked(expected="parse rejects its own text", format=lambda position, event: "xo./.../... z"),
        checked(expected="is parsed as", format=lambda position, event: ".../.../... x"),
    ],
)  # fmt: skip
def test_listed_messages_are_real(expected: str, changes: dict[str, Any]) -> None:
    assert expected in message(**changes)
    assert listed(expected)


@pytest.mark.skipif(PLAIN, reason="plain Python has no kernels")
def test_function_without_kernel_is_named() -> None:
    expected = "moves: expected a kernel; decorate the function with @kernel(inline=True)"
    assert expected in message(moves=lambda position, event, out: 0)
    assert listed(expected)


# Games at the limits of the contract.


class Large(NamedTuple):
    """A board of 100 squares in two words, or a number of plies."""

    low: Word
    high: Word
    ply: int
    mover: int


@kernel(inline=True)
def large_start(seed: Word) -> Large:
    return Large(WORD_ZERO, WORD_ZERO, 0, 0)


@kernel(inline=True)
def free_squares(position: Large, event: int, out: numpy.ndarray) -> int:
    count = 0
    for square in range(100):
        word = position.low if square < 50 else position.high
        if word >> Word(square % 50) & WORD_ONE == WORD_ZERO:
            out[count] = square
            count += 1
    return count


@kernel(inline=True)
def occupy(position: Large, move: int) -> Large:
    bit = WORD_ONE << Word(move % 50)
    low = position.low | bit if move < 50 else position.low
    high = position.high if move < 50 else position.high | bit
    return Large(low, high, position.ply + 1, 1 - position.mover)


@kernel(inline=True)
def corner_wins(position: Large) -> int:
    """The side that takes the last of the 100 squares wins; so does the corner on the second word."""
    return LOSS if position.high >> Word(49) & WORD_ONE != WORD_ZERO else ONGOING


@kernel(inline=True)
def many_moves(position: Large, event: int, out: numpy.ndarray) -> int:
    for move in range(4096):
        out[move] = move
    return 4096


@kernel(inline=True)
def remember(position: Large, move: int) -> Large:
    return Large(mix(position.low + Word(move)), position.high, position.ply + 1, 1 - position.mover)


@kernel(inline=True)
def hash_wins(position: Large) -> int:
    if position.ply < 1:
        return ONGOING
    return LOSS if position.low % Word(3) == WORD_ZERO else DRAW


def parse_large(text: str) -> tuple[Large, int]:
    low, high, ply, mover, event = map(int, text.split())
    return Large(Word(low), Word(high), ply, mover), event


large = partial(
    Game, title="Large", description="many", dice="none", sides=("one", "two"), rows=10, columns=10,
    position=Large, start=large_start, parse=parse_large,
    format=lambda position, event: " ".join(str(int(number)) for number in (*position, event)),
    format_move=lambda position, move: f"m{move}", cells=lambda position: [Cell("", None)] * 100,
    reason=lambda position: "end",
)  # fmt: skip
BOARD = large(name="large-board", moves=free_squares, play=occupy, outcome=corner_wins, max_moves=100, max_plies=100)
MANY = large(
    name="many-moves", moves=many_moves, play=remember, outcome=hash_wins, max_moves=4096, max_plies=2, faces=64
)


@pytest.mark.parametrize("game", [BOARD], ids=lambda game: game.name)
def test_boards_may_have_more_than_64_squares(game: Game) -> None:
    if not PLAIN:
        pytest.skip("plain Python in the default suite, searches in the slow one")
    assert check_laws(game, games=1).positions > 3


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="too slow without compilation")
@pytest.mark.parametrize(("game", "spec"), [(game, spec) for game in (BOARD, MANY) for spec in ("negascout", "mcts")])
def test_searches_at_the_limits(game: Game, spec: str) -> None:
    """100 squares; 4,096 moves for each of 64 events. Every search finds a winning move."""
    state = start(game)
    state = state.rolled(64) if state.needs_roll else state
    player = make_player(spec, game)
    player.new_game(game, 0)
    decision = player.choose(state, Limit(depth=1) if spec == "negascout" else Limit(simulations=5000))
    assert state.play(decision.move).over
