"""`starscout.cache`: the compiled kernels that later runs load."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.result import Result
from starscout.kernels.cache import cache_files, cache_folder, clear_cache

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class CacheResult(Result):
    """Where compiled kernels are kept, how many there are, and how much room they take.

    >>> print(CacheResult("/home/anna/.cache/starscout/kernels", kernels=12, bytes=3 * 2**20))
    /home/anna/.cache/starscout/kernels: 12 kernels, 3.0 MB
    """

    folder: str
    kernels: int
    bytes: int
    removed: int = 0
    """How many were deleted."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout cache --json`."""
        return dict(vars(self))

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.json()]

    def __rich__(self) -> "RenderableType":
        removed = f"{self.removed} compiled kernels deleted\n" if self.removed else ""
        return f"{removed}{self.folder}: {self.kernels} kernels, {self.bytes / 2**20:.1f} MB"


def cache(*, clear: bool = False) -> CacheResult:
    """The compiled kernels that are kept; `clear` deletes them first.

    >>> cache().kernels >= 0
    True
    """
    removed = clear_cache() if clear else 0
    files = cache_files()
    return CacheResult(str(cache_folder()), len(files), sum(file.stat().st_size for file in files), removed)
