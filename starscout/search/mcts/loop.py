"""The one loop of every Monte-Carlo search: select, expand, play out, back up.

`build_loop` closes it over a game, a playout policy, knowledge and the selection rules; everything else is a run-time
number in `Rules`. Results go up the tree as means in the view of each node's mover, together with proven bounds: a
finished game has its exact value, and so has every node whose value follows from finished games; such a node is never
simulated again. When the rule selects a proven child, the parent learns the exact value, and the simulation goes to a
child that is not proven yet, to bring the proof of the parent nearer. That simulation counts below that child only.

Iterations can come in bursts. The first one descends from the root to its base, the first node with few visits; the
others start at the base, and the results of all go up to the root together. So the nodes near the root, which all
threads visit, are written once per burst, and the path to the base is walked once per burst. These nodes count the
visits of a burst when it begins, so that other threads prefer other paths meanwhile.
"""

import functools
import math
from typing import Any

import numpy

from starscout.evaluation.knowledge import FIRST_CLASS
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.kernels.bits import Word, random_word
from starscout.kernels.kernel import kernel
from starscout.search.mcts.backup import Sums, add_sums, exact_sums, no_sums, together, turned
from starscout.search.mcts.playout import STAMPS, PlayoutKnowledge, build_playout
from starscout.search.mcts.pruning import DEVIATION, prune
from starscout.search.mcts.selection import Rule, build_select, choose_group, widest_group
from starscout.search.mcts.settings import Rules
from starscout.search.mcts.tree import (
    AMAF_MEAN,
    AMAF_VISITS,
    LOWER,
    ROOT,
    Array,
    Tree,
    borrowed_tree,
    is_proven,
    make_node,
    refresh_bounds,
)

NEXT_NODE, LAST_NODE, SIMULATIONS, PLAYOUTS, RANDOM, DEEPEST = range(6)
"""The fields of the progress array. The nodes from NEXT_NODE up to but not including LAST_NODE are the thread's own."""

NOT_REPLACED = 2.0
"""No value of a game: results are in [−1, 1]."""

FEW_BURSTS = 32
"""A base has fewer visits than this many bursts; the nodes above it have more, so a burst changes them little."""


