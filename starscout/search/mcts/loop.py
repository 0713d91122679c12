"""The simulation loop of Monte-Carlo tree search: select, expand, simulate, back up.

`build_loop` closes it over a game, a playout policy, knowledge and the selection rules; everything else is a run-time
number in `Rules`. Results are backed up as means from the perspective of each node's mover, with proven bounds: a
finished game has its exact value, and so has every node whose value follows from finished games. A proven node is not
simulated again. A node that repeats a position of its path or of the game is a proven draw if the game has a repetition
rule. When the rule selects a proven child, the parent receives the exact value, and the simulation continues in a child
that is not proven yet, to make progress on a proof of the parent. That simulation counts only below that child.

Iterations can run in bursts. The first iteration of a burst descends from the root to its base, the first node with few
visits; the others start at the base, and the results of all are backed up to the root together. Nodes near the root,
which all threads visit, are thus written once per burst, and the path to the base is followed once per burst. These
nodes count the visits of a burst when it begins (virtual visits), so that other threads prefer other paths meanwhile.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.knowledge import FIRST_CLASS
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, Position, new_row
from starscout.game.chance import ONLY_EVENT
from starscout.game.values import ONE
from starscout.kernels.bits import Word, integer, random_word
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.stop_flags import new_flag
from starscout.search.mcts.playout import STAMPS, MctsKnowledge, build_playout, no_prior
from starscout.search.mcts.pruning import DEVIATION, Rules, prune
from starscout.search.mcts.selection import Rule, build_select, choose_group, widest_group
from starscout.search.mcts.tree import (
    AMAF_MEAN,
    AMAF_VISITS,
    LOWER,
    ROOT,
    Array,
    Sums,
    Tree,
    add_sums,
    borrowed_tree,
    exact_sums,
    is_proven,
    make_node,
    merge,
    negate,
    no_sums,
    refresh_bounds,
)

NEXT_NODE, LAST_NODE, SIMULATIONS, PLAYOUTS, RANDOM, DEEPEST, EARLIER = range(7)
"""Fields of the progress array. The nodes from NEXT_NODE up to but not including LAST_NODE belong to the thread.

