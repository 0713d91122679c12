"""NegaScout at decision nodes and Star at chance nodes, in one self-recursive kernel for every game and evaluation.

A node is a position before its roll; a ply is a roll and the move that follows it. A node contains groups of rolls
(chance), a group contains moves (decision), and each move leads to the next node:

    search(node, α, β)    chance    mean of the groups: Star0, Star1, Star2 or Star2.5
      group, [A, B]       decision  best of the moves: NegaScout, null window first
        −search(node after the move, −B, −max(A, best))

Contract: the result v is fail-soft for a window α < β. v ≤ α: the value is at most v; v ≥ β: it is at least v;
otherwise it is v. Values are integers (see game/values.py), the same with all switches and any number of threads.

Cuts need no tolerance. A group's window [A, B] follows from the sum that the node would return:

    settled + weight · B + least of the rest ≥ faces · β
    settled + weight · A + most of the rest  < faces · (α + 1)

in integers, so a cut happens exactly when the bound that is returned lies outside the window. Floating-point sums
depend on their order: a rounding error could push a bound over the window where the value stays inside.

The memory of a thread is one record: its fields have names, and a call passes one pointer, not several arrays.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Word
from starscout.kernels.kernel import borrowed, kernel
from starscout.search import transposition_table as transposition
from starscout.search.time_control import RAISED

MAX_DEPTH = 100
HISTORY_SIZE = 4096
NO_CUTS = -1
NO_LIMIT = numpy.iinfo(numpy.int64).max
STORE_NOTHING, STORE_CHANCE, STORE_DECISIONS = range(3)
INDEX_LIMIT = 1 << 10
HISTORY_LIMIT = 1 << 20
LOWEST = -2 * ONE
_ROLL_SPREAD = Word(0xD6E8_FEB8_6659_FD93)


@dataclass(frozen=True)
class Switches:
    """What a search does beyond the definition of the value. No switch but `settle_depth` changes a value."""

    star: float = 2
    """Pruning at chance nodes: 0 (none), 1, 2 or 2.5."""
    probes: int = 2
    """Star2.5: how many moves of each roll are tried before any roll is settled."""
    scout: bool = True
    """Search with a null window first."""
    store: str = "chance"
    """The nodes that the table stores: chance, decision or nothing."""
    store_depth: int = 2
    """The least depth in plies of a stored node."""
    merge: bool = True
    """Treat rolls that allow the same moves as one branch."""
    order: bool = True
    """Sort moves: the table's first, then by the evaluation, then by history."""
    window: int = 1
    """The width of a null window, in units of values."""
    settle_depth: int = 0
    """Below this depth in plies a null window that fails high is not searched again: its bound counts as the value.

    Report 000 does that below 3. It is right without dice; with dice the bound can be far from the value.
    """

    def __post_init__(self) -> None:
        if self.star not in (0, 1, 2, 2.5):
            raise ValueError(f"star is 0, 1, 2 or 2.5, not {self.star:g}")
        if self.store not in STORES:
            raise ValueError(f"store is {', '.join(STORES)}, not {self.store!r}")
        if self.probes < 1:
            raise ValueError(f"probes is 1 or more, not {self.probes}")

    @property
    def probe_count(self) -> int:
        """How many moves of each roll are probed; NO_CUTS for Star0."""
        return {0: NO_CUTS, 1: 0, 2: 1, 2.5: self.probes}[self.star]


STORES = ("nothing", "chance", "decision")

Memory = numpy.record
"""The memory of one thread; `memory_type` names the fields."""

COUNTERS = ("nodes", "cuts", "chance_cuts", "probe_cuts", "table_cuts", "researches", "unfinished")
"""Fields that count: nodes, four kinds of cuts, repeated searches after a null window, evaluated leaves."""


@functools.cache
def memory_type(game: Game) -> numpy.dtype:
    """The fields of a thread's memory: stop flag, counters, switches, history, and one row per depth and group."""
    number, switch = numpy.int64, numpy.bool_
    row = [
        ("moves", number, game.max_moves),  # in the order of generation
        ("order", number, game.max_moves),  # indices into `moves`, in the order to try them
        ("count", number),  # how many moves there are
        # Star2 leaves a group after its probes and resumes it later:
        ("next", number),  # the next place in `order`
        ("best", number),  # the best value so far
        ("best_index", number),  # the index of its move
        ("least", number),  # the proven lower bound of the group
    ]
    fields = [
        ("flag", number, 1),
        *((name, number) for name in COUNTERS),
        *((name, number) for name in ("node_limit", "age", "probes", "store", "store_depth", "window", "settle_depth")),
        *((name, switch) for name in ("scout", "merge", "order", "reverse")),
        ("history", number, (2, HISTORY_SIZE)),
        ("rows", numpy.dtype(row, align=True), (MAX_DEPTH + 1, game.faces)),
    ]
    return numpy.dtype((numpy.record, numpy.dtype(fields, align=True)))


