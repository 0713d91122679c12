"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run on every machine: the search for new ones is `make fuzz`, and what it finds becomes an
# explicit example. The first example of a test may compile a kernel: no example has a deadline.
settings.register_profile("starscout", derandomize=True, database=None, deadline=None)
settings.load_profile("starscout")


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test plays is kept in its own folder, not in the user's."""
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "own-store" / "arena.sqlite"))
