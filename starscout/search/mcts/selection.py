"""Selection: the child that a simulation follows from a node.

At a decision node a rule scores every child and the highest score wins. A rule is one formula, registered in RULES;
rules are compiled together into one search, which reads the number of its rule at run time. Rules that read priors are
compiled into a separate search. To add a rule:

    def optimistic(child, log_parent, rules):
        return child.mean + rules.c / child.visits

    RULES["optimistic"] = Rule(optimistic)      # from now on Settings(rule="optimistic")
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout.evaluation.knowledge import FIRST_CLASS
from starscout.kernels.bits import Word, below
from starscout.kernels.kernel import kernel
from starscout.search.mcts.pruning import Rules
from starscout.search.mcts.tree import (
    AMAF_MEAN,
    AMAF_VISITS,
    LOWER,
    MEAN,
    SQUARE,
    UPPER,
    Tree,
    clamped_mean,
)

LINEAR, HAND, ERROR = range(3)

SCHEDULES = {"linear": LINEAR, "hand": HAND, "error": ERROR}
"""Schedules by which RAVE reduces the share of the all-moves-as-first mean; see `rave_share`."""

_WORST = -1e300
_SHIFT_32 = Word(32)


class Child(NamedTuple):
    """The statistics of a child that a rule reads, from the perspective of its parent; results are in [0, 1]."""

    visits: float
    """n in the formulas; N are the visits of the parent."""
    mean: float
    """µ, clamped to the proven bounds."""
    variance: float
    """σ²."""
    amaf_visits: float
    """Visits of the all-moves-as-first mean; 0 unless the rule asks for it."""
    amaf_mean: float
    """µ_AMAF, the mean result of the simulations in which the parent's mover played this move now or later."""
    prior: float
    """P, the prior probability of the move; 0 unless the rule asks for it."""


@dataclass(frozen=True)
class Rule:
    """A selection rule."""

    score: Callable[[Child, float, Rules], float]
    """(child, ln N, rules) → the score of the child. A plain function: the search compiles it."""
    amaf: bool = False
    """Whether it reads all-moves-as-first means; the search records them then."""
    prior: bool = False
    """Whether it reads priors. It then also scores children without visits, with the mean of their parent."""


def ucb(child: Child, log_parent: float, rules: Rules) -> float:
    """Auer's UCB1 with a free constant: µ + c·√(ln N / n)."""
    return child.mean + rules.c * math.sqrt(log_parent / child.visits)


def ucb_variance(child: Child, log_parent: float, rules: Rules) -> float:
    """UCB1-tuned: µ + c·√((ln N / n)·min{σ² + c₁·√(ln N / n), c₂})."""
    ratio = log_parent / child.visits
    return child.mean + rules.c * math.sqrt(ratio * min(child.variance + rules.c1 * math.sqrt(ratio), rules.c2))


def ucb_variance_scaled(child: Child, log_parent: float, rules: Rules) -> float:
    """UCB1-tuned whose inner term is scaled by c as well: b = c·√(ln N / n), µ + b·√min{σ² + c₁·b, c₂}."""
    bound = rules.c * math.sqrt(log_parent / child.visits)
    return child.mean + bound * math.sqrt(min(child.variance + rules.c1 * bound, rules.c2))


def rave(child: Child, log_parent: float, rules: Rules) -> float:
    """UCB1 with the all-moves-as-first mean mixed in: (1 − β)·µ + β·µ_AMAF + c·√(ln N / (n + 1))."""
    mean = child.mean
    if child.amaf_visits > 0.0:
        share = rave_share(rules.schedule, child.visits, child.amaf_visits, rules.k)
        mean = (1.0 - share) * mean + share * child.amaf_mean
    return mean + rules.c * math.sqrt(log_parent / (child.visits + 1.0))


@kernel(inline=True)
def rave_share(schedule: int, visits: float, amaf_visits: float, k: float) -> float:
    """The share β of the all-moves-as-first mean, from 1 (no visits) to 0; m are the visits of that mean.

    linear: 1 − min(1, n/k)        hand: √(k / (3n + k))        error: m / (n + m + 4·n·m·b²) with b² = 1/k
    """
    if schedule == LINEAR:
        return 1.0 - min(1.0, visits / k)
    if schedule == HAND:
        return math.sqrt(k / (3.0 * visits + k))
    return amaf_visits / max(visits + amaf_visits + 4.0 * visits * amaf_visits / k, 1.0)


def puct(child: Child, log_parent: float, rules: Rules) -> float:
    """PUCT of AlphaZero: µ + c·P·√N / (1 + n); P is 1 / branches if the search has no prior."""
    return child.mean + rules.c * child.prior * math.exp(0.5 * log_parent) / (1.0 + child.visits)


def greedy(child: Child, log_parent: float, rules: Rules) -> float:
    """The mean alone: µ."""
    return child.mean


RULES = {
    "ucb": Rule(ucb),
    "ucb-variance": Rule(ucb_variance),
    "ucb-variance-scaled": Rule(ucb_variance_scaled),
    "rave": Rule(rave, amaf=True),
    "greedy": Rule(greedy),
    "puct": Rule(puct, prior=True),
}