def new_memory(game: Game, switches: Switches, *, reverse: bool = False) -> numpy.ndarray:
    """The memory of one thread, the only record of an array: a kernel takes memory[0], Python uses memory["nodes"].

    Python needs more time for a field of a record than for one of an array. A helping thread settles the rolls in
    `reverse`, from the last to the first.
    """
    memory = numpy.zeros(1, dtype=memory_type(game))
    memory["node_limit"], memory["probes"] = NO_LIMIT, switches.probe_count
    memory["store"], memory["reverse"] = STORES.index(switches.store), reverse
    for name in ("scout", "merge", "order", "window", "settle_depth", "store_depth"):
        memory[name] = getattr(switches, name)
    return memory


def table_move(
    game: Game, switches: Switches, table: numpy.ndarray, first: Word, second: Word, index: int, roll: int
) -> int | None:
    """The best move in the table for a key and a group of rolls, as an index in the order of generation."""
    bits = transposition.MOVE_BITS // game.faces
    if switches.store == "decision":
        second = Word(int(second) ^ (roll * int(_ROLL_SPREAD) & int(WORD_ALL)))
        index, bits = 0, transposition.MOVE_BITS
    elif not switches.merge:
        index = roll - 1
    none = (1 << bits) - 1
    slot = transposition.slot_of(table, first, second)
    best = int(transposition.probe(table, slot, first, second, 0).best) >> (index * bits) & none
    return None if best == none else best


def build(game: Game, evaluation: Evaluation) -> Any:
    """The kernel search(position, depth, alpha, beta, memory, table, weights) → value for positions that are not over.

    The weights are the evaluation's. The result means nothing once memory.flag[0] is not 0.
    """
    return build_kernel(game, evaluation.kernels)


