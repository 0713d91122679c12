"""The pinned node counts: a commit that changes them changes a search, and says so."""

import pytest

from starscout.kernels.kernel import PLAIN
from starscout.search.fingerprint import fingerprint

pytestmark = pytest.mark.plain

QUICK = {"ewn": 1903, "ewn-cyclic": 3075, "kari": 8629, "othello": 2539}
FULL = {"ewn": 283165, "ewn-cyclic": 90635, "kari": 440985, "othello": 89302}


def test_quick_fingerprint_is_the_same_compiled_and_in_plain_python():
    assert fingerprint(quick=True) == QUICK


@pytest.mark.skipif(PLAIN, reason="too much for plain Python")
def test_fingerprint():
    assert fingerprint() == FULL
