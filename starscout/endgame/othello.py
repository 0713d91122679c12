"""The Othello solver: the exact disc difference of a position, a best move and the line; bounds when it is stopped.

A solver owns the table and the memories of its threads. It never reads the clock: the caller raises the flags
(`stop_after`) or stops iterating. Differences are the mover's discs − the other side's, empty squares to the winner.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from starscout.bits import Word
from starscout.endgame import disc_search
from starscout.endgame.disc_search import SolverSwitches
from starscout.endgame.stability import build_stable
from starscout.flags import RAISED
from starscout.game import ONGOING, Game
from starscout.games.othello import Position
from starscout.kernel import PLAIN
from starscout.search import table as transposition

TABLE_BITS = 19


@dataclass(frozen=True)
class SolvedMove:
    """A move and the bounds of the mover's disc difference after it."""

    move: int
    lower: int
    upper: int


@dataclass(frozen=True)
class DiscSolution:
    """What is proven about a position: the bounds of the mover's disc difference, equal when it is solved."""

    lower: int
    upper: int
    moves: tuple[SolvedMove, ...]
    """The finished moves, in the order in which they were searched."""
    nodes: int
    finished: float
    """The part of the moves that is finished, 0 to 1."""

    @property
    def exact(self) -> bool:
        """Whether the difference is known."""
        return self.lower == self.upper

    @property
    def best(self) -> int | None:
        """The first finished move with the highest proven difference; None while there is none."""
        return max(self.moves, key=lambda solved: solved.lower).move if self.moves else None

    @property
    def outcome(self) -> int | None:
        """1, 0 or −1 when it is proven who wins."""
        if self.lower > 0 or self.upper < 0:
            return 1 if self.lower > 0 else -1
        return 0 if self.exact else None


def empty_squares(game: Game, position: Position) -> int:
    """How many squares are empty."""
    return game.rows * game.columns - (int(position.own) | int(position.enemy)).bit_count()


def disc_difference(game: Game, position: Position) -> int:
    """The mover's discs − the other side's when the game is over, the empty squares given to the winner."""
    own, enemy = int(position.own).bit_count(), int(position.enemy).bit_count()
    empty = game.rows * game.columns - own - enemy
    return own - enemy + (empty if own > enemy else -empty if own < enemy else 0)


