"""NegaScout at decision nodes and Star at chance nodes, in one self-recursive kernel for every game and evaluation.

A node is a position before its event; a ply is an event and the move that follows it. A node contains groups of events
(chance), a group contains moves (decision), and each move leads to the next node:

    search(node, α, β)    chance    mean of the groups: Star0, Star1, Star2 or Star2.5
      group, [A, B]       decision  best of the moves: NegaScout, null window first
        −search(node after the move, −B, −max(A, best))

Contract: the result v is fail-soft for a window α < β. v ≤ α: the value is at most v; v ≥ β: it is at least v;
otherwise it is v. Values are integers (see game/values.py), the same with all switches and any number of threads.

Cuts need no tolerance. A group's window [A, B] follows from the sum that the node would return:

    settled + weight · B + least of the rest ≥ total · β
    settled + weight · A + most of the rest  < total · (α + 1)

in integers, so a cut happens exactly when the bound that is returned lies outside the window. Floating-point sums
depend on their order: a rounding error could push a bound over the window where the value stays inside.

Where the same side is to move in the next node, its value is not negated. An event may give the decision to the other
side: the group is then a minimum for the mover of the node, its window is mirrored, and Star2 does not probe it.

The memory of a thread is one record: its fields have names, and a call passes one pointer, not several arrays.
"""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.game.chance import ONLY_EVENT, sample_offset, sampled_weight
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ZERO, Word
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.sorting import heap_sort
from starscout.search import transposition_table as transposition
from starscout.search.time_control import RAISED

MAX_DEPTH = 100
HISTORY_SIZE = 4096
NO_CUTS = -1
NO_LIMIT = numpy.iinfo(numpy.int64).max
STORE_NOTHING, STORE_CHANCE, STORE_DECISIONS, STORE_BOTH = range(4)
INDEX_LIMIT = 1 << 14
INSERTION_LIMIT = 32
"""Longer lists of moves are sorted by heapsort."""
HISTORY_LIMIT = 1 << 20
LOWEST = -2 * ONE
ROLL_SPREAD = Word(0xD6E8_FEB8_6659_FD93)


@dataclass(frozen=True)
class Switches:
    """Search enhancements. Only `settle_depth` and `samples` change the value of a position."""

    star: float = 2
    """Pruning at chance nodes: 0 (none), 1, 2 or 2.5."""
    probes: int = 2
    """Star2.5: how many moves of each roll are tried before any roll is settled."""
    scout: bool = True
    """Search with a null window first."""
    store: str = "chance"
    """The nodes that the table stores: chance, decision or nothing.

    With `chance`, an entry also holds the best move of each group. Where these do not fit, decisions are stored too.
    """
    store_depth: int = 2
    """Minimum depth in plies of a stored node."""
    merge: bool = True
    """Treat rolls that allow the same moves as one branch."""
    order: bool = True
    """Sort moves: the table's first, then by the evaluation, then by history."""
    window: int = 1
    """The width of a null window, in units of values."""
    settle_depth: int = 0
    """Below this depth in plies a null window that fails high is not searched again: its bound counts as the value.

    Report 000 does that below 3. This is correct without dice; with dice the bound can be far from the value.
    """
    samples: int = 0
    """Monte-Carlo *-minimax: nodes with more groups of events use this many random draws of them; 0: all events."""
    seed: int = 0
    """The draws are those of this seed: each position has the same ones wherever it occurs."""

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
    path = game.max_plies + MAX_DEPTH + 2 if game.repetition else 0
    fields = [
        ("flag", number, 1),
        *((name, number) for name in COUNTERS),
        *((name, number) for name in ("node_limit", "age", "probes", "store", "store_depth", "window", "settle_depth")),
        *(("samples", number), ("seed", Word)),
        *((name, switch) for name in ("scout", "merge", "order", "reverse")),
        ("history", number, (2, HISTORY_SIZE)),
        # Keys of the earlier positions of the game and of the current path; `path_end` is the index at depth 0.
        *((("path", Word, (path, 2)), ("path_end", number)) if game.repetition else ()),
        ("rows", numpy.dtype(row, align=True), (MAX_DEPTH + 1, game.max_events)),
    ]
    return numpy.dtype((numpy.record, numpy.dtype(fields, align=True)))


def new_memory(game: Game, switches: Switches, *, reverse: bool = False) -> numpy.ndarray:
    """The memory of one thread, the only record of an array: a kernel takes memory[0], Python uses memory["nodes"].

    Python needs more time for a field of a record than for one of an array. A helping thread settles the rolls in
    `reverse`, from the last to the first.
    """
    memory = numpy.zeros(1, dtype=memory_type(game))
    memory["node_limit"], memory["probes"] = NO_LIMIT, switches.probe_count
    dense = switches.store == "chance" and not hint_bits(game)
    memory["store"], memory["reverse"] = STORE_BOTH if dense else STORES.index(switches.store), reverse
    for name in ("scout", "merge", "order", "window", "settle_depth", "store_depth", "samples", "seed"):
        memory[name] = getattr(switches, name)
    return memory