EARLIER is the number of positions of the game before the root.
"""

NOT_REPLACED = 2.0
"""A number outside the range of results, [−1, 1]."""

FEW_BURSTS = 32
"""A base has fewer visits than this many bursts; the nodes above it have more, so a burst changes them little."""


class Workspace(NamedTuple):
    """The arrays of one thread."""

    seed: Word
    progress: Array
    """Counters: NEXT_NODE … EARLIER."""
    path: Array
    """path[d] is the node at depth d of the current simulation."""
    replacement: Array
    """replacement[d] is the exact value that the parent of path[d] receives because the rule selected a proven child.

    NOT_REPLACED if it receives the result of the simulation.
    """
    stamps: Array
    """[side, move]: the last playout in which the side played the move, for all moves as first."""
    row: Array
    """Legal moves."""
    priors: Array
    """Priors of the legal moves."""
    flag: Array
    """Stop flag."""
    keys: Array
    """The repetition keys of the earlier positions of the game, and of the path after each move; one row if unused."""


def new_workspace(game: Game) -> Workspace:
    """The arrays of one thread; its seed is 0."""
    row, depth = new_row(game), 2 * game.max_plies + 3
    keys = 2 * game.max_plies + 2 if game.repetition else 1
    return Workspace(
        seed=Word(0),
        progress=numpy.zeros(7, numpy.int64),
        path=numpy.zeros(depth, numpy.int64),
        replacement=numpy.zeros(depth),
        stamps=numpy.zeros((2, STAMPS), numpy.int64),
        row=row,
        priors=numpy.zeros(len(row)),
        flag=new_flag(),
        keys=numpy.zeros((keys, 2), Word),
    )


@kernel(inline=True)
def borrowed_workspace(work: Workspace) -> Workspace:
    """The same arrays without reference counting; see `borrowed`."""
    return Workspace(
        work.seed,
        borrowed(work.progress),
        borrowed(work.path),
        borrowed(work.replacement),
        borrowed(work.stamps),
        borrowed(work.row),
        borrowed(work.priors),
        borrowed(work.flag),
        borrowed(work.keys),
    )


class Cursor(NamedTuple):
    """A node of the current path and its position."""

    node: int
    depth: int
    """Nodes between the root and this one; a ply with an event is two nodes."""
    position: Any
    roll: int
    plies: int
    """Moves played since the root."""


class Burst(NamedTuple):
    """Iterations that start at the same node."""

    left: int
    """Iterations that are left."""
    base: Cursor
    pooled: Sums
    """Results that have not yet been backed up to the nodes above the base."""


@functools.cache
def build_loop(
    game: Game, policy: str, knowledge: MctsKnowledge, registered: tuple[Rule, ...], fastmath: bool = False
) -> Any:
    """The kernel of the loop for a game; see `loop` inside. `registered` are the selection rules to choose from."""
    outcome, moves, play, groups, group = game.outcome, game.moves, game.play, game.groups, game.group
    events, total_weight, resolve, resolves, sign = game.events, game.total, game.resolve, game.resolves, game.sign
    alternating, points, repeats, repetition_key = (
        game.alternating, float(game.points), game.repetition > 0, game.repetition_key,
    )  # fmt: skip
    playout, classify = build_playout(game, policy, knowledge), knowledge.classify
    has_prior, set_priors = knowledge.prior is not None, knowledge.prior or no_prior
    has_leaf_value, leaf_value = knowledge.leaf_value is not None, knowledge.leaf_value or knowledge.evaluate
    select = build_select(registered, fastmath, game.alternating)
    stamp_mask, one = STAMPS - 1, float(ONE)
    unrolled = NOT_ROLLED if game.has_chance else ONLY_EVENT
    # The kinds of nodes and the sides to move then follow from the depth; reading them would cost a few percent.
    regular, has_chance = game.is_fair_die and game.alternating and not game.resolves, game.has_chance

    @kernel(inline=True)
    def is_decision(tree: Tree, node: int, depth: int, root_chance: bool) -> bool:
        """Whether the node at this depth below the root is a decision node."""
        if regular:
            return not has_chance or (depth % 2 == 0) != root_chance
        return tree.chance[node] == 0

    @kernel(inline=True)
    def changes_side(tree: Tree, child: int, decision: bool) -> bool:
        """Whether the mover of a child is not that of its parent, which is a decision node or not."""
        return decision if regular else tree.sign[child] < 0

    @kernel(inline=True)
    def descend(tree: Tree, work: Workspace, parent: Cursor, child: int, decision: bool) -> Cursor:
        """The cursor of a child."""
        position, roll, plies = parent.position, tree.move[child], parent.plies
        if decision:
            position, roll, plies = play(position, tree.move[child]), unrolled, plies + 1
            if repeats:
                write_key(work, position, plies)
        elif resolves:
            position, roll = resolve(position, tree.move[child]), unrolled
        return Cursor(integer(child), parent.depth + 1, position, integer(roll), plies)

    @kernel(inline=True)
    def write_key(work: Workspace, position: Position, plies: int) -> None:
        """Write the repetition key of the position this many moves below the root."""
        place = work.progress[EARLIER] + plies
        work.keys[place, 0], work.keys[place, 1] = repetition_key(position)

    @kernel(inline=True)
    def is_repeated(work: Workspace, parent: Cursor, position: Position) -> bool:
        """Whether the position after a move of `parent` occurred before, on the path or in the game."""
        first, second = repetition_key(position)
        for place in range(work.progress[EARLIER] + parent.plies + 1):
            if work.keys[place, 0] == first and work.keys[place, 1] == second:
                return True
        return False

    @kernel(inline=True)
    def bounds_of(position: Position) -> tuple[float, float]:
        """The bounds of a new node, equal if the game is over."""
        result = outcome(position)
        return (-1.0, 1.0) if result == ONGOING else (result / points, result / points)

    @kernel(inline=True)
    def make_child(tree: Tree, work: Workspace, leaf: Cursor, node: int, move: int) -> None:
        """Write the node after a move of a decision node."""
        child = play(leaf.position, move)
        lower, upper = bounds_of(child)
        if repeats and lower < upper and is_repeated(work, leaf, child):
            lower, upper = 0.0, 0.0
        make_node(tree, node, move, integer(classify(leaf.position, move)), lower, upper)
        tree.sign[node] = sign(leaf.position, child)
        if lower < upper and events(child) > 0:
            tree.chance[node] = 1

    @kernel(inline=True)
    def make_event(tree: Tree, leaf: Cursor, node: int, index: int) -> None:
        """Write the node after a group of events of a chance node."""
        event, weight = group(leaf.position, index)
        lower, upper, same_mover = -1.0, 1.0, True
        if resolves:
            decision = resolve(leaf.position, event)
            lower, upper = bounds_of(decision)
            same_mover = alternating or decision.mover == leaf.position.mover
        make_node(tree, node, integer(event), integer(weight), lower, upper)
        tree.sign[node] = 1 if same_mover else -1

    @kernel(inline=True)
    def write_priors(tree: Tree, work: Workspace, leaf: Cursor, number: int, weights: Weights) -> None:
        """Normalise the priors of the `number` moves in `work.row` and write them to the next nodes."""
        set_priors(leaf.position, leaf.roll, work.row, number, work.priors, weights)
        total = 0.0
        for index in range(number):
            total += work.priors[index]
        for index in range(number):
            prior = work.priors[index] / total if total > 0.0 else 1.0 / number
            tree.prior[work.progress[NEXT_NODE] + index] = prior

    @kernel(inline=True)
    def expand(tree: Tree, work: Workspace, leaf: Cursor, weights: Weights) -> bool:
        """Make all children of a leaf; returns whether there was room for them."""
        first = work.progress[NEXT_NODE]
        decision = tree.chance[leaf.node] == 0
        number = moves(leaf.position, leaf.roll, work.row) if decision else groups(leaf.position)
        if number > work.progress[LAST_NODE] - first:
            return False
        for index in range(number):
            if decision:
                make_child(tree, work, leaf, first + index, work.row[index])
            else:
                make_event(tree, leaf, first + index, index)
        if has_prior and decision:
            write_priors(tree, work, leaf, number, weights)
        work.progress[NEXT_NODE] = first + number
        # In this order: a thread that reads `branches` must find the children ready.
        tree.first[leaf.node] = first
        tree.branches[leaf.node] = number
        return True

    @kernel(inline=True)
    def may_expand(tree: Tree, work: Workspace, leaf: Cursor, rules: Rules) -> bool:
        """Whether a leaf gets children: the root, a leaf with enough visits, or one that a proof needs."""
        if leaf.depth == 0:
            return True
        ready = tree.visits[leaf.node] >= rules.threshold or work.replacement[leaf.depth] != NOT_REPLACED
        return ready and leaf.plies < rules.depth

    @kernel(inline=True)
    def select_child(tree: Tree, work: Workspace, parent: Cursor, decision: bool, rules: Rules) -> int:
        """The child that the simulation follows; sets its replacement if the rule selects a proven child first."""
        depth = parent.depth + 1
        work.replacement[depth] = NOT_REPLACED
        while True:
            unproven = work.replacement[depth] != NOT_REPLACED
            if decision:
                child = select(tree, parent.node, rules, unproven)
            elif unproven:
                child = widest_group(tree, parent.node)
            else:
                random = random_word(work.seed, Word(work.progress[RANDOM]))
                work.progress[RANDOM] += 1
                child = choose_group(tree, parent.node, total_weight(parent.position), random, rules.enumerate_rolls)
            if unproven or not is_proven(tree, child):
                return child
            exact = float(tree.statistics[child, LOWER])
            plies = parent.plies + 1
            add_sums(tree, child, exact_sums(exact, rules.leaf, plies), integer(0), rules.pruning == DEVIATION)
            work.replacement[depth] = -exact if changes_side(tree, child, decision) else exact

    @kernel(inline=True)
    def select_leaf(
        tree: Tree, work: Workspace, burst: Burst, seeks_base: bool, rules: Rules, root_chance: bool, weights: Weights
    ) -> tuple[Cursor, Burst, bool, bool]:
        """Follow the rule from the base of a burst to a leaf, expanding leaves; a new burst may move its base down.

        Returns the leaf, the burst, whether the bounds of the leaf changed, and whether its children are to be
        simulated in its place.
        """
        leaf, left, base = burst.base, burst.left, burst.base
        changed, expanded = False, False
        few_visits = FEW_BURSTS * rules.burst * rules.leaf
        while not is_proven(tree, leaf.node):
            decision = is_decision(tree, leaf.node, leaf.depth, root_chance)
            if tree.branches[leaf.node] == 0:
                if not may_expand(tree, work, leaf, rules) or not expand(tree, work, leaf, weights):
                    break
                changed = refresh_bounds(tree, leaf.node, decision, regular)
                expanded = decision and rules.all_children and not is_proven(tree, leaf.node)
                if expanded:
                    break
                continue
            leaf = descend(tree, work, leaf, select_child(tree, work, leaf, decision, rules), decision)
            work.path[leaf.depth] = leaf.node
            changed = False
            replaced = work.replacement[leaf.depth] != NOT_REPLACED
            if seeks_base and (replaced or tree.visits[leaf.node] < few_visits):
                seeks_base = False
                if not replaced and leaf.depth > 1:
                    left, base = rules.burst, leaf
                    for above in range(leaf.depth):
                        tree.visits[work.path[above]] += rules.burst * rules.leaf
        return leaf, Burst(left, base, burst.pooled), changed, expanded

    @kernel(inline=True)
    def credit_amaf(tree: Tree, work: Workspace, leaf: Cursor, root_chance: bool, value: float, stamp: int) -> None:
        """All moves as first: credit the children along the path whose move the same side played there or later."""
        side = leaf.position.mover
        for above in range(leaf.depth - 1, -1, -1):
            node = work.path[above]
            decision = is_decision(tree, node, above, root_chance)
            if changes_side(tree, work.path[above + 1], decision):
                value, side = -value, 1 - side
            if not decision:
                continue
            played = work.stamps[side]
            played[tree.move[work.path[above + 1]] & stamp_mask] = stamp
            for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
                if played[tree.move[child] & stamp_mask] == stamp:
                    tree.amaf[child, AMAF_VISITS] += 1.0
                    tree.amaf[child, AMAF_MEAN] += (value - tree.amaf[child, AMAF_MEAN]) / tree.amaf[child, AMAF_VISITS]

    @kernel(inline=True)
    def simulate(
        tree: Tree, work: Workspace, leaf: Cursor, number: int, rules: Rules, root_chance: bool, weights: Weights
    ) -> Sums:
        """The sums over `number` simulations from a node that is not proven."""
        value_sum, square_sum, score_sum, score_squares = 0.0, 0.0, 0.0, 0.0
        counter = Word(work.progress[RANDOM])
        for _ in range(number):
            work.progress[PLAYOUTS] += 1
            stamp = work.progress[PLAYOUTS]
            value, length = 0.0, 0
            if not has_leaf_value or rules.leaf_share < 1.0:
                value, length, counter = playout(
                    leaf.position, leaf.roll, work.seed, counter, rules.longest, rules.amaf, work.stamps, stamp,
                    work.row, weights,
                )  # fmt: skip
            if has_leaf_value:
                value += rules.leaf_share * (leaf_value(leaf.position, weights) / one - value)
            if rules.amaf:
                credit_amaf(tree, work, leaf, root_chance, value, stamp)
            value_sum += value
            square_sum += value * value
            if rules.pruning == DEVIATION:
                score = value / math.sqrt(max(leaf.plies + length, 1)) if rules.by_plies else value
                score_sum += score
                score_squares += score * score
        work.progress[RANDOM] = numpy.int64(counter)
        return Sums(number, value_sum, square_sum, score_sum, score_squares)

    @kernel(inline=True)
    def simulations_per_child(tree: Tree, node: int, rules: Rules) -> int:
        """The simulations of an ordinary child of a new node; when `total` is split, first-class moves get double."""
        if rules.total == 0:
            return rules.leaf
        shares = 0
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            shares += 2 if tree.weight[child] == FIRST_CLASS else 1
        return max(rules.total // shares, 1)

    @kernel(inline=True)
    def simulate_leaf(
        tree: Tree, work: Workspace, leaf: Cursor, expanded: bool, rules: Rules, root_chance: bool, weights: Weights
    ) -> Sums:
        """The sums over the simulations from a leaf, or from all its new children."""
        sums = no_sums()
        share = simulations_per_child(tree, leaf.node, rules) if expanded else rules.leaf
        for index in range(tree.branches[leaf.node] if expanded else 1):
            start, number = leaf, share
            if expanded:
                start = descend(tree, work, leaf, tree.first[leaf.node] + index, True)
                work.path[start.depth] = start.node
                number = 2 * share if rules.total > 0 and tree.weight[start.node] == FIRST_CLASS else share
            if is_proven(tree, start.node):
                length = start.plies if rules.by_plies else 1
                part = exact_sums(float(tree.statistics[start.node, LOWER]), number, length)
            else:
                part = simulate(tree, work, start, number, rules, root_chance, weights)
            if expanded:
                add_sums(tree, start.node, part, integer(0), rules.pruning == DEVIATION)
                part = negate(part) if changes_side(tree, start.node, True) else part
            sums = merge(sums, part)
        return sums

    @kernel(inline=True)
    def back_up(
        tree: Tree, work: Workspace, leaf: Cursor, burst: Burst, sums: Sums, changed: bool, rules: Rules,
        root_chance: bool, simulations: int,
    ) -> Burst:  # fmt: skip
        """Add the sums to the nodes of the path: means always, bounds while they change; above the base at the end.

        Returns the burst with one iteration less.
        """
        node, depth, plies = leaf.node, leaf.depth, leaf.plies
        left, base_depth, pooled = burst.left - 1, burst.base.depth, burst.pooled
        counted = integer(0)
        changed = changed or is_proven(tree, node)
        while True:
            value = work.replacement[depth]
            if value == NOT_REPLACED:
                add_sums(tree, node, sums, counted, rules.pruning == DEVIATION)
            if is_decision(tree, node, depth, root_chance):
                prune(tree, node, sums.number, work.progress[SIMULATIONS], rules)
            if depth == 0:
                return Burst(left, burst.base, pooled)
            if depth == base_depth:
                pooled = merge(pooled, sums)
                stopped = work.flag[0] != 0 or work.progress[SIMULATIONS] >= simulations
                if left > 0 and not changed and not stopped and not is_proven(tree, node):
                    return Burst(left, burst.base, pooled)
                left, base_depth, counted, sums = 0, 0, rules.burst * rules.leaf, pooled
            depth -= 1
            child, node = node, work.path[depth]
            decision = is_decision(tree, node, depth, root_chance)
            if decision:
                plies -= 1
            if changes_side(tree, child, decision):
                sums = negate(sums)
            if value != NOT_REPLACED:
                sums = exact_sums(value, sums.number, plies + 1 if rules.by_plies else 1)
            if changed:
                changed = refresh_bounds(tree, node, decision, regular)

    @kernel
    def loop(
        tree: Tree, work: Workspace, position: Position, roll: int, rules: Rules, weights: Weights, simulations: int
    ) -> None:
        """Iterate until the progress array counts `simulations`, the root is proven or the flag is raised."""
        tree, work = borrowed_tree(tree), borrowed_workspace(work)
        root = Cursor(integer(ROOT), integer(0), position, integer(roll), integer(0))
        root_chance = roll == NOT_ROLLED and events(position) > 0
        tree.chance[ROOT] = 1 if root_chance else 0
        if repeats:
            write_key(work, position, root.plies)
        burst = Burst(integer(0), root, no_sums())
        while burst.left > 0 or (
            work.progress[SIMULATIONS] < simulations and work.flag[0] == 0 and not is_proven(tree, root.node)
        ):
            seeks_base = False
            if burst.left == 0:
                work.path[0] = ROOT
                work.replacement[0] = NOT_REPLACED
                burst = Burst(integer(1), root, no_sums())
                seeks_base = rules.burst > 1
            leaf, burst, changed, expanded = select_leaf(tree, work, burst, seeks_base, rules, root_chance, weights)
            work.progress[DEEPEST] = max(work.progress[DEEPEST], leaf.plies)
            sums = simulate_leaf(tree, work, leaf, expanded, rules, root_chance, weights)
            work.progress[SIMULATIONS] += sums.number
            burst = back_up(tree, work, leaf, burst, sums, changed, rules, root_chance, simulations)

    return loop
