"""RemotePlayer: games over a channel, failures, restarts and disconnections."""

import dataclasses
import os

import pytest

from starscout import games
from starscout.game import GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, PlayerError
from starscout.players.spec import make_player
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.lab import LabPlayer
from starscout.protocols.process import Program
from starscout.protocols.remote_player import READY, REPLY, ConnectedEngine, RemotePlayer, read_move
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain

GAME = games.load("ewn-3x3-3")
LIMITS = Limit(time=10.0), Limit(time=10.0)
FIRST = "sh -c 'while read first rest; do echo $first; done'"
"""A program that answers with the first word of every line."""


class ListPlayer(RemotePlayer):
    """A protocol with one message: a line with the legal moves, answered by the chosen one."""

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        channel.send_line(" ".join(state.moves), deadline_in(REPLY))
        return Decision(read_move(state, channel.line(deadline_of(limit, self.watchdog)), self.name))


def player(command: str) -> ListPlayer:
    return ListPlayer("engine", Program("engine", command))


def test_two_games_use_one_channel() -> None:
    engine, other = player(FIRST), make_player("random", GAME)
    for half in (0, 1):
        record = play_game(start(GAME), (engine, other), LIMITS, seed=half)
        assert not record.forfeit, record.detail
        record.check()
        states = list(record.states())
        assert all(states[n].moves[0] == record.plies[n].text for n in range(0, len(record.plies), 2))
    engine.close()


@pytest.mark.usefixtures("trusted")
def test_a_failed_engine_is_restarted_for_the_next_game(tmp_path) -> None:
    script = tmp_path / "engine"
    # The first process sends an invalid answer, the second one plays.
    script.write_text(
        f"#!/bin/sh\nif [ ! -e {tmp_path}/seen ]; then touch {tmp_path}/seen; read l; echo x; fi\n"
        "while read first rest; do echo $first; done\n"
    )
    script.chmod(0o755)
    engine, other = player(str(script)), make_player("random", GAME)
    record = play_game(start(GAME), (engine, other), LIMITS)
    assert (record.winner, record.reason) == (1, "illegal move")
    assert record.detail.startswith("engine: 'x' is not a legal move in ")
    assert not engine.gone
    again = play_game(start(GAME), (engine, other), LIMITS)
    assert not again.forfeit, again.detail
    engine.close()


def test_recoverable_forfeits_keep_the_channel_open() -> None:
    class Lenient(ListPlayer):
        recoverable = ("illegal move",)

    engine = Lenient("engine", Program("engine", "sh -c 'read l; echo x; while read first rest; do echo $first; done'"))
    other = make_player("random", GAME)
    assert play_game(start(GAME), (engine, other), LIMITS).reason == "illegal move"
    # A new process would have answered x again.
    assert not play_game(start(GAME), (engine, other), LIMITS).forfeit
    engine.close()


def test_a_position_outside_the_game_starts_a_new_game() -> None:
    begun: list[State] = []

    class Witness(ListPlayer):
        def _begin(self, channel: Channel, start: State, side: int) -> None:
            begun.append(start)

    engine = Witness("engine", Program("engine", FIRST))
    engine.new_game(GAME, 0)
    state = start(GAME, 2).rolled(1)
    assert engine.choose(state, LIMITS[0]).move == state.legal[0]
    assert begun == [dataclasses.replace(state, roll=0)]
    following = state.play(state.legal[0])
    engine.observe(state, state.legal[0])
    # The game continues: no new game begins.
    engine.choose(following.rolled(2), LIMITS[0])
    assert len(begun) == 1
    engine.close()


def test_a_connected_engine_cannot_be_opened_twice() -> None:
    ours_read, theirs_write = os.pipe()
    theirs_read, ours_write = os.pipe()
    guest = ListPlayer("guest", ConnectedEngine(Channel("guest", ours_read, ours_write)))
    assert not guest.gone
    guest.new_game(GAME, 0)
    assert not guest.gone
    os.close(theirs_write)
    with pytest.raises(PlayerError, match="disconnected"):
        guest.choose(start(GAME).rolled(1), LIMITS[0])
    assert guest.gone
    with pytest.raises(PlayerError, match="disconnected: guest is no longer connected"):
        guest.new_game(GAME, 1)
    os.close(theirs_read)
    guest.close()


def test_the_ready_timeout_is_shorter_after_a_failure() -> None:
    class Slow(ListPlayer):
        def _greet(self, channel: Channel, game: object) -> None:
            raise PlayerError("stalled", "not ready")

    engine = Slow("engine", Program("engine", FIRST))
    before = engine.ready_timeout
    with pytest.raises(PlayerError):
        engine.new_game(GAME, 0)
    assert engine.ready_timeout == REPLY < before


def test_read_move_parses_or_raises_player_error() -> None:
    state = start(GAME).rolled(1)
    assert read_move(state, state.moves[0].lower(), "engine") == state.legal[0]
    with pytest.raises(PlayerError, match="illegal move: engine: 'Z9' is not a legal move") as failure:
        read_move(state, "Z9", "engine")
    assert isinstance(failure.value.__cause__, GameError)


def test_a_shorter_watchdog_limits_the_startup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STARSCOUT_ENGINE_WATCHDOG", raising=False)
    assert player("cat").ready_timeout == READY
    for seconds, timeout in (("2.5", 2.5), ("1000", READY)):
        monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", seconds)
        assert player("cat").ready_timeout == timeout


class SilentAfterFirstLine:
    """The transport of an engine that has sent one line and sends nothing else."""

    persistent = False
    exhausted = False

    def open(self) -> Channel:
        read, theirs = os.pipe()
        os.write(theirs, b"id name slow\n")
        _, write = os.pipe()
        return Channel("engine", read, write, why_gone=lambda: PlayerError("crash", "engine exited"))


def test_a_program_that_sends_nothing_is_reported_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    monkeypatch.setattr("starscout.kernels.notices.waiting", notices.append)
    monkeypatch.setattr("starscout.kernels.notices.WAITING_SECONDS", 0.1)
    monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", "0.3")
    engine = LabPlayer("engine", Program("engine", "sleep 60"))
    with pytest.raises(PlayerError) as late:
        engine.new_game(GAME, 0)
    hint = "it has sent nothing at all: does it flush its output after every line?"
    assert (late.value.reason, late.value.detail) == ("stalled", f"engine did not answer within 0.3 s; {hint}")
    assert notices == ["waiting up to 0.3 s for the first output of engine"]


def test_a_program_that_has_sent_a_line_gets_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    monkeypatch.setattr("starscout.kernels.notices.waiting", notices.append)
    monkeypatch.setattr("starscout.kernels.notices.WAITING_SECONDS", 0.1)
    monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", "0.3")
    engine = LabPlayer("engine", SilentAfterFirstLine())
    with pytest.raises(PlayerError) as late:
        engine.new_game(GAME, 0)
    assert late.value.detail == "engine did not answer within 0.3 s"
    assert notices == []


def test_a_second_start_that_fails_names_the_first_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.protocols.remote_player.REPLY", 0.1)
    monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", "0.2")
    engine = LabPlayer("engine", SilentAfterFirstLine())
    late = "engine did not answer within"
    for detail in (f"{late} 0.2 s", *[f"{late} 0.1 s (at its first start within 0.2 s)"] * 2):
        with pytest.raises(PlayerError) as failed:
            engine.new_game(GAME, 0)
        assert failed.value.detail == detail
