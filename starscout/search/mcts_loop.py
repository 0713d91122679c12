"""The one loop of every Monte-Carlo search: select, expand, play out, back up.

`build_loop` closes it over a game, a playout policy and knowledge; everything else is a run-time number in `Rules`.
Results climb the tree as means in the view of each node's mover, and as proven bounds beside them: a finished game, and
every node that follows from finished ones, has its exact value and is never simulated again. When the rule chooses such
a child, its parent learns the exact value, and the simulation serves the proof of the parent instead: it goes to
another child whose value is still open, which counts it below itself only.

Iterations may come in bursts: the first goes down from the root to its base, the first node that has few visits, the
others start there, and their results climb on to the root together. The nodes near the root, which all threads visit,
are then written once a burst, and the way to the base is gone once a burst. They count the visits of a burst when it
begins, so that other threads prefer other ways meanwhile.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy

from starscout.bits import Word, below, random_word
from starscout.evaluate.classes import FIRST_CLASS
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.kernel import kernel
from starscout.search.mcts_batch import Batch, add_batch, exact_batch, no_batch, together, turned
from starscout.search.mcts_tree import (
    AMAF_MEAN,
    AMAF_VISITS,
    LOWER,
    MEAN,
    ROOT,
    SQUARE,
    UPPER,
    Array,
    Tree,
    clamped_mean,
    is_proven,
    make_node,
)
from starscout.search.playout import NOTHING, STAMPS, Knowledge, build_playout
from starscout.search.pruning import DEVIATION, NONE, VISITS, prune_by_deviation, prune_by_visits
from starscout.search.selection import (
    GREEDY,
    RAVE,
    UCB,
    UCB_VARIANCE,
    build_formulas,
)

NEXT_NODE, LAST_NODE, SIMULATIONS, PLAYOUTS, RANDOM, DEEPEST = range(6)
"""The fields of the progress array; nodes from NEXT_NODE up to LAST_NODE, not this one, are free for its thread."""

NOT_REPLACED = 2.0
"""No value of a game: results lie in [−1, 1]."""

FEW_BURSTS = 32
"""A base has fewer visits than so many bursts, the nodes above it have more: to them a burst is little news."""

_SHIFT_32 = Word(32)


class Rules(NamedTuple):
    """The numbers that steer the loop; `Settings` in mcts.py says what each is for."""

    rule: int
    c: float
    c1: float
    c2: float
    fpu: float
    schedule: int
    k: float
    class_factor: float
    pruning: int
    period: int
    rd: float
    sigma: float
    trials: int
    leaf: int
    total: int
    all_children: bool
    threshold: int
    depth: int
    longest: int
    enumerate_rolls: bool
    burst: int


@functools.cache
def build_select(fastmath: bool = False) -> Any:
    """The kernel that chooses among the children of a decision node; see `select` inside."""
    compiled = kernel(fastmath=fastmath, inline=True)
    ucb, ucb_variance, ucb_variance_scaled, _, rave_mean = build_formulas(fastmath)

    @compiled
    def attraction(tree: Tree, child: int, log_parent: float, rules: Rules) -> float:
        """The score of a child by the rule, for its parent."""
        visits = float(tree.visits[child])
        mean = 0.5 * (1.0 - clamped_mean(tree, child))
        if rules.rule == RAVE:
            amaf_visits = float(tree.amaf[child, AMAF_VISITS])
            if visits == 0.0 and amaf_visits == 0.0:
                return rules.fpu
            amaf = 0.5 * (1.0 + tree.amaf[child, AMAF_MEAN])
            mean = rave_mean(mean, visits, amaf, amaf_visits, rules.schedule, rules.k)
            return ucb(mean, visits + 1.0, log_parent, rules.c)
        if visits == 0.0:
            return rules.fpu
        if rules.rule == UCB:
            return ucb(mean, visits, log_parent, rules.c)
        if rules.rule == GREEDY:
            return mean
        spread = tree.statistics[child, SQUARE] - tree.statistics[child, MEAN] * tree.statistics[child, MEAN]
        variance = 0.25 * max(spread, 0.0)
        if rules.rule == UCB_VARIANCE:
            return ucb_variance(mean, variance, visits, log_parent, rules.c, rules.c1, rules.c2)
        return ucb_variance_scaled(mean, variance, visits, log_parent, rules.c, rules.c1, rules.c2)

    @compiled
    def select(tree: Tree, node: int, rules: Rules, unproven: bool) -> int:
        """The child of a decision node to follow: the best score among those that can still matter.

        Skipped are pruned children, proven losses, and children that cannot reach what another one guarantees; when
        `unproven`, also those that cannot do better than it. If only pruned ones are left, they come back.
        """
        start = tree.first[node]
        end = start + tree.branches[node]
        log_parent = math.log(max(float(tree.visits[node]), 1.0))
        guaranteed = tree.statistics[node, LOWER]
        best, best_score = start, -1e300
        for with_pruned in range(2):
            for child in range(start, end):
                if with_pruned == 0 and tree.pruned[child] != 0:
                    continue
                reachable = -tree.statistics[child, LOWER]
                if reachable < guaranteed or reachable == -1.0 or (unproven and reachable == guaranteed):
                    continue
                score = attraction(tree, child, log_parent, rules)
                if tree.weight[child] == FIRST_CLASS:
                    score *= rules.class_factor
                if score > best_score:
                    best, best_score = child, score
            if best_score > -1e300:
                break
        return best

    return select


@kernel(inline=True)
def choose_group(tree: Tree, node: int, faces: int, random: Word, enumerate_rolls: bool) -> int:
    """The child of a chance node to follow: sampled by weight, or the one that is furthest behind its weight."""
    start = tree.first[node]
    if enumerate_rolls:
        best, most = start, -1e300
        for child in range(start, start + tree.branches[node]):
            behind = float(tree.weight[child]) * (tree.visits[node] + 1) / faces - tree.visits[child]
            if behind > most:
                best, most = child, behind
        return best
    left = below(random << _SHIFT_32, faces)
    child = start
    while left >= tree.weight[child]:
        left -= tree.weight[child]
        child += 1
    return child


@kernel(inline=True)
def widest_group(tree: Tree, node: int) -> int:
    """The child of a chance node whose bounds leave most open."""
    best, most = tree.first[node], -1.0
    for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
        room = tree.weight[child] * float(tree.statistics[child, UPPER] - tree.statistics[child, LOWER])
        if room > most:
            best, most = child, room
    return best


@kernel(inline=True)
def refresh_bounds(tree: Tree, node: int, decision: bool, faces: int) -> bool:
    """Set the proven bounds of a node from its children's; returns whether they changed."""
    start = tree.first[node]
    lower = -1.0 if decision else 0.0
    upper = -1.0 if decision else 0.0
    for child in range(start, start + tree.branches[node]):
        if decision:
            lower = max(lower, -tree.statistics[child, UPPER])
            upper = max(upper, -tree.statistics[child, LOWER])
        else:
            lower += tree.weight[child] * float(tree.statistics[child, LOWER])
            upper += tree.weight[child] * float(tree.statistics[child, UPPER])
    if not decision:
        lower /= faces
        upper /= faces
    old_lower, old_upper = tree.statistics[node, LOWER], tree.statistics[node, UPPER]
    tree.statistics[node, LOWER] = lower
    tree.statistics[node, UPPER] = upper
    return tree.statistics[node, LOWER] != old_lower or tree.statistics[node, UPPER] != old_upper


