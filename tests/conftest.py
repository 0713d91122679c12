"""What all tests share."""

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from starscout.kernels.kernel import PLAIN

# The same examples in every run on every machine: the search for new ones is `make fuzz`, and what it finds becomes an
# explicit example. The first example of a test may compile a kernel: no example has a deadline.
settings.register_profile("starscout", derandomize=True, database=None, deadline=None)
settings.load_profile("starscout")

# A shell starts what runs in the background (`make test &`) deaf to Ctrl-C, and so would be the programs that tests
# interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `slow_compiled` are slow unless kernels run as plain Python: compiling takes most of their time."""
    for item in items:
        if not PLAIN and item.get_closest_marker("slow_compiled"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the garbage collector need not look through it again and again."""
    gc.freeze()


USERS_OWN = (
    "STARSCOUT_ENGINE_WATCHDOG", "STARSCOUT_ENGINE_MEMORY", "STARSCOUT_SANDBOX", "XDG_DATA_HOME", "NO_COLOR",
    "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "COLUMNS", "LINES",
)  # fmt: skip
"""What a person may have set for themselves, and what would change what a test sees."""


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test plays is kept in its own folder, not in the user's, and the user's settings do not count.

    The cache of compiled kernels is the user's, or all tests would compile everything: its files are found by the
    content of what they were compiled from, so they make a run faster and change nothing else.
    """
    for name in USERS_OWN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "own-store" / "arena.sqlite"))


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run without isolation, as with `--trust`: for engines of tests that write files."""
    monkeypatch.setenv("STARSCOUT_SANDBOX", "off")
