"""NegaScout for decisions and Star for chance, in one self-recursive kernel that serves every game and evaluation.

A node is a position before its roll; a ply is a roll and the move that answers it. Inside a node stand the groups of
rolls (chance), inside a group its moves (decision), and below each move the next node:

    search(node, α, β)    chance    mean of the groups: Star0, Star1, Star2 or Star2.5
      group, [A, B]       decision  best of the moves: NegaScout, null window first
        −search(node after the move, −B, −max(A, best))

Contract: the result v is fail-soft for a window α < β. v ≤ α: the value is at most v; v ≥ β: it is at least v;
otherwise it is v. Values are whole numbers (see value.py), the same with every switch and any number of threads.

No tolerance is needed, and none is there. A group's window comes from the sum that the node would return:

    settled + weight · B + least of the rest ≥ faces · β
    settled + weight · A + most of the rest  < faces · (α + 1)

in whole numbers, so a cut happens exactly when the bound that is then returned lies outside the window. Floating-point
sums would depend on their order, and a bound could pass the window by a rounding error that the value does not make.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.bits import WORD_ALL, WORD_ZERO, Word
from starscout.evaluate.evaluation import Evaluation
from starscout.game import ONGOING, Game, Position
from starscout.kernel import borrowed, kernel
from starscout.search import table as transposition
from starscout.value import ONE

MAX_DEPTH = 100

# The memory of one thread is one array of numbers. The flag comes first, so that the array serves as a stop flag.
STOP, NODES, NODE_LIMIT, CUTS, CHANCE_CUTS, PROBE_CUTS, TABLE_CUTS, RESEARCHES, UNFINISHED = range(9)
PROBES, SCOUT, STORE, STORE_DEPTH, MERGE, ORDER, AGE, REVERSE = range(9, 17)
HISTORY = 17
HISTORY_SIZE = 4096
ROWS = HISTORY + 2 * HISTORY_SIZE
# A row for each depth and group: its moves, the order to try them in, and its state between probing and settling.
STATE_SIZE = 5

NO_CUTS = -1
STORE_NOTHING, STORE_CHANCE, STORE_DECISIONS = range(3)
INDEX_LIMIT = 1 << 10
HISTORY_LIMIT = 1 << 20
LOWEST = -2 * ONE
_ROLL_SPREAD = Word(0xD6E8_FEB8_6659_FD93)


@dataclass(frozen=True)
class Switches:
    """What a search does beyond the definition of the value; none of it changes a value.

    `star` is 0, 1, 2 or 2.5; `probes` is how many moves of each roll Star2.5 tries before it settles any roll.
    `store` says which nodes the table keeps: "chance", "decision" or "nothing"; nodes of less than `store_depth` plies
    are not worth an entry. `merge`: rolls that allow the same moves are one branch. `order`: table move, the
    evaluation's favourites, history.
    """

    star: float = 2
    probes: int = 2
    scout: bool = True
    store: str = "chance"
    store_depth: int = 2
    merge: bool = True
    order: bool = True

    def __post_init__(self) -> None:
        if self.star not in (0, 1, 2, 2.5):
            raise ValueError(f"star is 0, 1, 2 or 2.5, not {self.star:g}")
        if self.store not in STORES:
            raise ValueError(f"store is {', '.join(STORES)}, not {self.store!r}")
        if self.probes < 1:
            raise ValueError(f"probes is 1 or more, not {self.probes}")

    @property
    def probe_count(self) -> int:
        """How many moves of each roll are probed; NO_CUTS stands for Star0."""
        return {0: NO_CUTS, 1: 0, 2: 1, 2.5: self.probes}[self.star]


STORES = ("nothing", "chance", "decision")


def row_length(game: Game) -> int:
    """The numbers that a depth and group need in the memory."""
    return 2 * game.max_moves + STATE_SIZE


def new_memory(game: Game, switches: Switches, *, reverse: bool = False) -> numpy.ndarray:
    """The memory of one thread. `reverse` settles the rolls from the last to the first, for a helping thread."""
    memory = numpy.zeros(ROWS + (MAX_DEPTH + 1) * game.faces * row_length(game), dtype=numpy.int64)
    memory[NODE_LIMIT] = numpy.iinfo(numpy.int64).max
    memory[PROBES] = switches.probe_count
    memory[SCOUT], memory[MERGE], memory[ORDER] = switches.scout, switches.merge, switches.order
    memory[STORE], memory[STORE_DEPTH] = STORES.index(switches.store), switches.store_depth
    memory[REVERSE] = reverse
    return memory


def table_move(
    game: Game, switches: Switches, table: numpy.ndarray, first: Word, second: Word, index: int, roll: int
) -> int | None:
    """The best move under group `index` of rolls that the table knows for a key, as a number in order of generation."""
    bits = transposition.MOVE_BITS // game.faces
    if switches.store == "decision":
        second = Word(int(second) ^ (roll * int(_ROLL_SPREAD) & int(WORD_ALL)))
        index, bits = 0, transposition.MOVE_BITS
    elif not switches.merge:
        index = roll - 1
    none = (1 << bits) - 1
    slot = transposition.slot_of(table, first, second)
    best = int(transposition.probe(table, slot, first, second, 0)[3]) >> (index * bits) & none
    return None if best == none else best


@functools.cache
def build(game: Game, evaluation: Evaluation) -> Any:
    """The kernel search(position, depth, alpha, beta, memory, table) → value for positions that are not over.

    The result means nothing once memory[STOP] is not 0.
    """
    outcome, groups, group, moves, play, key = (
        game.outcome, game.groups, game.group, game.moves, game.play, game.key,
    )  # fmt: skip
    evaluate, order = evaluation.evaluate, evaluation.order
    faces, max_moves, length = game.faces, game.max_moves, row_length(game)
    count_at, next_at, best_at, best_index_at, least_at = range(2 * max_moves, 2 * max_moves + STATE_SIZE)
    move_bits = transposition.MOVE_BITS // faces
    move_mask = (1 << move_bits) - 1
    probe, store, slot_of = transposition.probe, transposition.store, transposition.slot_of
    no_moves = transposition.NO_MOVES

    @kernel
    def arrange(position: Position, memory: numpy.ndarray, row: numpy.ndarray, count: int, hint: int) -> None:
        """Write the order to try a row's moves in: numbers in the order of generation, the most promising first."""
        history = HISTORY + position.mover * HISTORY_SIZE
        for index in range(count):
            move = row[index]
            rank = order(position, move) * HISTORY_LIMIT + memory[history + (move & (HISTORY_SIZE - 1))]
            if index == hint:
                rank = INDEX_LIMIT * HISTORY_LIMIT
            entry = rank * INDEX_LIMIT + (INDEX_LIMIT - 1 - index)
            place = max_moves + index
            while place > max_moves and row[place - 1] < entry:
                row[place] = row[place - 1]
                place -= 1
            row[place] = entry
        for place in range(max_moves, max_moves + count):
            row[place] = INDEX_LIMIT - 1 - (row[place] & (INDEX_LIMIT - 1))

    @kernel
    def search(
        position: Position, depth: int, alpha: int, beta: int, memory: numpy.ndarray, table: numpy.ndarray
    ) -> int:
        # Step 1: count the node, look at the limits.
        memory, table = borrowed(memory), borrowed(table)
        memory[NODES] += 1
        if memory[NODES] >= memory[NODE_LIMIT]:
            memory[STOP] = 1
        if depth == 0:
            memory[UNFINISHED] += 1
            return evaluate(position)

        # Step 2: what the table knows of this node.
        storing = memory[STORE] if depth >= memory[STORE_DEPTH] else STORE_NOTHING
        first_key, second_key, slot, hints = WORD_ZERO, WORD_ZERO, 0, no_moves
        if storing != STORE_NOTHING:
            first_key, second_key = key(position)
        if storing == STORE_CHANCE:
            slot = slot_of(table, first_key, second_key)
            found, lower, upper, hints = probe(table, slot, first_key, second_key, depth)
            if found == depth:
                if lower >= beta or lower == upper:
                    memory[TABLE_CUTS] += 1
                    return lower
                if upper <= alpha:
                    memory[TABLE_CUTS] += 1
                    return upper
                alpha, beta = max(alpha, lower), min(beta, upper)

        # Step 3: the groups of rolls, and how many moves of each are probed first.
        merged, scouting, reverse = memory[MERGE] != 0, memory[SCOUT] != 0, memory[REVERSE] != 0
        count = groups(position) if merged else faces
        probes = memory[PROBES]
        cutting = probes != NO_CUTS or count == 1
        ordered = memory[ORDER] != 0 and depth > 1
        first_stage = 0 if probes > 0 and count > 1 else 1
        least_rest, settled = -ONE * faces, 0
        node_value, node_lower, node_upper, done = 0, -ONE, ONE, False
        leaves, unfinished = 0, 0

        for stage in range(first_stage, 2):
            most_rest = ONE * faces
            for number in range(count):
                index = count - 1 - number if reverse else number
                start = ROWS + (depth * faces + index) * length
                row = memory[start : start + length]

                # Step 4: on the first visit of a group, its moves in the order to try them.
                roll, weight = index + 1, 1
                if merged:
                    roll, weight = group(position, index)
                if stage == first_stage:
                    available = moves(position, roll, row)
                    row[count_at] = available
                    best, least, next_move, best_index = LOWEST, -ONE, 0, move_mask
                else:
                    available, best, least = row[count_at], row[best_at], row[least_at]
                    next_move, best_index = row[next_at], row[best_index_at]

                # Step 5: the window of the group, from what the other groups are worth at least and at most.
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

                # Step 6: what the table knows of the decision.
                decision_slot, decision_key = 0, WORD_ZERO
                searched = True
                hint = move_mask
                if storing == STORE_DECISIONS:
                    decision_key = second_key ^ (Word(roll) * _ROLL_SPREAD)
                    decision_slot = slot_of(table, first_key, decision_key)
                    if stage == first_stage:
                        found, lower, upper, hint = probe(table, decision_slot, first_key, decision_key, depth)
                        if found == depth and (lower >= high or upper <= low or lower == upper):
                            memory[TABLE_CUTS] += 1
                            best = lower if lower >= high else upper
                            next_move = available
                    searched = next_move < available
                elif stage == first_stage:
                    hint = (hints >> (index * move_bits)) & move_mask
                if stage == first_stage and ordered and next_move < available:
                    arrange(position, memory, row, available, hint)

                # Step 7: NegaScout over the moves that are left, or over those to probe.
                end = min(probes, available) if stage == 0 else available
                while next_move < end and best < high:
                    chosen = row[max_moves + next_move] if ordered else next_move
                    move = row[chosen]
                    child = play(position, move)
                    result = outcome(child)
                    if result != ONGOING:
                        leaves += 1
                        value = -ONE * result
                    elif depth == 1:
                        leaves += 1
                        unfinished += 1
                        value = -evaluate(child)
                    else:
                        floor = max(best, low)
                        if scouting and next_move > 0 and floor + 1 < high:
                            value = -search(child, depth - 1, -floor - 1, -floor, memory, table)
                            if floor < value < high:
                                memory[RESEARCHES] += 1
                                value = -search(child, depth - 1, -high, 1 - value, memory, table)
                        else:
                            value = -search(child, depth - 1, -high, -floor, memory, table)
                        if memory[STOP] != 0:
                            return 0
                    next_move += 1
                    if value > best:
                        best = value
                        best_index = chosen
                        if value >= high:
                            memory[CUTS] += 1
                            if depth > 1:
                                at = HISTORY + position.mover * HISTORY_SIZE + (move & (HISTORY_SIZE - 1))
                                memory[at] = min(memory[at] + depth * depth, HISTORY_LIMIT - 1)

                # Step 8: a probed group is worth at least its best probe; a node worth β is cut.
                if stage == 0:
                    least = best if best > low else -ONE
                    least_rest += weight * least
                    row[best_at], row[least_at] = best, least
                    row[next_at], row[best_index_at] = next_move, best_index
                    if least_rest >= faces * beta:
                        memory[PROBE_CUTS] += 1
                        node_value = node_lower = least_rest // faces
                        done = True
                        break
                    continue

                # Step 9: a settled group narrows the node's value from both sides.
                if storing == STORE_DECISIONS and searched:
                    lower = best if best > low else -ONE
                    upper = best if best < high else ONE
                    store(table, decision_slot, first_key, decision_key, depth, lower, upper, best_index, memory[AGE])
                elif storing == STORE_CHANCE and best_index < move_mask:
                    hints = (hints & ~(move_mask << (index * move_bits))) | (best_index << (index * move_bits))
                settled += weight * best
                if cutting:
                    if settled + least_rest >= faces * beta:
                        memory[CHANCE_CUTS] += count > 1
                        node_value = node_lower = (settled + least_rest) // faces
                        done = True
                        break
                    if settled + most_rest < faces * (alpha + 1):
                        memory[CHANCE_CUTS] += count > 1
                        node_value = node_upper = (settled + most_rest) // faces
                        done = True
                        break
            if done:
                break

        # Step 10: the value or its bound.
        memory[NODES] += leaves
        memory[UNFINISHED] += unfinished
        if not done:
            node_value = node_lower = node_upper = settled // faces
        if storing == STORE_CHANCE:
            store(table, slot, first_key, second_key, depth, node_lower, node_upper, hints, memory[AGE])
        return node_value

    return search
