"""A command that is terminated ends its engines."""

import os
import signal

import pytest

from starscout.cli.support.ending import kill_child_processes


def test_a_termination_ends_as_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        kill_child_processes()
        with pytest.raises(SystemExit) as ended:
            os.kill(os.getpid(), signal.SIGTERM)
        assert ended.value.code == 143
    finally:
        signal.signal(signal.SIGTERM, before)