@kernel(inline=True)
def prune(tree: Tree, node: int, added: int, simulation: int, rules: Rules) -> None:
    """Prune the children of a decision node each time its visits pass a multiple of the period."""
    visits = tree.visits[node]
    if rules.pruning == NONE or visits // rules.period == (visits - added) // rules.period:
        return
    if rules.pruning == VISITS:
        prune_by_visits(tree, node, simulation)
    else:
        prune_by_deviation(tree, node, simulation, rules.rd, rules.sigma, rules.trials)


@functools.cache
def build_loop(game: Game, policy: str = "uniform", knowledge: Knowledge = NOTHING, fastmath: bool = False) -> Any:
    """The compiled loop of a game; see `loop` inside."""
    outcome, moves, play, groups, group, faces = (
        game.outcome, game.moves, game.play, game.groups, game.group, game.faces,
    )  # fmt: skip
    playout, classify = build_playout(game, policy, knowledge), knowledge.classify
    select = build_select(fastmath)
    stamp_mask = STAMPS - 1

    @kernel(inline=True)
    def is_decision(depth: int, root_rolled: bool) -> bool:
        """Whether the node at this depth below the root is a decision node."""
        return faces == 1 or (depth % 2 == 0) == root_rolled

    @kernel(inline=True)
    def expand(
        tree: Tree, progress: numpy.ndarray, node: int, position: Position, roll: int, row: numpy.ndarray
    ) -> bool:
        """Make all the children of a leaf; returns whether there was room for them."""
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
        # In this order: another thread that sees branches finds them ready.
        tree.first[node] = first
        tree.branches[node] = number
        return True

    @kernel(inline=True)
    def learn_from_order(
        tree: Tree, path: Array, depth: int, root_rolled: bool, value: float, plies: int,
        stamps: numpy.ndarray, stamp: int,
    ) -> None:  # fmt: skip
        """All moves as first: credit every child on the path whose move its side played later in the simulation."""
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
        rules: Rules, seed: Word, stamps: numpy.ndarray, row: numpy.ndarray,
    ) -> Batch:  # fmt: skip
        """Play `number` games out from the last node of the path."""
        value_sum, square_sum, score_sum, score_squares = 0.0, 0.0, 0.0, 0.0
        recording = rules.rule == RAVE
        counter = Word(progress[RANDOM])
        for _ in range(number):
            progress[PLAYOUTS] += 1
            stamp = progress[PLAYOUTS]
            value, length, counter = playout(
                position, roll, seed, counter, rules.longest, recording, stamps, stamp, plies & 1, row
            )
            if recording:
                learn_from_order(tree, path, depth, root_rolled, value, plies, stamps, stamp)
            value_sum += value
            square_sum += value * value
            if rules.pruning == DEVIATION:
                score = value / math.sqrt(max(plies + length, 1))
                score_sum += score
                score_squares += score * score
        progress[RANDOM] = numpy.int64(counter)
        return Batch(number, value_sum, square_sum, score_sum, score_squares)

    @kernel(inline=True)
    def share_of_a_child(tree: Tree, node: int, rules: Rules) -> int:
        """The playouts of an ordinary child of a new node; when a total is split, first-class ones get double."""
        if rules.total == 0:
            return rules.leaf
        shares = 0
        for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
            shares += 2 if tree.weight[child] == FIRST_CLASS else 1
        return max(rules.total // shares, 1)

    @kernel
    def loop(
        tree: Tree, progress: numpy.ndarray, path: Array, instead: Array, root_position: Position, root_roll: int,
        rules: Rules, seed: Word, stamps: numpy.ndarray, row: numpy.ndarray, simulations: int, flag: numpy.ndarray,
    ) -> None:  # fmt: skip
        """Iterate until the progress array counts `simulations`, the root is proven or the flag is raised.

        path[d] is the node at depth d of the present iteration; instead[d], unless NOT_REPLACED, is the exact value
        that the parent of path[d] learns because the rule had chosen a proven child there.
        """
        root_rolled = root_roll != NOT_ROLLED
        scored = rules.pruning == DEVIATION
        reserved = rules.burst * rules.leaf
        base_depth, base_position, base_roll, base_plies = 0, root_position, root_roll, 0
        pooled = no_batch()
        left = 0
        while left > 0 or (progress[SIMULATIONS] < simulations and flag[0] == 0 and not is_proven(tree, ROOT)):
            # Step 1. Select: follow the rule from the root, or from the base of a burst, to a leaf, expanding leaves.
            seeks_base = False
            if left == 0:
                base_depth, base_position, base_roll, base_plies = 0, root_position, root_roll, 0
                path[0] = ROOT
                instead[0] = NOT_REPLACED
                pooled = no_batch()
                left = 1
                seeks_base = rules.burst > 1
            depth, position, roll, plies = base_depth, base_position, base_roll, base_plies
            node = path[depth]
            changed = False
            expanded = False
            while not is_proven(tree, node):
                decision = is_decision(depth, root_rolled)
                if tree.branches[node] == 0:
                    # Step 2. Expand: a leaf that has been visited often enough, at once where a proof needs it.
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
                    add_batch(tree, child, exact_batch(exact, rules.leaf, plies + 1), 0, scored)
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

            # Step 3. Play out: from the leaf, or from all the children that it has just got.
            batch = no_batch()
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
                    part = exact_batch(float(tree.statistics[start, LOWER]), games, plies + below_node)
                else:
                    part = simulate(
                        tree, progress, path, depth + below_node, root_rolled, start_position, start_roll,
                        plies + below_node, games, rules, seed, stamps, row,
                    )  # fmt: skip
                if expanded:
                    add_batch(tree, start, part, 0, scored)
                    part = turned(part)
                batch = together(batch, part)
            progress[SIMULATIONS] += batch.number

            # Step 4. Back up: means always, bounds as long as they change; from the base on when the burst is over.
            changed = changed or is_proven(tree, node)
            counted = 0
            left -= 1
            while True:
                if instead[depth] == NOT_REPLACED:
                    add_batch(tree, node, batch, counted, scored)
                if is_decision(depth, root_rolled):
                    prune(tree, node, batch.number, progress[SIMULATIONS], rules)
                if depth == 0:
                    break
                if depth == base_depth:
                    pooled = together(pooled, batch)
                    stopped = flag[0] != 0 or progress[SIMULATIONS] >= simulations
                    if left > 0 and not changed and not stopped and not is_proven(tree, node):
                        break
                    left, base_depth, counted, batch = 0, 0, reserved, pooled
                value = instead[depth]
                depth -= 1
                node = path[depth]
                decision = is_decision(depth, root_rolled)
                if decision:
                    plies -= 1
                    batch = turned(batch)
                if value != NOT_REPLACED:
                    batch = exact_batch(value, batch.number, plies + 1)
                if changed:
                    changed = refresh_bounds(tree, node, decision, faces)

    return loop
