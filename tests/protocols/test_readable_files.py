"""Files that an isolated program may read."""

import sys
from types import ModuleType

import pytest

from starscout.protocols.readable_files import own_folders


class _Finder(ModuleType):
    """An editable installation. Reading it imports a module, to simulate an import in another thread."""

    @property
    def MAPPING(self) -> dict[str, str]:  # noqa: N802
        sys.modules["imported_meanwhile"] = ModuleType("imported_meanwhile")
        return {"here": "/usr/share"}


def test_modules_may_be_imported_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a ladder rejected a submission: `RuntimeError: dictionary changed size during iteration`."""
    monkeypatch.delitem(sys.modules, "imported_meanwhile", raising=False)
    for number in range(2):
        name = f"__editable___{number}"
        monkeypatch.setitem(sys.modules, name, _Finder(name))
    assert "/usr/share" in own_folders()
    sys.modules.pop("imported_meanwhile")
