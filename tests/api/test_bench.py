"""The search fingerprint: node counts that change only if a rule, a search or an evaluation does."""

import pytest

from starscout.api.bench import fingerprint
from starscout.kernels.kernel import PLAIN

pytestmark = pytest.mark.plain

QUICK = {"ewn": 1903, "ewn-cyclic": 3075, "kari": 8629, "othello": 2539}
FULL = {"ewn": 283165, "ewn-cyclic": 90635, "kari": 440985, "othello": 89302}


# Compiling the searches of four games takes seconds; the full fingerprint needs them, too.
@pytest.mark.slow_compiled
def test_quick_fingerprint_is_the_same_compiled_and_in_plain_python() -> None:
    assert fingerprint(quick=True) == QUICK


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="too slow in plain Python")
def test_fingerprint() -> None:
    assert fingerprint() == FULL
