"""`starscout.serve`: what its terminal shows, and what it does not."""

import os
import re
import subprocess
import sys

import pytest
from websockets.exceptions import ConnectionClosed

from tests.web.running import PATIENCE, ROOT, Page


def test_text_that_is_not_utf_8_ends_its_own_connection_quietly() -> None:
    command = [sys.executable, "-m", "starscout", "serve", "--port", "0", "--store", ":memory:"]
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=plain) as server:
        assert server.stderr is not None
        try:
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            with Page(found[0]) as page, Page(found[0]) as neighbour:
                page.socket.send(b"\xff\xfe", text=True)
                with pytest.raises(ConnectionClosed) as closed:
                    page.socket.recv(PATIENCE)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1007
                assert "games" in neighbour.ask("catalogue")
        finally:
            server.terminate()
        assert server.stderr.read() == ""
