"""How long tests wait for an event before they fail."""

import os

PATIENCE = float(os.environ.get("TEST_PATIENCE", "300"))
"""Seconds. On a busy machine, compiling a kernel or starting a process takes minutes."""
