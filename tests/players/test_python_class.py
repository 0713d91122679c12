"""Python classes as players: loading, answers and errors."""

import select
import time
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import parse
from starscout.players.class_host import HostedPlayer
from starscout.players.player import Decision, PlayerError
from starscout.players.python_class import ObjectPlayer, check_place, class_spec, is_portable, place_digest
from starscout.players.spec import describe, make_player
from starscout.search.limits import Limit
from tests.patience import PATIENCE

FILE = """
from neighbour import PLACE

class First:
    def choose(self, state, limit):
        return state.moves[PLACE]

class Needs:
    def __init__(self, number):
        pass

class Mute:
    pass

class Short:
    def choose(self, state):
        return state.moves[0]

class Deaf(First):
    def observe(self, move):
        pass

class Timed(First):
    def __init__(self):
        self.begin = 1.5

from starscout import Player

class Own(Player):
    def choose(self, state):
        return state.moves[0]

class Any(First):
    def observe(self, *arguments, **more):
        pass

class Later:
    async def choose(self, state, limit):
        return state.moves[0]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text("PLACE = 0\n")
    (tmp_path / "mine.py").write_text(FILE)
    return tmp_path / "mine.py"


@pytest.fixture(scope="module")
def game() -> Game:
    return games.load("ewn-3x3-3")


def test_a_class_of_a_file(file: Path, game: Game) -> None:
    state = parse(game, "12./3.a/.cb r 2")
    player = make_player(f"python[depth=3]:{file}:First", game)
    assert player.choose(state, Limit()).move == state.legal[0]
    assert player.limit == Limit(depth=3)
    assert player.name == f"python[depth=3]:{file}:First"


def test_an_edit_is_another_player_and_takes_effect(file: Path, game: Game) -> None:
    state = parse(game, "12./3.a/.cb r 2")
    before, spec = place_digest(f"{file}:First"), f"python:{file}:First"
    first = make_player(spec, game).choose(state, Limit())
    file.write_text(FILE.replace("state.moves[PLACE]", "state.moves[-1]"))
    assert place_digest(f"{file}:First") != before
    assert make_player(spec, game).choose(state, Limit()) != first
    (file.parent / "neighbour.py").write_text("PLACE = 1\n")
    assert place_digest(f"{file}:First") != before


def test_methods_may_take_variable_arguments(file: Path, game: Game) -> None:
    state = parse(game, "12./3.a/.cb r 2")
    player = make_player(f"python:{file}:Any", game)
    player.observe(state, state.legal[0])
    assert player.choose(state, Limit()).move in state.legal


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("{file}:Second", "has no class 'Second'"),
        ("{file}:Later", "choose is a coroutine or generator: expected a method that returns a move"),
        ("{file}:Needs", "__init__ needs a value for 'number': write .*:Needs number=VALUE"),
        ("{file}:Mute", "has no method choose"),
        ("{file}x:First", "no such file"),
        ("{file}", "expected python:FILE:CLASS"),
        (":Elsewhere", "was defined in another process"),
        ("{file}:Short", r"choose of the class Short \(.*mine.py, line 16\) has the wrong arguments: expected choose"),
        ("{file}:Deaf", r"observe of the class Deaf \(.*expected observe\(self, state, move\)"),
        (
            "{file}:Timed",
            r"begin of the class Timed is 1.5, but the referee calls begin\(self, start, side\): rename it",
        ),
        ("{file}:Own", r"choose of the class Own \(.*mine.py, line 30\) has the wrong arguments"),
    ],
)
def test_invalid_classes_raise(file: Path, game: Game, place: str, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        make_player(f"python:{place.format(file=file)}", game)


def test_the_spec_of_a_class() -> None:
    assert class_spec(Answers) == f"python:{Path(__file__).resolve()}:Answers"
    local = class_spec(type("Local", (), {"__module__": "nowhere", "choose": lambda self, state, limit: 0}))
    assert local == "python::Local"
    assert not is_portable(":Local")
    check_place(":Local")
    assert not describe(local, games.load("ewn-3x3-3")).portable


class Answers:
    """Returns given answers and records its calls."""

    answer: Any = None
    heard: list[str]

    def __init__(self) -> None:
        self.heard = []

    def choose(self, state: Any, limit: Limit) -> Any:
        return self.answer

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self.heard.append(reason)


def test_answers_and_hooks(game: Game) -> None:
    state, written = parse(game, "12./3.a/.cb r 2"), Answers()
    player = ObjectPlayer(written)
    for answer in (state.moves[1], state.legal[1], Decision(state.legal[1])):
        written.answer = answer
        assert player.choose(state, Limit()).move == state.legal[1]
    player.new_game(game, 1)
    player.end(0, "corner", "")
    assert written.heard == ["corner"]
    written.answer = "A9A9"
    with pytest.raises(PlayerError, match="illegal move: 'A9A9'"):
        player.choose(state, Limit())
    written.answer = 1.5
    with pytest.raises(PlayerError, match=r"illegal move: choose returned 1\.5"):
        player.choose(state, Limit())
    written.answer = float("inf")
    with pytest.raises(PlayerError, match="crash: choose returned inf"):
        player.choose(state, Limit())
    written.answer = float(state.legal[1])
    assert player.choose(state, Limit()).move == state.legal[1]
    written.answer = None
    with pytest.raises(PlayerError, match="choose returned None"):
        player.choose(state, Limit())


def test_printed_lines_name_the_class_in_this_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "class Talker:\n    def choose(self, state, limit):\n        print('a', end='')\n        print('b\\nc')\n"
    file = tmp_path / "talker.py"
    file.write_text(f"{source}        return state.legal[0]\n")
    spec = f"python:{file}:Talker"
    state = starscout.start("ewn-3x3-3").rolled(1)
    for _ in range(2):
        starscout.player(spec, "ewn-3x3-3").choose(state, starscout.Limit())
    assert capsys.readouterr().out == "Talker: ab\nTalker: c\n" * 2


def test_a_method_may_import_a_neighbour(tmp_path: Path, game: Game) -> None:
    (tmp_path / "later.py").write_text("PLACE = -1\n")
    (tmp_path / "mine.py").write_text(
        "class Late:\n    def choose(self, state, limit):\n        import later\n"
        "        return state.moves[later.PLACE]\n"
    )
    player = make_player(f"python:{tmp_path / 'mine.py'}:Late", game, hosted=True)
    try:
        player.new_game(game, 0)
        state = starscout.start(game.name).rolled(1)
        player.begin(state.before_event, state.mover)
        assert state.game.format_move(state.position, player.choose(state, Limit()).move) == state.moves[-1]
    finally:
        player.close()


def test_output_is_printed_at_the_end_of_a_game(tmp_path: Path, game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "late.py").write_text(
        "import threading\n\nclass Late:\n    def choose(self, state, limit):\n"
        "        threading.Timer(0.3, print, ['written after the answer']).start()\n        return state.moves[0]\n"
    )
    player = make_player(f"python:{tmp_path / 'late.py'}:Late", game, hosted=True)
    assert isinstance(player, HostedPlayer)
    try:
        player.new_game(game, 0)
        state = starscout.start(game.name).rolled(1)
        player.begin(state.before_event, state.mover)
        player.choose(state, Limit())
        output = player._channel._error  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
        printed, until = capsys.readouterr().err, time.monotonic() + PATIENCE
        # On a busy machine the output may come before the answer is read.
        while not printed and not select.select([output], [], [], 0.1)[0]:
            assert time.monotonic() < until
        player.end(None, "", "")
        assert printed + capsys.readouterr().err == "Late: written after the answer\n"
    finally:
        player.close()
