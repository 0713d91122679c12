"""The numbers that the kernels of a Monte-Carlo search read; `Settings.rules` creates them."""

from typing import NamedTuple


class Rules(NamedTuple):
    """The numbers that the loop reads: the settings as the kernels need them."""

    rule: int
    """The number of the selection rule among those it is compiled with."""
    amaf: bool
    """Whether the rule reads all-moves-as-first means, so that the loop records them."""
    c: float
    """Weight of exploration."""
    c1: float
    """Variance rules: weight of the uncertainty of the variance."""
    c2: float
    """Variance rules: the largest variance."""
    fpu: float
    """The score of a child without visits."""
    schedule: int
    """RAVE: how the all-moves-as-first mean fades: LINEAR, HAND or ERROR."""
    k: float
    """RAVE: how slowly it fades."""
    class_factor: float
    """Factor of the score of first-class moves."""
    pruning: int
    """NONE, VISITS or DEVIATION."""
    period: int
    """Pruning is considered each time the visits of a node pass a multiple of this."""
    rd: float
    """Pruning by deviation: half-width of the interval, in deviations."""
    sigma: float
    """Pruning by deviation: only children with a smaller deviation are compared."""
    trials: int
    """Pruning by deviation: only children with at least this many visits are compared."""
    by_plies: bool
    """Pruning by deviation: whether the score of a playout is its result ÷ √plies instead of its result."""
    leaf: int
    """Playouts from a leaf; also the visits that an exact value counts for."""
    total: int
    """Playouts to split among the children of a new node; 0: `leaf` for each child."""
    all_children: bool
    """Whether the playouts of a new node start from all its children."""
    threshold: int
    """Visits after which a leaf gets children."""
    depth: int
    """The largest depth of the tree in plies."""
    longest: int
    """Plies after which the evaluation ends a playout."""
    enumerate_rolls: bool
    """Whether rolls are visited in proportion to their weights instead of sampled."""
    burst: int
    """Iterations per burst."""
    leaf_share: float
    """Share of the leaf value in the result of a simulation."""
