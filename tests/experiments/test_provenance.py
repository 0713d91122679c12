"""Provenance: generic descriptions of the machine, and the commit of a clone."""

import re
import socket
from pathlib import Path

from starscout.experiments.provenance import Provenance, commit, machine, provenance


def test_provenance_names_date_commit_and_machine() -> None:
    found = provenance()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.date)
    assert found.commit == commit()
    assert re.fullmatch(r"[0-9a-f]{10,40}|", found.commit)
    assert re.search(r", \d+ cores?, Python 3\.\d+", found.machine)
    assert socket.gethostname() not in found.text
    assert Provenance().text == "date not recorded, commit not recorded, machine not recorded"


def test_machine_is_the_cpu_model(tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nmodel name\t: Some CPU 9000\nmodel name\t: Some CPU 9000\n")
    assert machine(file).startswith("Some CPU 9000, ")
    assert machine(tmp_path / "missing")
