"""`starscout.list_games`, `load`, `start` and `parse`: games and their positions.

`starscout.laws`: check the invariants that every search depends on.

`starscout.perft`: count the leaves of the game tree at a depth.

`starscout.playouts`: play random games and measure their rate.

`starscout.puzzle`: find the shortest solution of the single-player puzzle.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from starscout import games
from starscout.api.progress import interruptible_kernels, progress_bar
from starscout.api.result import Picture, PlottedResult, Result, rich_table
from starscout.drawing import charts
from starscout.errors import naming_file
from starscout.evaluation.laws import check_knowledge
from starscout.game import Game, GameError, state
from starscout.game.laws import DEFAULT_GAMES, DEFAULT_SECONDS, LawBrokenError, check_laws
from starscout.game.state import State
from starscout.games.puzzle import solve_text
from starscout.search.perft import count_leaves, expected_leaves, perft_parts
from starscout.search.perft import perft as count_all_leaves
from starscout.search.playouts import play_random_for
from starscout.settings.arguments import checked
from starscout.settings.schema import Depth, File, Games, Progress, Seconds, Seed, Setting, Threads, Weighted

if TYPE_CHECKING:
    from rich.console import RenderableType


FIELDS = ("name", "title", "board", "dice", "description")


@dataclass(frozen=True, repr=False)
class GameList(Result):
    """The built-in games.

    >>> [game["name"] for game in list_games().games]
    ['backgammon', 'dark-chess', 'ewn', 'ewn-cyclic', 'kari', 'othello']
    """

    games: tuple[dict[str, str], ...]
    """Name, title, board, dice and description of each game."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout games --json`."""
        return {"games": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per game."""
        return [dict(game) for game in self.games]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        shown = [{**game, "board": game["board"].replace("x", "×")} for game in self.games]
        rows = [[game[name] for name in FIELDS] for game in shown]
        other = "\nOther sizes: ewn-4x4-3, othello-6x6. Your own games: a file that defines GAME, ./my_game.py"
        return Group(rich_table(FIELDS, rows, left=FIELDS), other)

    def __repr__(self) -> str:
        return f"<{len(self.games)} games>"


def list_games() -> GameList:
    """List the built-in games.

    >>> list_games().games[-1]["board"]
    '8x8'
    """
    known = [games.load(name) for name in games.NAMES]
    values = [(game.name, game.title, f"{game.rows}x{game.columns}", game.dice, game.description) for game in known]
    return GameList(tuple(dict(zip(FIELDS, row, strict=True)) for row in values))


@checked
def load(name: str) -> Game:
    """Load a game by name, or from a file such as ./my_game.py; raises GameError.

    >>> load("othello").title
    'Othello'
    """
    return games.load(name)


@checked
def start(game: str | Game, seed: Seed = 0) -> State:
    """Return a start position; `seed` selects one if the game has several. Raises GameError.

    >>> start("othello").moves
    ['d3', 'c4', 'f5', 'e6']
    """
    return state.start(given_game(game), seed)


@checked
def parse(game: str | Game, text: str) -> State:
    """Parse a position of a game; raises GameError.

    >>> parse("ewn", "123../45.../6...f/...ed/..cba r 6").moves
    ['A3B3', 'A3A4', 'A3B4']
    """
    return state.parse(given_game(game), text)


def given_game(game: str | Game) -> Game:
    """Return the game that is given or named; raises GameError."""
    return games.load(game) if isinstance(game, str) else game


def given_state(given: State | Game | str, seed: int = 0) -> State:
    """Return the state that is given, or a start position of the given game; raises GameError."""
    return given if isinstance(given, State) else start(given, seed)


def load_files(files: str | Sequence[str]) -> None:
    """Load game files, so that records can refer to their games; raises GameError."""
    for file in (files,) if isinstance(files, str) else files:
        games.load(file)


@dataclass(frozen=True)
class LawsResult(Result):
    """Whether a game satisfies every law; if not, which law is violated, and where.

    >>> laws("othello-4x4", games=2).holds
    True
    """

    game: str
    holds: bool
    why: str = ""
    """The violated law, with a position that shows the violation."""
    games: int = 0
    positions: int = 0
    longest: int = 0
    """Length of the longest game, in plies."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout laws --json`."""
        names = ("games", "positions") if self.holds else ("why",)
        return {name: getattr(self, name) for name in ("game", "holds", *names)}

    def __rich__(self) -> "RenderableType":
        if not self.holds:
            return f"violated: {self.why}"
        return (
            f"{self.game} satisfies every law: {self.positions:,} positions of {self.games} games, "
            f"the longest with {self.longest} plies"
        )


@checked
def laws(game: str | Game, *, games: Games | None = None, seed: Seed = 0) -> LawsResult:
    """Check the laws of a game in random games; raises GameError if the game cannot be loaded.

    Without `games`, at least 20 random games are played, and more until two seconds have passed. A law that fails only
    in rare positions needs more games.

    >>> print(laws("othello-4x4", games=2, seed=1))
    othello-4x4 satisfies every law: ... positions of 2 games, the longest with ... plies
    """
    rules = given_game(game)
    try:
        report = check_laws(rules, games or DEFAULT_GAMES, seed, DEFAULT_SECONDS if games is None else 0.0)
        if rules.knowledge is not None:
            check_knowledge(rules, games or DEFAULT_GAMES, seed)
    except LawBrokenError as error:
        return LawsResult(rules.name, holds=False, why=str(error))
    return LawsResult(rules.name, True, "", report.games, report.positions, report.longest)


@dataclass(frozen=True)
class PerftResult(Result):
    """The leaf count of a game tree.

    >>> perft("othello", 5)
    PerftResult(nodes=1396, seconds=..., depth=5, expected=None)
    """

    nodes: int
    """Number of leaves; a finished game is one leaf, and every roll is a separate branch."""
    seconds: float
    depth: int
    """Depth of the leaves, in plies."""
    expected: float | None = None
    """With `weighted`: the mean number of leaves, each event weighted by its probability."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout perft --json`."""
        fields = {"nodes": self.nodes, "seconds": self.seconds}
        return fields if self.expected is None else fields | {"expected": self.expected}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [{"depth": self.depth, **self.json()}]

    def __rich__(self) -> "RenderableType":
        rate = self.nodes / self.seconds
        mean = "" if self.expected is None else f" ({self.expected:,.9f} weighted by event probabilities)"
        return f"{self.nodes:,} leaves{mean} at depth {self.depth}, {self.seconds:.3f} s, {rate:,.0f} per second"


@checked
def perft(
    state: State | Game | str,
    depth: Annotated[Depth, Setting(low=0)],
    *,
    weighted: Weighted = False,
    progress: Progress = True,
) -> PerftResult:
    """Count the leaves `depth` plies below a state, or below the first start position of a game; raises GameError.

    `weighted` adds their mean number, each event weighted by its probability.

    >>> perft("othello", 5).nodes
    1396
    """
    root = given_state(state)
    game = root.game
    with interruptible_kernels(), progress_bar("counting leaves", shown=progress) as show:
        count_all_leaves(game, root.position, 0)  # compiles or loads before the clock starts
        began, nodes = perf_counter(), 0
        parts = perft_parts(game, root.position, depth, root.roll)
        for finished, part in enumerate(parts, 1):
            nodes += count_leaves(game, part)
            show(finished / len(parts))
        seconds = perf_counter() - began
        expected = expected_leaves(game, root.position, depth, root.roll) if weighted else None
        return PerftResult(nodes, seconds, depth, expected)


@dataclass(frozen=True)
class PlayoutsResult(PlottedResult):
    """Random games: number, rate, mean length, and share won by the first mover.

    >>> played = playouts("ewn-3x3-3", seconds=0.01)
    >>> played.game, played.playouts > 0, 0 <= played.first_mover_wins <= 1
    ('ewn-3x3-3', True, True)
    """

    game: str
    playouts: int
    seconds: float
    per_second: float
    mean_plies: float
    first_mover_wins: float
    """Share of games won by the side that moves first."""
    draws: float
    """Share of drawn games."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout playouts --json`."""
        names = ("playouts", "seconds", "per_second", "mean_plies", "first_mover_wins")
        return {name: getattr(self, name) for name in names}

    def plot(self) -> Picture:
        """Plot the shares of wins and draws."""
        parts = {"first mover": self.first_mover_wins, "draw": self.draws}
        parts["second mover"] = 1.0 - sum(parts.values())
        return Picture(charts.probability_bars(list(parts), list(parts.values())))

    def __rich__(self) -> "RenderableType":
        draws = f", {self.draws:.1%} draws" if self.draws else ""
        return (
            f"{self.playouts:,} random games of {self.game} in {self.seconds:.2f} s: "
            f"{self.per_second:,.0f} per second, {self.mean_plies:.2f} plies on average, "
            f"the first mover wins {self.first_mover_wins:.1%}{draws}"
        )


@checked
def playouts(
    game: str | Game, *, seconds: Seconds = 1.0, threads: Threads = 1, seed: Seed = 0, progress: Progress = True
) -> PlayoutsResult:
    """Play random games for `seconds`; `seed` selects the sequence of games. Raises GameError.

    >>> playouts("ewn-3x3-3", seconds=0.01, seed=5).mean_plies > 1
    True
    """
    rules = given_game(game)
    with interruptible_kernels(), progress_bar("playing", shown=progress) as show:
        totals, taken = play_random_for(rules, seed, seconds, threads, show)
    count = totals.games
    wins, draws = totals.wins / count, totals.draws / count
    return PlayoutsResult(rules.name, count, taken, count / taken, totals.plies / count, wins, draws)


@dataclass(frozen=True)
class PuzzleResult(Result):
    """A shortest solution, if there is one.

    >>> PuzzleResult(moves=((2, 7), (2, 7)), proven=True, states=5).length
    2
    """

    moves: tuple[tuple[int, int], ...] | tuple[str, ...] | None
    """Piece and direction of each move, or its text in a puzzle of dark chess; None: no solution was found."""
    proven: bool
    """Whether the solution is proven shortest, or, if `moves` is None, that none exists."""
    states: int
    """Number of states visited by the search."""
    seconds: float = 0.0
    """Time of the search."""

    @property
    def length(self) -> int | None:
        """Number of moves of the solution."""
        return None if self.moves is None else len(self.moves)

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout puzzle --json`."""
        listed = self.moves and [move if isinstance(move, str) else list(move) for move in self.moves]
        return {"moves": listed, "length": self.length, "proven": self.proven}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per move."""
        return [
            {"move": move} if isinstance(move, str) else {"piece": move[0], "direction": move[1]}
            for move in self.moves or ()
        ]

    def __rich__(self) -> "RenderableType":
        if self.moves is not None:
            timed = [f"{self.seconds:.6f}"] if any(isinstance(move, str) for move in self.moves) else []
            texts = (move if isinstance(move, str) else f"{move[0]} {move[1]}" for move in self.moves)
            return "\n".join([*timed, str(self.length), *texts])
        if self.proven:
            return "no solution: the goal cannot be reached"
        return f"stopped after {self.states:,} states: no solution found, none ruled out"


@checked
def puzzle(file: File) -> PuzzleResult:
    """Solve a puzzle file: `n m`, the board, the number of dice, the dice, the target piece. Raises GameError.

    A board like `8/8/c7/1Kaaeerr b` is a puzzle of dark chess, in which only black moves and must capture every red
    piece.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "puzzle.txt")
    >>> _ = file.write_text("3 3  2 0 0  0 4 0  0 0 0  1  3  2")
    >>> puzzle(file).moves
    ((2, 7), (2, 7))
    """
    try:
        with naming_file(file):
            text = Path(file).read_text(encoding="utf-8-sig")
        began = perf_counter()
        with interruptible_kernels():
            solution = solve_text(text)
    except (GameError, UnicodeDecodeError) as error:
        raise GameError(f"{os.fspath(file)}: {error}") from error
    return PuzzleResult(solution.moves, solution.proven, solution.states, perf_counter() - began)
