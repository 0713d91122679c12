"""Provenance of measurements: date, commit and machine, without host names."""

import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

import starscout

CPU_FILE = Path("/proc/cpuinfo")
SHORT = 10
"""Digits of a commit."""


@dataclass(frozen=True)
class Provenance:
    """When, with which commit and on which machine something was measured; empty if not recorded."""

    date: str = ""
    commit: str = ""
    machine: str = ""

    @property
    def text(self) -> str:
        """One line for a results page."""
        commit = f"commit {self.commit}" if self.commit else "commit not recorded"
        return ", ".join((self.date or "date not recorded", commit, self.machine or "machine not recorded"))


def provenance() -> Provenance:
    """Return today's date, the commit of the sources if they are a clone, and the machine."""
    return Provenance(datetime.datetime.now(tz=datetime.UTC).date().isoformat(), commit(), machine())


def commit() -> str:
    """Return the commit of the sources; empty for an installed package."""
    root = Path(starscout.__file__).parent.parent
    if not (root / ".git").exists():
        return ""
    command = ["git", "-C", str(root), "rev-parse", f"--short={SHORT}", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine(cpu_file: Path = CPU_FILE) -> str:
    """Return the CPU model, the number of cores and the Python version."""
    model = platform.machine()
    try:
        lines = cpu_file.read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    cores = os.cpu_count() or 1
    return f"{model}, {cores} {'core' if cores == 1 else 'cores'}, Python {platform.python_version()}"