def hint_bits(game: Game) -> int:
    """The bits of a table entry for the best move of each group; 0 if they cannot hold the index of a move."""
    bits = transposition.MOVE_BITS // game.max_events
    return bits if game.max_events == 1 or game.max_moves < 1 << bits else 0


class NodeProbe(NamedTuple):
    """Table lookup for a node: its value if `cut`, else a window that may be narrower than before."""

    cut: bool
    value: int
    alpha: int
    beta: int
    hints: int
    """Best moves of the groups, packed as in the table."""


@kernel(inline=True)
def probe_node(
    table: numpy.ndarray, slot: int, first: Word, second: Word, depth: int, alpha: int, beta: int
) -> NodeProbe:
    """Look up a node; bounds of the same depth cut it or narrow its window."""
    known = transposition.probe(table, slot, first, second, depth)
    cut, value = False, 0
    if known.depth == depth:
        if known.lower >= beta or known.lower == known.upper:
            cut, value = True, known.lower
        elif known.upper <= alpha:
            cut, value = True, known.upper
        else:
            alpha, beta = max(alpha, known.lower), min(beta, known.upper)
    return NodeProbe(cut, value, alpha, beta, known.best)


@kernel(inline=True)
def probe_decision(
    table: numpy.ndarray, slot: int, first: Word, second: Word, depth: int, low: int, high: int
) -> tuple[bool, int, int]:
    """Look up a position with its roll: whether it is cut, the value then, and the best move."""
    known = transposition.probe(table, slot, first, second, depth)
    outside = known.lower >= high or known.upper <= low or known.lower == known.upper
    return known.depth == depth and outside, known.lower if known.lower >= high else known.upper, known.best


@kernel(inline=True)
def group_window(
    alpha: int, beta: int, weight: int, total: int, settled: int, least_rest: int, most_rest: int
) -> tuple[int, int]:
    """The window outside of which the value of a group cuts its node (see the top of this file)."""
    low = total * alpha + (total - 1) - settled - most_rest
    high = total * beta - settled - least_rest
    if weight > 1:
        low, high = low // weight, -(-high // weight)
    return max(low, -ONE), min(high, ONE)


@kernel(inline=True)
def reward_cut(memory: Memory, side: int, move: int, depth: int) -> None:
    """History heuristic: order a move that caused a cut earlier in other positions."""
    place = move & (HISTORY_SIZE - 1)
    memory.history[side, place] = min(memory.history[side, place] + depth * depth, HISTORY_LIMIT - 1)


def build(game: Game, evaluation: Evaluation) -> Any:
    """The kernel search(position, depth, alpha, beta, memory, table, weights) → value for positions that are not over.

    The weights are the evaluation's. The result is undefined once memory.flag[0] is not 0.
    """
    return build_kernel(game, evaluation.kernels)