@functools.cache
def build_loop(
    game: Game, policy: str, knowledge: PlayoutKnowledge, registered: tuple[Rule, ...], fastmath: bool = False
) -> Any:
    """The kernel of the loop for a game; see `loop` inside. `registered` are the selection rules to choose from."""
    outcome, moves, play, groups, group, faces = (
        game.outcome, game.moves, game.play, game.groups, game.group, game.faces,
    )  # fmt: skip
    playout, classify = build_playout(game, policy, knowledge), knowledge.classify
    select = build_select(registered, fastmath)
    stamp_mask = STAMPS - 1

    @kernel(inline=True)
    def is_decision(depth: int, root_rolled: bool) -> bool:
        """Whether the node at this depth below the root is a decision node."""
        return faces == 1 or (depth % 2 == 0) == root_rolled

    @kernel(inline=True)
    def expand(
        tree: Tree, progress: numpy.ndarray, node: int, position: Position, roll: int, row: numpy.ndarray
    ) -> bool:
        """Make all children of a leaf; returns whether there was room for them."""
        first = progress[NEXT_NODE]
        room = progress[LAST_NODE] - first
        decision = faces == 1 or roll != NOT_ROLLED
        number = moves(position, roll, row) if decision else groups(position)
        if number > room:
            return False
        for index in range(number):
            if decision:
                move = row[index]
                result = outcome(play(position, move))
                lower, upper = (-1.0, 1.0) if result == ONGOING else (float(result), float(result))
                make_node(tree, first + index, move, classify(position, move), lower, upper)
            else:
                rolled, weight = group(position, index)
                make_node(tree, first + index, rolled, weight, -1.0, 1.0)
        progress[NEXT_NODE] = first + number
        # In this order: a thread that reads `branches` must find the children ready.
        tree.first[node] = first
        tree.branches[node] = number
        return True

    @kernel(inline=True)
    def credit_amaf(
        tree: Tree, path: Array, depth: int, root_rolled: bool, value: float, plies: int,
        stamps: numpy.ndarray, stamp: int,
    ) -> None:  # fmt: skip
        """All moves as first: credit the children along the path whose move the same side played there or later."""
        for above in range(depth - 1, -1, -1):
            if not is_decision(above, root_rolled):
                continue
            value = -value
            plies -= 1
            played = stamps[plies & 1]
            played[tree.move[path[above + 1]] & stamp_mask] = stamp
            node = path[above]
            for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
                if played[tree.move[child] & stamp_mask] == stamp:
                    tree.amaf[child, AMAF_VISITS] += 1.0
                    tree.amaf[child, AMAF_MEAN] += (value - tree.amaf[child, AMAF_MEAN]) / tree.amaf[child, AMAF_VISITS]

    @kernel(inline=True)
    def simulate(
        tree: Tree, progress: numpy.ndarray, path: Array, depth: int, root_rolled: bool,
        position: Position, roll: int, plies: int, number: int,
        rules: Rules, seed: Word, stamps: numpy.ndarray, row: numpy.ndarray, weights: Weights,
    ) -> Sums:  # fmt: skip
        """The sums over `number` playouts from the last node of the path."""
        value_sum, square_sum, score_sum, score_squares = 0.0, 0.0, 0.0, 0.0
        counter = Word(progress[RANDOM])
        for _ in range(number):
            progress[PLAYOUTS] += 1
            stamp = progress[PLAYOUTS]
            value, length, counter = playout(
                position, roll, seed, counter, rules.longest, rules.amaf, stamps, stamp, plies & 1, row, weights
            )
            if rules.amaf:
                credit_amaf(tree, path, depth, root_rolled, value, plies, stamps, stamp)
            value_sum += value
            square_sum += value * value
            if rules.pruning == DEVIATION:
                score = value / math.sqrt(max(plies + length, 1)) if rules.by_plies else value
                score_sum += score
                score_squares += score * score
        progress[RANDOM] = numpy.int64(counter)
        return Sums(number, value_sum, square_sum, score_sum, score_squares)

    @kernel(inline=True)
    def share_of_a_child(tree: Tree, node: int, rules: Rules) -> int:
        """The playouts of an ordinary child of a new node; when `total` is split, first-class ones get double."""
        if rules.total == 0:
            return rules.leaf
        shares = 0
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            shares += 2 if tree.weight[child] == FIRST_CLASS else 1
        return max(rules.total // shares, 1)

    @kernel
    def loop(
        tree: Tree, progress: numpy.ndarray, path: Array, instead: Array, root_position: Position, root_roll: int,
        rules: Rules, seed: Word, stamps: numpy.ndarray, row: numpy.ndarray, weights: Weights, simulations: int,
        flag: numpy.ndarray,
    ) -> None:  # fmt: skip
        """Iterate until the progress array counts `simulations`, the root is proven or the flag is raised.

        path[d] is the node at depth d of the current iteration; instead[d], unless NOT_REPLACED, is the exact value
        that the parent of path[d] learns because the rule selected a proven child there.
        """
        tree = borrowed_tree(tree)
        root_rolled = root_roll != NOT_ROLLED
        scored = rules.pruning == DEVIATION
        reserved = rules.burst * rules.leaf
        base_depth, base_position, base_roll, base_plies = 0, root_position, root_roll, 0
        pooled = no_sums()
        left = 0
        while left > 0 or (progress[SIMULATIONS] < simulations and flag[0] == 0 and not is_proven(tree, ROOT)):
            # Step 1. Select: follow the rule from the root, or from the base of a burst, to a leaf, expanding leaves.
            seeks_base = False
            if left == 0:
                base_depth, base_position, base_roll, base_plies = 0, root_position, root_roll, 0
                path[0] = ROOT
                instead[0] = NOT_REPLACED
                pooled = no_sums()
                left = 1
                seeks_base = rules.burst > 1
            depth, position, roll, plies = base_depth, base_position, base_roll, base_plies
            node = path[depth]
            changed = False
            expanded = False
            while not is_proven(tree, node):
                decision = is_decision(depth, root_rolled)
                if tree.branches[node] == 0:
                    # Step 2. Expand: a leaf with enough visits, or any leaf that a proof needs.
                    ripe = depth == 0 or tree.visits[node] >= rules.threshold or instead[depth] != NOT_REPLACED
                    ripe = ripe and (depth == 0 or plies < rules.depth)
                    if not ripe or not expand(tree, progress, node, position, roll, row):
                        break
                    changed = refresh_bounds(tree, node, decision, faces)
                    expanded = decision and rules.all_children and not is_proven(tree, node)
                    if expanded:
                        break
                    continue
                depth += 1
                instead[depth] = NOT_REPLACED
                while True:
                    unproven = instead[depth] != NOT_REPLACED
                    if decision:
                        child = select(tree, node, rules, unproven)
                    elif unproven:
                        child = widest_group(tree, node)
                    else:
                        random = random_word(seed, Word(progress[RANDOM]))
                        progress[RANDOM] += 1
                        child = choose_group(tree, node, faces, random, rules.enumerate_rolls)
                    if unproven or not is_proven(tree, child):
                        break
                    exact = float(tree.statistics[child, LOWER])
                    add_sums(tree, child, exact_sums(exact, rules.leaf, plies + 1), 0, scored)
                    instead[depth] = -exact if decision else exact
                node = child
                path[depth] = node
                if decision:
                    position = play(position, tree.move[node])
                    roll = NOT_ROLLED if faces > 1 else 1
                    plies += 1
                else:
                    roll = tree.move[node]
                changed = False
                if seeks_base and (instead[depth] != NOT_REPLACED or tree.visits[node] < FEW_BURSTS * reserved):
                    seeks_base = False
                    if instead[depth] == NOT_REPLACED and depth > 1:
                        base_depth, base_position, base_roll, base_plies = depth, position, roll, plies
                        left = rules.burst
                        for above in range(depth):
                            tree.visits[path[above]] += reserved
            progress[DEEPEST] = max(progress[DEEPEST], plies)

            # Step 3. Play out: from the leaf, or from all its new children.
            sums = no_sums()
            share = share_of_a_child(tree, node, rules) if expanded else rules.leaf
            for index in range(tree.branches[node] if expanded else 1):
                start, start_position, start_roll, games = node, position, roll, share
                below_node = 0
                if expanded:
                    start = tree.first[node] + index
                    start_position = play(position, tree.move[start])
                    start_roll = NOT_ROLLED if faces > 1 else 1
                    games = 2 * share if rules.total > 0 and tree.weight[start] == FIRST_CLASS else share
                    below_node = 1
                    path[depth + 1] = start
                if is_proven(tree, start):
                    length = plies + below_node if rules.by_plies else 1
                    part = exact_sums(float(tree.statistics[start, LOWER]), games, length)
                else:
                    part = simulate(
                        tree, progress, path, depth + below_node, root_rolled, start_position, start_roll,
                        plies + below_node, games, rules, seed, stamps, row, weights,
                    )  # fmt: skip
                if expanded:
                    add_sums(tree, start, part, 0, scored)
                    part = turned(part)
                sums = together(sums, part)
            progress[SIMULATIONS] += sums.number

            # Step 4. Back up: means always, bounds while they change; above the base when the burst is over.
            changed = changed or is_proven(tree, node)
            counted = 0
            left -= 1
            while True:
                if instead[depth] == NOT_REPLACED:
                    add_sums(tree, node, sums, counted, scored)
                if is_decision(depth, root_rolled):
                    prune(tree, node, sums.number, progress[SIMULATIONS], rules)
                if depth == 0:
                    break
                if depth == base_depth:
                    pooled = together(pooled, sums)
                    stopped = flag[0] != 0 or progress[SIMULATIONS] >= simulations
                    if left > 0 and not changed and not stopped and not is_proven(tree, node):
                        break
                    left, base_depth, counted, sums = 0, 0, reserved, pooled
                value = instead[depth]
                depth -= 1
                node = path[depth]
                decision = is_decision(depth, root_rolled)
                if decision:
                    plies -= 1
                    sums = turned(sums)
                if value != NOT_REPLACED:
                    sums = exact_sums(value, sums.number, plies + 1 if rules.by_plies else 1)
                if changed:
                    changed = refresh_bounds(tree, node, decision, faces)

    return loop