class OthelloSolver:
    """Solves positions of one board, one after the other; what it learns stays in the table."""

    def __init__(
        self,
        game: Game,
        switches: SolverSwitches | None = None,
        table_bits: int = TABLE_BITS,
        threads: int = 1,
    ) -> None:
        self.game = game
        self._squares = game.rows * game.columns
        self._kernel, self._stable = disc_search.build(game.rows), build_stable(game.rows)
        self._table = transposition.new_table(table_bits)
        self._busy = numpy.zeros(disc_search.BUSY_SLOTS, dtype=Word)
        # Plain Python runs one thread at a time: helpers would only delay the first.
        threads = 1 if PLAIN else threads
        self._memories = [
            disc_search.new_solver_memory(switches or SolverSwitches(), shared=threads > 1) for _ in range(threads)
        ]

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags of all threads."""
        return tuple(memory.flag for memory in self._memories)

    @property
    def stopped(self) -> bool:
        """Whether a flag or the node limit has stopped the search."""
        return bool(self._memories[0].flag[0])

    @property
    def nodes(self) -> int:
        """The nodes of all threads so far; those with fewer than four empty squares are not counted."""
        return sum(int(memory.nodes) for memory in self._memories)

    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a position: lower the flags, age the table, allow `nodes` more nodes per thread."""
        self._busy[:] = 0
        for memory in self._memories:
            memory.flag[0] = 0
            memory.age = (memory.age + 1) % transposition.MAX_AGE
            memory.node_limit = disc_search.NO_LIMIT if nodes is None else memory.nodes + nodes

    def compile(self) -> None:
        """Compile or load whatever a solution needs, before a clock runs."""
        start = Position(*self.game.start_position(0))
        self.begin(nodes=1)
        list(self.solve(start))
        self._known(start)
        self.begin()

    def solve(self, position: Position, *, wld: bool = False, every_move: bool = False) -> Iterator[DiscSolution]:
        """What is proven so far, after each move; the last one is the solution unless the solver was stopped.

        `wld` only finds out who wins; `every_move` finds the difference of each move, not only of the best.
        """
        before, squares = self.nodes, self._squares
        most = squares - 2 * int(self._stable(position.enemy, position.own)).bit_count()
        least = 2 * int(self._stable(position.own, position.enemy)).bit_count() - squares
        moves = sorted(self.game.legal(position, 1), key=lambda move: self._answers(position, move))
        alpha, beta = (-1, 1) if wld else (-squares, squares)
        found: list[SolvedMove] = []
        yield DiscSolution(least, most, (), 0, 0.0)
        for number, move in enumerate(moves):
            floor = max([alpha, *(solved.lower for solved in found)])
            if every_move:
                floor = alpha
            if floor >= beta:
                break
            solved = self._solve_move(position, move, floor, beta, scout=bool(found) and not every_move)
            if solved is None:
                return
            found.append(solved)
            settled = number + 1 == len(moves) or (solved.lower >= beta and not every_move)
            lower = max(least, *(one.lower for one in found))
            upper = max(one.upper for one in found) if settled else most
            yield DiscSolution(
                lower, max(lower, min(most, upper)), tuple(found), self.nodes - before, (number + 1) / len(moves)
            )

    def line(self, position: Position, difference: int) -> Iterator[int]:
        """Best moves for both sides from a position whose difference is known; ends early when stopped."""
        while self.game.outcome(position) == ONGOING:
            moves = sorted(self.game.legal(position, 1), key=lambda move: self._answers(position, move))
            known = self._known(position).best
            moves.sort(key=lambda move: move != known)
            for move in moves:
                solved = self._solve_move(position, move, difference - 1, difference, scout=False)
                if solved is None:
                    return
                if solved.lower >= difference:
                    break
            else:
                raise ValueError(f"no move reaches {difference:+d}: it is not the difference of the position")
            yield move
            position = self._after(position, move)
            difference = -difference

    def _after(self, position: Position, move: int) -> Position:
        return Position(*self.game.play_position(position, move))

    def _answers(self, position: Position, move: int) -> int:
        """How many answers a move leaves to the other side: the fewer, the sooner it is tried."""
        child = self._after(position, move)
        return len(self.game.legal(child, 1)) if self.game.outcome(child) == ONGOING else 0

    def _solve_move(self, position: Position, move: int, alpha: int, beta: int, *, scout: bool) -> SolvedMove | None:
        """The bounds of a move, exact inside (alpha, beta); None if stopped. `scout`: test for a better value first."""
        child = self._after(position, move)
        if self.game.outcome(child) != ONGOING:
            difference = -disc_difference(self.game, child)
            return SolvedMove(move, difference, difference)
        if scout and alpha + 1 < beta:
            value = -self._search(child, -alpha - 1, -alpha)
            if not self.stopped and value > alpha:
                value = -self._search(child, -beta, -alpha)
        else:
            value = -self._search(child, -beta, -alpha)
        if self.stopped:
            return None
        return SolvedMove(move, value if value > alpha else -self._squares, value if value < beta else self._squares)

    def _known(self, position: Position) -> transposition.Entry:
        own, enemy = position.own, position.enemy
        slot = transposition.slot_of(self._table, own, enemy)
        return transposition.probe(self._table, slot, own, enemy, empty_squares(self.game, position))

    def _search(self, position: Position, alpha: int, beta: int) -> int:
        """Search with all threads; returns the value of the one that is ready first."""
        empties = empty_squares(self.game, position)
        values: list[int] = []

        def run(memory: disc_search.Memory) -> None:
            value = self._kernel(position.own, position.enemy, alpha, beta, memory, self._table, self._busy)
            if memory.flag[0] == 0 and memory.released == 0:
                values.append(int(value))
                for other in self._memories:
                    other.released = RAISED

        for memory in self._memories:
            memory.empties, memory.leaving, memory.released = empties, disc_search.NOT_LEAVING, 0
            memory.rows["slot"] = disc_search.NO_SLOT
        company = self._memories[1:] if empties >= disc_search.DIVIDED else []
        helpers = [threading.Thread(target=run, args=(memory,)) for memory in company]
        for helper in helpers:
            helper.start()
        run(self._memories[0])
        for helper in helpers:
            helper.join()
        return values[0] if values else 0