def rules_compiled_with(name: str) -> tuple[Rule, ...]:
    """The rules that are compiled into the same search as this one: those that read priors, or those that do not."""
    return tuple(rule for rule in RULES.values() if rule.prior == RULES[name].prior)


@functools.cache
def build_score(registered: tuple[Rule, ...], fastmath: bool = False) -> Any:
    """The kernel score(child, log_parent, rules) of all rules; `rules.rule` is the number of the one in use."""
    compiled = kernel(fastmath=fastmath, inline=True)

    def either(number: int, this: Any, others: Any) -> Any:
        @compiled
        def score(child: Child, log_parent: float, rules: Rules) -> float:
            if rules.rule == number:
                return this(child, log_parent, rules)
            return others(child, log_parent, rules)

        return score

    *kernels, chain = (compiled(rule.score) for rule in registered)
    for number in reversed(range(len(kernels))):
        chain = either(number, kernels[number], chain)
    return chain


@functools.cache
def build_select(registered: tuple[Rule, ...], fastmath: bool = False, alternating: bool = True) -> Any:
    """The kernel that chooses among the children of a decision node; see `select` inside.

    If the turn alternates, every child is the other side's; reading the signs would cost a few percent.
    """
    compiled = kernel(fastmath=fastmath, inline=True)
    score = build_score(registered, fastmath)
    reads_priors = registered[0].prior

    @compiled
    def child_score(tree: Tree, parent: int, node: int, log_parent: float, rules: Rules) -> float:
        """The score of a child by the rule, or the first-play urgency if nothing is known about it."""
        visits, amaf_visits, amaf_mean, prior = float(tree.visits[node]), 0.0, 0.0, 0.0
        if rules.amaf:
            amaf_visits = float(tree.amaf[node, AMAF_VISITS])
            amaf_mean = 0.5 * (1.0 + tree.amaf[node, AMAF_MEAN])
        mean = 0.5 * (1.0 - clamped_mean(tree, node))
        if not alternating and tree.sign[node] > 0:
            mean = 1.0 - mean
        if reads_priors:
            prior = float(tree.prior[node]) if tree.prior.shape[0] > 1 else 1.0 / tree.branches[parent]
            if visits == 0.0:
                mean = 0.5 * (1.0 + clamped_mean(tree, parent))
        elif visits == 0.0 and amaf_visits == 0.0:
            return rules.fpu
        spread = tree.statistics[node, SQUARE] - tree.statistics[node, MEAN] * tree.statistics[node, MEAN]
        child = Child(visits, mean, 0.25 * max(spread, 0.0), amaf_visits, amaf_mean, prior)
        return score(child, log_parent, rules)

    @compiled
    def select(tree: Tree, node: int, rules: Rules, unproven: bool) -> int:
        """The child of a decision node to follow: the best score among those that can still matter.

        Skips pruned children, proven losses, and children that cannot reach the guaranteed value of another child; with
        `unproven`, also those that cannot exceed it. If only pruned children are left, they are allowed again.
        """
        start = tree.first[node]
        end = start + tree.branches[node]
        log_parent = math.log(max(float(tree.visits[node]), 1.0))
        guaranteed = tree.statistics[node, LOWER]
        best, best_score = start, _WORST
        for with_pruned in range(2):
            for child in range(start, end):
                if with_pruned == 0 and tree.pruned[child] != 0:
                    continue
                most = -tree.statistics[child, LOWER]
                if not alternating and tree.sign[child] > 0:
                    most = tree.statistics[child, UPPER]
                if most < guaranteed or most == -1.0 or (unproven and most == guaranteed):
                    continue
                child_value = child_score(tree, node, child, log_parent, rules)
                if tree.weight[child] == FIRST_CLASS:
                    child_value *= rules.class_factor
                if child_value > best_score:
                    best, best_score = child, child_value
            if best_score > _WORST:
                break
        return best

    return select


@kernel(inline=True)
def choose_group(tree: Tree, node: int, total: int, random: Word, enumerate_rolls: bool) -> int:
    """The child of a chance node to follow: sampled by weight, or the one furthest behind its weight."""
    start = tree.first[node]
    if enumerate_rolls:
        best, most = start, _WORST
        for child in range(start, start + tree.branches[node]):
            behind = float(tree.weight[child]) * (tree.visits[node] + 1) / total - tree.visits[child]
            if behind > most:
                best, most = child, behind
        return best
    left = below(random << _SHIFT_32, total)
    child = start
    while left >= tree.weight[child]:
        left -= tree.weight[child]
        child += 1
    return child


@kernel(inline=True)
def widest_group(tree: Tree, node: int) -> int:
    """The child of a chance node whose bounds are furthest apart, by weight."""
    best, most = tree.first[node], -1.0
    for child in range(tree.first[node], tree.first[node] + tree.branches[node]):
        room = tree.weight[child] * float(tree.statistics[child, UPPER] - tree.statistics[child, LOWER])
        if room > most:
            best, most = child, room
    return best
