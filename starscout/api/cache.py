"""`starscout.cache`: the cache of compiled kernels."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.result import Result
from starscout.kernels.cache import cache_files, cache_folder, clear_cache

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class CacheResult(Result):
    """Location, number and size of the cached kernels.

    >>> print(CacheResult("/home/anna/.cache/starscout/kernels", kernels=12, bytes=3 * 2**20))
    /home/anna/.cache/starscout/kernels: 12 kernels, 3.0 MB
    """

    folder: str
    kernels: int
    bytes: int
    removed: int = 0
    """Number of deleted kernels."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout cache --json`."""
        return dict(vars(self))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [self.json()]

    def __rich__(self) -> "RenderableType":
        removed = f"{self.removed} compiled kernels deleted\n" if self.removed else ""
        return f"{removed}{self.folder}: {self.kernels} kernels, {self.bytes / 2**20:.1f} MB"


def cache(*, clear: bool = False) -> CacheResult:
    """Inspect the cache of compiled kernels; `clear` empties it first.

    >>> cache().kernels >= 0
    True
    """
    removed = clear_cache() if clear else 0
    files = cache_files()
    return CacheResult(str(cache_folder()), len(files), sum(file.stat().st_size for file in files), removed)