@functools.cache
def build_kernel(game: Game, evaluation: EvaluationKernels, last_ply: bool = False) -> Any:
    """The kernel of `build`, shared by all evaluations that differ only in their weights.

    Most nodes are leaves or one ply above them. The same kernel, compiled for the `last_ply`, searches these: at most
    one ply deep and without a table, so that the compiler drops the rest.
    """
    deeper = not last_ply
    search_last_ply: Any = build_kernel(game, evaluation, last_ply=True) if deeper else None
    outcome, groups, group, moves, play, key = (
        game.outcome, game.groups, game.group, game.moves, game.play, game.key,
    )  # fmt: skip
    events, event, total_weight, resolve, sign = game.events, game.event, game.total, game.resolve, game.sign
    result_value, resolves, alternating = game.result_value, game.resolves, game.alternating
    repeats, repetition_key = game.repetition > 0, game.repetition_key
    evaluate, order = evaluation.evaluate, evaluation.order
    fair, no_event = game.is_fair_die, NOT_ROLLED if game.has_chance else ONLY_EVENT
    move_bits = hint_bits(game)
    move_mask = (1 << move_bits) - 1 if move_bits else transposition.NO_MOVES
    # A constant `has_groups`: without chance, `total` is then known to be 1 when the kernel is compiled.
    long_rows, has_groups = game.max_moves > INSERTION_LIMIT, game.max_events > 1
    store, slot_of, no_moves = transposition.store, transposition.slot_of, transposition.NO_MOVES

    @kernel(inline=True)
    def rank_of(position: Position, memory: Memory, row: Any, index: int, hint: int) -> int:
        """A number that is larger for a more promising move, and unique: its last digits are the index."""
        move = row.moves[index]
        rank = order(position, move) * HISTORY_LIMIT + memory.history[position.mover, move & (HISTORY_SIZE - 1)]
        if index == hint:
            rank = INDEX_LIMIT * HISTORY_LIMIT
        return rank * INDEX_LIMIT + (INDEX_LIMIT - 1 - index)

    @kernel
    def sort_moves(position: Position, memory: Memory, row: Any, count: int, hint: int) -> None:
        """Fill `row.order` with the indices of the moves, the most promising first."""
        ranks = row.order
        if long_rows and count > INSERTION_LIMIT:
            for index in range(count):
                ranks[index] = rank_of(position, memory, row, index, hint)
            heap_sort(ranks[:], count)
        else:
            for index in range(count):
                entry = rank_of(position, memory, row, index, hint)
                place = index
                while place > 0 and ranks[place - 1] < entry:
                    ranks[place] = ranks[place - 1]
                    place -= 1
                ranks[place] = entry
        for place in range(count):
            ranks[place] = INDEX_LIMIT - 1 - (ranks[place] & (INDEX_LIMIT - 1))

    @kernel(inline=True)
    def is_repeated(position: Position, depth: int, memory: Memory) -> bool:
        """Whether the position occurred before, on the path or in the game; adds it to the path."""
        first, second = repetition_key(position)
        length = memory.path_end - depth
        for index in range(length):
            if memory.path[index, 0] == first and memory.path[index, 1] == second:
                return True
        memory.path[length, 0] = first
        memory.path[length, 1] = second
        return False

    @kernel
    def search(
        position: Position, depth: int, alpha: int, beta: int, memory: Memory, table: numpy.ndarray, weights: Weights
    ) -> int:
        # Step 1: count the node, check the limits.
        to_last_ply, below, no_table = memory.store_depth > 1, depth - 1, 0
        if deeper and (depth == 0 or (depth == 1 and to_last_ply)):
            return search_last_ply(position, depth, alpha, beta, memory, no_table, weights)
        if deeper:
            table = borrowed(table)
        memory.nodes += 1
        if memory.nodes >= memory.node_limit:
            memory.flag[0] = RAISED
        if repeats and is_repeated(position, depth, memory):
            return 0
        if last_ply:
            if depth == 0:
                memory.unfinished += 1
                return evaluate(position, weights)
            depth = 1

        # Step 2: look up the node in the table.
        storing = STORE_NOTHING if last_ply or depth < memory.store_depth else memory.store
        first_key, second_key, slot, hints = WORD_ZERO, WORD_ZERO, 0, no_moves
        if deeper and storing != STORE_NOTHING:
            first_key, second_key = key(position)
        if deeper and storing & STORE_CHANCE:
            slot = slot_of(table, first_key, second_key)
            cut, value, alpha, beta, hints = probe_node(table, slot, first_key, second_key, depth, alpha, beta)
            if cut:
                memory.table_cuts += 1
                return value

        # Step 3: visit each group of rolls once; with Star2 once for its probes and once for its other moves.
        merged, scouting, reverse = memory.merge, memory.scout and depth > 1, memory.reverse
        window, settling = memory.window, depth < memory.settle_depth
        count = groups(position)
        if not merged:
            count = max(events(position), 1)
        weights_sum = total = total_weight(position)
        offset, passed, sampling = 0, 0, has_groups and 0 < memory.samples < count
        if sampling:
            total = memory.samples
            offset = sample_offset(key(position)[0], memory.seed, weights_sum)
        probes = memory.probes
        probing = probes > 0 and count > 1
        cutting = probes != NO_CUTS or count == 1
        ordered = memory.order and depth > 1
        settled, least_rest, most_left = 0, -ONE * total, ONE * total
        node_value, node_lower, node_upper = 0, -ONE, ONE
        leaves, unfinished = 0, 0
        for visit in range(0 if probing else count, 2 * count):
            is_probe = visit < count
            is_first = is_probe or not probing
            number = visit if is_probe else visit - count
            index = count - 1 - number if reverse else number
            row = memory.rows[depth, index]

            # Step 4: generate the moves of the group, or resume after its probes.
            roll, weight = no_event, 1
            if merged:
                roll, weight = group(position, index)
            elif fair or events(position) > 0:
                roll, weight = event(position, index)
            if sampling:
                passed = weight + (passed if number > 0 else 0)
                before = weights_sum - passed if reverse else passed - weight
                weight = sampled_weight(before, weight, weights_sum, total, offset)
                if weight == 0:
                    continue
            decision = resolve(position, roll)
            mirrored = not alternating and decision.mover != position.mover
            if is_first:
                best, least, next_move, best_index = LOWEST, -ONE, 0, move_mask
                available = 0
                result = outcome(decision) if resolves else ONGOING
                if result != ONGOING:
                    leaves += 1
                    best = result_value(result)
                else:
                    # The slice has the type of any array, so the kernel of the game is compiled once.
                    available = moves(decision, roll, row.moves[:])
                row.count = available
            else:
                available, best, least = row.count, row.best, row.least
                next_move, best_index = row.next, row.best_index

            # Step 5: the window of the group, from the bounds of the other groups.
            least_rest -= weight * least
            most_left -= 0 if is_probe else ONE * weight
            most_rest = ONE * (total - weight) if is_probe else most_left
            low, high = -ONE, ONE
            if count == 1:
                low, high = alpha, beta
            elif cutting:
                low, high = group_window(alpha, beta, weight, total, settled, least_rest, most_rest)
            if mirrored:
                low, high = -high, -low

            # Step 6: look up the decision in the table; order the moves.
            decision_slot, decision_key = 0, WORD_ZERO
            hint = move_mask
            searched = True
            if deeper and storing & STORE_DECISIONS and available > 0:
                decision_key = second_key ^ (Word(roll) * ROLL_SPREAD)
                decision_slot = slot_of(table, first_key, decision_key)
                if is_first:
                    cut, value, hint = probe_decision(table, decision_slot, first_key, decision_key, depth, low, high)
                    if cut:
                        memory.table_cuts += 1
                        best, next_move = value, available
                searched = next_move < available
            elif deeper and is_first and move_bits > 0:
                hint = (hints >> (index * move_bits)) & move_mask
            if deeper and is_first and ordered and next_move < available:
                sort_moves(decision, memory, row, available, hint)

            # Step 7: NegaScout over the moves that are left, or over the probes.
            end = available
            if is_probe:
                end = 0 if mirrored else min(probes, available)
            while next_move < end and best < high:
                chosen = row.order[next_move] if deeper and ordered else next_move
                move = row.moves[chosen]
                child = play(decision, move)
                result = outcome(child)
                if result != ONGOING:
                    leaves += 1
                    value = sign(decision, child) * result_value(result)
                elif last_ply:
                    leaves += 1
                    value = 0
                    if not (repeats and is_repeated(child, 0, memory)):
                        unfinished += 1
                        value = sign(decision, child) * evaluate(child, weights)
                else:
                    same_mover = not alternating and child.mover == decision.mover
                    floor = max(best, low)
                    ceiling = floor + window if scouting and next_move > 0 and floor + window < high else high
                    while True:
                        least_child, most_child = (floor, ceiling) if same_mover else (-ceiling, -floor)
                        if depth == 2 and to_last_ply:
                            value = search_last_ply(child, below, least_child, most_child, memory, no_table, weights)
                        else:
                            value = search(child, below, least_child, most_child, memory, table, weights)
                        value = value if same_mover else -value
                        if memory.flag[0] != 0:
                            return 0
                        if value < ceiling or value >= high or settling:
                            break
                        memory.researches += 1
                        floor, ceiling = value - 1, high
                next_move += 1
                if value > best:
                    best, best_index = value, chosen
                    if value >= high:
                        memory.cuts += 1
                        if deeper and depth > 1:
                            reward_cut(memory, decision.mover, move, depth)

            # Step 8: a probed group is worth at least its best probe; cut the node if that reaches β.
            if is_probe:
                least = best if best > low else -ONE
                if available == 0:
                    # The event has ended the game.
                    least = -best if mirrored else best
                elif mirrored:
                    least = -ONE
                least_rest += weight * least
                row.best, row.least, row.next, row.best_index = best, least, next_move, best_index
                if least_rest < total * beta:
                    continue
                memory.probe_cuts += 1
                node_value = node_lower = least_rest // total
                break

            # Step 9: store the decision. The value of a group narrows both bounds of the node; cut it if they allow.
            if deeper and storing & STORE_DECISIONS and searched and available > 0:
                lower = best if best > low else -ONE
                upper = best if best < high else ONE
                store(table, decision_slot, first_key, decision_key, depth, lower, upper, best_index, memory.age)
            if deeper and storing == STORE_CHANCE and best_index < move_mask:
                hints = (hints & ~(move_mask << (index * move_bits))) | (best_index << (index * move_bits))
            settled += -weight * best if mirrored else weight * best
            if cutting and settled + least_rest >= total * beta:
                node_value = node_lower = (settled + least_rest) // total
            elif cutting and settled + most_rest < total * (alpha + 1):
                node_value = node_upper = (settled + most_rest) // total
            else:
                continue
            memory.chance_cuts += count > 1
            break
        else:
            node_value = node_lower = node_upper = settled // total

        # Step 10: store the value or its bound.
        memory.nodes += leaves
        memory.unfinished += unfinished
        if deeper and storing & STORE_CHANCE:
            store(table, slot, first_key, second_key, depth, node_lower, node_upper, hints, memory.age)
        return node_value

    return search
