"""Options of external engines: announcements, validation, and the messages of each protocol."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from starscout import games
from starscout.game import GameError
from starscout.game.state import start
from starscout.players.spec import check_arguments, describe, make_player
from starscout.protocols.engine_options import EngineOption, parse_option
from starscout.protocols.gtp import GtpPlayer
from starscout.protocols.lab import LabPlayer
from starscout.protocols.nboard import NboardPlayer
from starscout.protocols.remote_player import RemotePlayer

pytestmark = pytest.mark.plain

EWN, OTHELLO = games.load("ewn"), games.load("othello")
LAB = (
    "id name Foo",
    "option name own type spin default 5 min 0 max 20",
    "option name Move Overhead type spin default 10 min 0",
    "option name ponder type check default false",
    "option name style type combo default calm var calm var very wild",
    "option name book type string default <empty>",
    "option name seed type spin default 0 min 0 max 4294967295",
    "labok",
)


class Wire:
    """A channel and its transport: answers from a table, and the lines that the engine received."""

    persistent = exhausted = False
    withheld = 0.0

    def __init__(self, answers: Mapping[str, Sequence[str]]) -> None:
        self._answers, self._waiting = answers, [""] * 0
        self.received: list[str] = []
        self.closed = 0

    def open(self) -> Any:
        return self

    def send_line(self, text: str, deadline: Any) -> None:
        self.received.append(text)
        fitting = [key for key in self._answers if text.startswith(key)]
        if fitting:
            self._waiting += self._answers[max(fitting, key=len)]

    def line(self, deadline: Any) -> str:
        return self._waiting.pop(0)

    def waiting_within(self, seconds: float) -> float:
        return 0.0

    def close(self, at_once: bool = False) -> None:
        self.closed += 1


def lab(**values: str) -> tuple[RemotePlayer, Wire]:
    wire = Wire({"lab": LAB, "isready": ["readyok"]})
    player = LabPlayer("lab:./engine", wire)
    player.configure(values)
    return player, wire


def test_announcements_are_parsed() -> None:
    player, _ = lab()
    player.new_game(EWN, 1)
    assert list(player.announced) == ["own", "Move Overhead", "ponder", "style", "book", "seed"]
    assert player.announced["own"] == EngineOption("own", "spin", "5", 0, 20)
    assert player.announced["style"].choices == ("calm", "very wild")
    assert parse_option(["type", "spin"]) is None
    assert parse_option(["name", "x", "type", "spin", "min", "a", "max"]) == EngineOption("x", "spin")


def test_lab_options_are_sent_once_before_the_game() -> None:
    player, wire = lab(own="7", ponder="on", STYLE="Very Wild", **{"Move Overhead": "99"})
    for seed in (1, 2):
        player.new_game(EWN, seed)
        player.begin(start(EWN), 0)
    sent = [line for line in wire.received if line.startswith("setoption") and " seed " not in line]
    assert sent == [
        "setoption name own value 7",
        "setoption name ponder value true",
        "setoption name style value very wild",
        "setoption name Move Overhead value 99",
    ]
    assert wire.received.index(sent[-1]) < wire.received.index("newgame ewn seat 1")


def test_a_seed_of_the_user_replaces_that_of_the_referee() -> None:
    player, wire = lab(seed="3")
    player.new_game(EWN, 1)
    player.begin(start(EWN), 0)
    assert [line for line in wire.received if " seed " in line] == ["setoption name seed value 3"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("owm", "7", "no option 'owm'; did you mean 'own'? (options of the engine: own, Move Overhead, ponder, "),
        ("own", "21", "own: expected a whole number from 0 to 20, got '21'"),
        ("own", "7.5", "own: expected a whole number from 0 to 20, got '7.5'"),
        ("Move Overhead", "-1", "Move Overhead: expected a whole number of at least 0, got '-1'"),
        ("ponder", "maybe", "ponder: expected on or off, got 'maybe'"),
        ("style", "wild", "style: expected one of calm, very wild, got 'wild'"),
        ("book", "a\nquit", "book: expected one line"),
    ],
)
def test_values_are_validated(name: str, text: str, expected: str) -> None:
    player, wire = lab(**{name: text})
    with pytest.raises(GameError) as caught:
        player.check(EWN)
    assert expected in str(caught.value)
    assert not any(line.startswith("setoption") for line in wire.received)
    assert wire.closed == 1


def test_a_running_engine_is_configured_at_once() -> None:
    player, wire = lab(own="7")
    player.new_game(EWN, 1)
    player.configure({"own": "9"})
    assert wire.received[-1] == "setoption name own value 9"
    with pytest.raises(GameError, match="no option 'oven'"):
        player.configure({"oven": "1"})
    assert player.options == {"own": "9"}


def test_nboard_has_one_option() -> None:
    wire = Wire({"ping": ["pong 1"]})
    player = NboardPlayer("nboard:./engine", wire)
    player.configure({"contempt": "-50"})
    player.new_game(OTHELLO, 1)
    assert wire.received == ["nboard 2", "ping 1", "set contempt -50"]


def test_gtp_options_follow_gogui() -> None:
    answers = {
        "name": ["= Foo", ""],
        "list_commands": ["= name", "genmove", "gogui-analyze_commands", "foo-param", ""],
        "gogui-analyze_commands": ["= dboard/Influence/influence", "param/Foo Parameters/foo-param", ""],
        "foo-param": ["= [bool] ponder 1", "[list/calm/wild] style calm", "[string] own 5", "[label] hint", ""],
        "foo-param ": ["=", ""],
        "foo-param own": ["? too large", ""],
    }
    wire = Wire(answers)
    player = GtpPlayer("gtp:./engine", wire)
    player.configure({"ponder": "off", "style": "wild"})
    player.new_game(OTHELLO, 1)
    assert wire.received[-2:] == ["foo-param ponder 0", "foo-param style wild"]
    assert list(player.announced) == ["ponder", "style", "own"]
    with pytest.raises(GameError, match=r"does not accept own=7: .*'\? too large'"):
        player.configure({"own": "7"})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("nboard[contempt=x]:true", "nboard: contempt: expected a whole number, got 'x'"),
        ("nboard[contemt=1]:true", "nboard: no option 'contemt'"),
        ("otp[own=1]:true", "otp: no option 'own' (options: time, clock,"),
        ("otp[option.own=1]:true", "otp: engines of this protocol have no options; pass arguments in the command"),
    ],
)
def test_protocols_with_a_fixed_set_of_options_reject_others_at_once(spec: str, expected: str) -> None:
    with pytest.raises(GameError) as caught:
        describe(spec, OTHELLO)
    assert str(caught.value).startswith(expected)


def test_a_spec_divides_its_options() -> None:
    described = describe("lab[own=5 time=0.1 option.depth=3 'Move Overhead=7']:true", EWN)
    assert described.limit.time == 0.1
    assert described.arguments == {"own": "5", "depth": "3", "Move Overhead": "7"}
    player = make_player("lab[own=5]:true", EWN)
    assert isinstance(player, RemotePlayer)
    assert player.options == {"own": "5"}


@pytest.mark.usefixtures("trusted")
def test_options_are_validated_before_the_first_game() -> None:
    engine = "sh -c 'echo option name own type spin min 0 max 9; echo labok; cat'"
    check_arguments(f"lab[own=5]:{engine}", EWN)
    check_arguments(f"lab[own=5]:{engine}", EWN, {"own": "9"})
    with pytest.raises(GameError, match="own: expected a whole number from 0 to 9, got '10'"):
        check_arguments(f"lab[own=5]:{engine}", EWN, {"own": "10"})
    with pytest.raises(GameError, match="no option 'on'; did you mean 'own'"):
        check_arguments(f"lab[on=5]:{engine}", EWN)
