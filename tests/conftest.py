"""Settings and fixtures of all tests."""

import gc
import itertools
import os
import signal

import pytest
from hypothesis import settings

from starscout.kernels.kernel import PLAIN

# The same examples in every run: `make fuzz` searches for new ones, and its findings become explicit examples. The
# first example of a test may compile a kernel, so examples have no deadline.
settings.register_profile("starscout", derandomize=True, database=None, deadline=None)
settings.load_profile("starscout")

# A shell starts background jobs (`make test &`) with SIGINT ignored, and child processes would inherit that. Some tests
# interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `slow_compiled` are slow unless kernels run as plain Python: compiling takes most of their time."""
    for item in items:
        if not PLAIN and item.get_closest_marker("slow_compiled"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Exclude all objects that exist after collection from garbage collection."""
    gc.freeze()


USERS_OWN = (
    "STARSCOUT_ENGINE_WATCHDOG", "STARSCOUT_ENGINE_MEMORY", "STARSCOUT_SANDBOX", "XDG_DATA_HOME", "NO_COLOR",
    "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE", "COLUMNS", "LINES",
)  # fmt: skip
"""Environment variables of the user that would affect tests."""

STORES = itertools.count(1)
"""Numbers of the stores of this process."""


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the games of each test in a folder of its own, and ignore the settings of the user.

    The cache of compiled kernels is shared. Its files are identified by the content of their sources, so they make a
    run faster and change nothing else.
    """
    for name in USERS_OWN:
        monkeypatch.delenv(name, raising=False)
    # `tmp_path` would create a folder for every test and list those of all others.
    folder = tmp_path_factory.getbasetemp() / f"store-{os.getpid()}-{next(STORES)}"
    monkeypatch.setenv("STARSCOUT_STORE", str(folder / "arena.sqlite"))


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run without isolation, as with `--trust`: for engines of tests that write files."""
    monkeypatch.setenv("STARSCOUT_SANDBOX", "off")