@functools.cache
def build_kernel(game: Game, evaluation: EvaluationKernels) -> Any:
    """The kernel of `build`, the same for all evaluations that differ in their weights alone."""
    outcome, groups, group, moves, play, key = (
        game.outcome, game.groups, game.group, game.moves, game.play, game.key,
    )  # fmt: skip
    evaluate, order = evaluation.evaluate, evaluation.order
    faces = game.faces
    move_bits = transposition.MOVE_BITS // faces
    move_mask = (1 << move_bits) - 1
    probe, store, slot_of = transposition.probe, transposition.store, transposition.slot_of
    no_moves = transposition.NO_MOVES

    @kernel
    def arrange(position: Position, memory: Memory, row: Any, count: int, hint: int) -> None:
        """Write the order to try the moves of a row in, the most promising first."""
        ranks = row.order
        for index in range(count):
            move = row.moves[index]
            rank = order(position, move) * HISTORY_LIMIT + memory.history[position.mover, move & (HISTORY_SIZE - 1)]
            if index == hint:
                rank = INDEX_LIMIT * HISTORY_LIMIT
            entry = rank * INDEX_LIMIT + (INDEX_LIMIT - 1 - index)
            place = index
            while place > 0 and ranks[place - 1] < entry:
                ranks[place] = ranks[place - 1]
                place -= 1
            ranks[place] = entry
        for place in range(count):
            ranks[place] = INDEX_LIMIT - 1 - (ranks[place] & (INDEX_LIMIT - 1))

    @kernel
    def search(
        position: Position, depth: int, alpha: int, beta: int, memory: Memory, table: numpy.ndarray, weights: Weights
    ) -> int:
        # Step 1: count the node, check the limits.
        table = borrowed(table)
        memory.nodes += 1
        if memory.nodes >= memory.node_limit:
            memory.flag[0] = RAISED
        if depth == 0:
            memory.unfinished += 1
            return evaluate(position, weights)

        # Step 2: what the table knows about this node.
        storing = memory.store if depth >= memory.store_depth else STORE_NOTHING
        first_key, second_key, slot, hints = WORD_ZERO, WORD_ZERO, 0, no_moves
        if storing != STORE_NOTHING:
            first_key, second_key = key(position)
        if storing == STORE_CHANCE:
            slot = slot_of(table, first_key, second_key)
            known = probe(table, slot, first_key, second_key, depth)
            hints = known.best
            if known.depth == depth:
                if known.lower >= beta or known.lower == known.upper:
                    memory.table_cuts += 1
                    return known.lower
                if known.upper <= alpha:
                    memory.table_cuts += 1
                    return known.upper
                alpha, beta = max(alpha, known.lower), min(beta, known.upper)

        # Step 3: the groups of rolls, and how many moves of each are probed first.
        merged, scouting, reverse = memory.merge, memory.scout, memory.reverse
        window, settling = memory.window, depth < memory.settle_depth
        count = groups(position) if merged else faces
        probes = memory.probes
        cutting = probes != NO_CUTS or count == 1
        ordered = memory.order and depth > 1
        first_stage = 0 if probes > 0 and count > 1 else 1
        least_rest, settled = -ONE * faces, 0
        node_value, node_lower, node_upper, done = 0, -ONE, ONE, False
        leaves, unfinished = 0, 0

        for stage in range(first_stage, 2):
            most_rest = ONE * faces
            for number in range(count):
                index = count - 1 - number if reverse else number
                row = memory.rows[depth, index]

                # Step 4: on the first visit of a group, generate its moves.
                roll, weight = index + 1, 1
                if merged:
                    roll, weight = group(position, index)
                if stage == first_stage:
                    # The slice has the type of any array, so the kernel of the game is compiled once.
                    available = moves(position, roll, row.moves[:])
                    row.count = available
                    best, least, next_move, best_index = LOWEST, -ONE, 0, move_mask
                else:
                    available, best, least, next_move, best_index = (
                        row.count,
                        row.best,
                        row.least,
                        row.next,
                        row.best_index,
                    )

                # Step 5: the window of the group, from the bounds of the other groups.
                least_rest -= weight * least
                most_rest = ONE * (faces - weight) if stage == 0 else most_rest - ONE * weight
                low, high = -ONE, ONE
                if count == 1:
                    low, high = alpha, beta
                elif cutting:
                    low = faces * alpha + (faces - 1) - settled - most_rest
                    high = faces * beta - settled - least_rest
                    if weight > 1:
                        low = low // weight
                        high = -(-high // weight)
                    low, high = max(low, -ONE), min(high, ONE)

                # Step 6: what the table knows about the decision; then order the moves.
                decision_slot, decision_key = 0, WORD_ZERO
                searched = True
                hint = move_mask
                if storing == STORE_DECISIONS:
                    decision_key = second_key ^ (Word(roll) * _ROLL_SPREAD)
                    decision_slot = slot_of(table, first_key, decision_key)
                    if stage == first_stage:
                        known = probe(table, decision_slot, first_key, decision_key, depth)
                        hint = known.best
                        if known.depth == depth and (
                            known.lower >= high or known.upper <= low or known.lower == known.upper
                        ):
                            memory.table_cuts += 1
                            best = known.lower if known.lower >= high else known.upper
                            next_move = available
                    searched = next_move < available
                elif stage == first_stage:
                    hint = (hints >> (index * move_bits)) & move_mask
                if stage == first_stage and ordered and next_move < available:
                    arrange(position, memory, row, available, hint)

                # Step 7: NegaScout over the moves that are left, or over the probes.
                end = min(probes, available) if stage == 0 else available
                while next_move < end and best < high:
                    chosen = row.order[next_move] if ordered else next_move
                    move = row.moves[chosen]
                    child = play(position, move)
                    result = outcome(child)
                    if result != ONGOING:
                        leaves += 1
                        value = -ONE * result
                    elif depth == 1:
                        leaves += 1
                        unfinished += 1
                        value = -evaluate(child, weights)
                    else:
                        floor = max(best, low)
                        if scouting and next_move > 0 and floor + window < high:
                            value = -search(child, depth - 1, -floor - window, -floor, memory, table, weights)
                            if floor + window <= value < high and not settling:
                                memory.researches += 1
                                value = -search(child, depth - 1, -high, 1 - value, memory, table, weights)
                        else:
                            value = -search(child, depth - 1, -high, -floor, memory, table, weights)
                        if memory.flag[0] != 0:
                            return 0
                    next_move += 1
                    if value > best:
                        best = value
                        best_index = chosen
                        if value >= high:
                            memory.cuts += 1
                            if depth > 1:
                                side, place = position.mover, move & (HISTORY_SIZE - 1)
                                credit = memory.history[side, place] + depth * depth
                                memory.history[side, place] = min(credit, HISTORY_LIMIT - 1)

                # Step 8: a probed group is worth at least its best probe; cut the node if that reaches β.
                if stage == 0:
                    least = best if best > low else -ONE
                    least_rest += weight * least
                    row.best, row.least, row.next, row.best_index = best, least, next_move, best_index
                    if least_rest >= faces * beta:
                        memory.probe_cuts += 1
                        node_value = node_lower = least_rest // faces
                        done = True
                        break
                    continue

                # Step 9: a settled group narrows both bounds of the node.
                if storing == STORE_DECISIONS and searched:
                    lower = best if best > low else -ONE
                    upper = best if best < high else ONE
                    store(table, decision_slot, first_key, decision_key, depth, lower, upper, best_index, memory.age)
                elif storing == STORE_CHANCE and best_index < move_mask:
                    hints = (hints & ~(move_mask << (index * move_bits))) | (best_index << (index * move_bits))
                settled += weight * best
                if cutting:
                    if settled + least_rest >= faces * beta:
                        memory.chance_cuts += count > 1
                        node_value = node_lower = (settled + least_rest) // faces
                        done = True
                        break
                    if settled + most_rest < faces * (alpha + 1):
                        memory.chance_cuts += count > 1
                        node_value = node_upper = (settled + most_rest) // faces
                        done = True
                        break
            if done:
                break

        # Step 10: the value or its bound.
        memory.nodes += leaves
        memory.unfinished += unfinished
        if not done:
            node_value = node_lower = node_upper = settled // faces
        if storing == STORE_CHANCE:
            store(table, slot, first_key, second_key, depth, node_lower, node_upper, hints, memory.age)
        return node_value

    return search
