"""Faults of the server: a pair is void if an engine could not even be started."""

from starscout.arena.pair import PairRecord

LAUNCH_FAILED = 126
"""Exit code of the script `protocols/launcher.py` if it cannot apply the restrictions."""

_TEXTS = ("cannot be started", f"exited with exit code {LAUNCH_FAILED}")


def is_server_fault(record: PairRecord) -> bool:
    """Whether a game of a pair was lost because the server could not start an engine."""
    return any(
        reason == "crash" and not plies and any(text in detail for text in _TEXTS)
        for reason, plies, detail in zip(record.reasons, record.plies, record.details(), strict=True)
    )
