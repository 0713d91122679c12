"""Channels: lines from arbitrary chunks, and deadlines."""

import math
import os
import subprocess
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.players.player import PlayerError
from starscout.protocols.channel import LONGEST_LINE, WATCHDOG, Channel, deadline_in, deadline_of, watchdog_seconds
from starscout.referee.clock import MARGIN, MAX_WITHHELD, Scheduling, runnable
from starscout.search.limits import Limit


def pair() -> tuple[Channel, int, int]:
    """A channel and the engine's ends of its pipes."""
    theirs_read, ours_write = os.pipe()
    ours_read, theirs_write = os.pipe()
    return Channel("engine", ours_read, ours_write), theirs_write, theirs_read


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), max_size=8), st.data())
def test_lines_are_reassembled_from_chunks(lines: list[str], data: st.DataObject) -> None:
    channel, write, read = pair()
    content = "".join(f"{line}\n" for line in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=5)))
    received = []
    for begin, end in zip([0, *cuts], [*cuts, len(content)], strict=True):
        os.write(write, content[begin:end])
        while channel.peek().count(b"\n") or content[begin:end]:
            if b"\n" not in channel.peek() and not channel.more_within(0.001):
                break
            if b"\n" in channel.peek():
                received.append(channel.line(deadline_in(60)))
    assert received == lines
    os.close(write)
    os.close(read)
    channel.close()


def test_late_silent_endless_and_closed_channels_raise() -> None:
    channel, write, read = pair()
    with pytest.raises(PlayerError, match="timeout"):
        channel.line(deadline_in(0.01, "timeout"))
    os.write(write, b"x" * 60_000)
    assert channel.more_within(60)
    os.write(write, b"x" * 10_000)
    with pytest.raises(PlayerError, match="stalled"):
        channel.line(deadline_in(60))
    assert len(channel.take(10**6)) > LONGEST_LINE
    os.close(write)
    with pytest.raises(PlayerError, match="disconnected"):
        channel.line(deadline_in(60))
    os.close(read)
    with pytest.raises(PlayerError, match="disconnected"):
        channel.send(b"hello", deadline_in(60))
    channel.close()
    channel.close()


def test_an_engine_that_does_not_read_misses_the_deadline() -> None:
    channel, write, read = pair()
    with pytest.raises(PlayerError, match="stalled"):
        channel.send(b"x" * 10_000_000, deadline_in(0.05))
    os.close(write)
    os.close(read)
    channel.close()


def test_deadlines_follow_the_limit() -> None:
    assert deadline_of(Limit(nodes=5), 7.0)[1:] == ("stalled", 7.0)
    assert deadline_of(Limit(time=2.0, clock=1.0), 7.0)[1:] == ("timeout", 1.0 + MARGIN)


def test_the_watchdog_is_configurable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STARSCOUT_ENGINE_WATCHDOG", raising=False)
    assert watchdog_seconds() == WATCHDOG
    monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", "2.5")
    assert watchdog_seconds() == 2.5
    for wrong in ("soon", "-1", "nan", "inf"):
        monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", wrong)
        with pytest.raises(GameError, match="number of seconds"):
            watchdog_seconds()


@pytest.mark.parametrize("seconds", [1e7, 1e10, 1e300])
def test_a_deadline_may_be_very_distant(seconds: float) -> None:
    channel, write, read = pair()
    teller = threading.Timer(0.05, lambda: os.write(write, b"hello\n"))
    teller.start()
    assert channel.line(deadline_in(seconds)) == "hello"
    teller.join()
    os.close(write)
    os.close(read)
    channel.close()


@pytest.mark.parametrize(("used", "answered"), [(0.0, True), (9.0, False)])
def test_an_engine_that_waits_for_a_processor_gets_the_time_back(used: float, answered: bool) -> None:
    """Not if it has used its time on the processor: then its own threads compete."""
    ours_read, theirs_write = os.pipe()
    measured = iter([Scheduling(), *[Scheduling(used, 60.0, 60.0)] * 99])
    channel = Channel("engine", ours_read, os.open(os.devnull, os.O_WRONLY), scheduling=lambda: next(measured))
    timer = threading.Timer(0.3, os.write, (theirs_write, b"answer\n"))
    timer.start()
    deadline = deadline_in(0.05, "timeout")
    if answered:
        assert channel.line(deadline) == "answer"
        assert channel.withheld == MAX_WITHHELD
    else:
        with pytest.raises(PlayerError, match="timeout"):
            channel.line(deadline)
    timer.join()
    channel.close()
    os.close(theirs_write)


@pytest.mark.parametrize("queued", [True, False])
def test_an_engine_that_is_still_waiting_for_a_processor_is_not_late(
    queued: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel adds a wait to its statistics when it ends."""
    ours_read, theirs_write = os.pipe()
    channel = Channel("engine", ours_read, os.open(os.devnull, os.O_WRONLY), scheduling=lambda: Scheduling(0.001))
    channel.processes = lambda: [1]
    looked: list[int] = []

    def runnable(process: int) -> bool:
        """Whether the process waits for a processor; it answers after the deadline, while it is observed."""
        if queued and not looked:
            os.write(theirs_write, b"answer\n")
        looked.append(process)
        return queued

    monkeypatch.setattr("starscout.protocols.channel.runnable", runnable)
    deadline = deadline_in(0.05, "timeout")
    if queued:
        assert channel.line(deadline) == "answer"
        assert deadline.left() <= 0
    else:
        with pytest.raises(PlayerError, match="timeout"):
            channel.line(deadline)
    assert looked
    channel.close()
    os.close(theirs_write)


def test_waiting_is_credited_once() -> None:
    measured = iter([Scheduling(waited=3.0), Scheduling(waited=3.2), Scheduling(waited=9.0)])
    read, write = os.pipe()
    channel = Channel("engine", read, write, scheduling=lambda: next(measured))
    channel.waiting_within(math.inf)
    assert channel.waiting_within(0.001) == 0.0
    assert channel.waiting_within(0.5) == pytest.approx(0.2)
    assert channel.waiting_within(60.0) == MAX_WITHHELD
    channel.close()


def test_runnable_processes() -> None:
    assert runnable(os.getpid())
    sleeper = subprocess.Popen(["sleep", "60"])
    while runnable(sleeper.pid):
        time.sleep(0.01)
    sleeper.kill()
    sleeper.wait()
    assert not runnable(sleeper.pid)
