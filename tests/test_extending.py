"""Extensions from outside the package: a game, an evaluation, a protocol, a tournament format and a selection rule.

Each is one object or one file, and no file of the package is touched. docs/games.md counts them.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.arena.live import LiveRunner
from starscout.arena.pairing import FORMATS
from starscout.arena.standings import Standings
from starscout.arena.store import Store
from starscout.arena.swiss import Stage
from starscout.arena.tournament import Tournament, TournamentPlan, stored_standings
from starscout.evaluation import evaluation_names, load_evaluation
from starscout.game import GameError
from starscout.game.laws import check_laws
from starscout.game.state import State, parse, start
from starscout.game.values import as_float
from starscout.players.player import Decision, Player
from starscout.players.random_player import RandomPlayer
from starscout.players.spec import make_player
from starscout.protocols.channel import Channel, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.protocol import EngineSettings, Protocol
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from starscout.search.mcts.pruning import Rules
from starscout.search.mcts.selection import RULES, Child, Rule
from starscout.search.mcts.settings import Settings
from tests.command_line import run as run_command
from tests.search.mcts.monte_carlo import monte_carlo

ROOT = Path(starscout.__file__).parents[1]
LIMITS = Limit(time=30.0), Limit(time=30.0)

NIM = '''
"""Nim with one heap: take one, two or three of twelve; who takes the last one wins."""

from typing import NamedTuple

from starscout.kernels.bits import Word
from starscout.evaluation import Evaluation, Knowledge
from starscout.game import LOSS, ONGOING, Cell, Game
from starscout.kernels.kernel import kernel
from starscout.game.notation import parse_side, split_fields
from starscout.game.values import ONE

HALF = ONE // 2


class Position(NamedTuple):
    heap: int
    mover: int


@kernel(inline=True)
def begin(seed):
    return Position(12, 0)


@kernel(inline=True)
def moves(position, roll, out):
    for number in range(min(position.heap, 3)):
        out[number] = number + 1
    return min(position.heap, 3)


@kernel(inline=True)
def play(position, move):
    return Position(position.heap - move, 1 - position.mover)


@kernel(inline=True)
def outcome(position):
    return LOSS if position.heap == 0 else ONGOING


@kernel
def modulo(position):
    return -HALF if position.heap % 4 == 0 else HALF


def parse(text):
    heap, side = split_fields(text, ("heap", "side to move"), "12 a")
    return Position(int(heap), parse_side(side, "ab")), 1


GAME = Game(
    name="nim", title="Nim", description="take one, two or three of twelve; who takes the last one wins", dice="none",
    sides=("a", "b"), rows=1, columns=12, faces=1, max_moves=3, max_plies=12, position=Position,
    start=begin, moves=moves, play=play, outcome=outcome,
    format=lambda position, roll: f"{position.heap} {'ab'[position.mover]}",
    parse=parse,
    format_move=lambda position, move: str(move),
    cells=lambda position: [Cell("o" if number < position.heap else "", None) for number in range(12)],
    reason=lambda position: "last one",
    knowledge=Knowledge(evaluations={"modulo": lambda game: Evaluation("modulo", modulo)}),
)
'''


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    file = tmp_path / "nim.py"
    file.write_text(NIM)
    return file


def test_a_game_is_a_file(nim: Path) -> None:
    game = games.load(str(nim))
    check_laws(game, 3, 1)
    record = play_game(start(game), (make_player("random", game), make_player("random", game)), LIMITS)
    record.check()
    assert record.reason == "last one"
    assert sum(int(ply.text) for ply in record.plies) == 12


def test_evaluation_in_a_game_file(nim: Path) -> None:
    game = games.load(str(nim))
    assert evaluation_names(game) == ("modulo", "zero")
    values = [as_float(load_evaluation(game).value(parse(game, f"{heap} a").position)) for heap in range(1, 9)]
    assert values == [0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5, -0.5]


class ListPlayer(RemotePlayer):
    """A protocol of one message: the legal moves on a line; the answer is the chosen one."""

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        channel.send_line(" ".join(state.moves), deadline_in(REPLY))
        return Decision(read_move(state, channel.line(deadline_of(limit, self.watchdog)), self.name))


class ListEngine:
    """Its other side: takes the first of the moves."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._connection = connection

    def serve(self) -> None:
        while (line := self._connection.line()) is not None:
            self._connection.send(line.split()[0])


def test_a_protocol_is_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("ewn-3x3-3")
    with pytest.raises(GameError, match="there is no protocol 'mine'"):
        make_player("mine:cat", game)
    monkeypatch.setitem(PROTOCOLS, "mine", Protocol("mine", ListPlayer, ListEngine))
    engine = make_player("mine[depth=3]:sh -c 'while read first rest; do echo $first; done'", game)
    assert engine.limit == Limit(depth=3)
    record = play_game(start(game), (engine, make_player("random", game)), LIMITS, seed=4)
    engine.close()
    record.check()
    assert not record.forfeit, record.detail
    states = list(record.states())
    assert all(record.plies[ply].text == states[ply].moves[0] for ply in range(0, len(record.plies), 2))


class Knockout:
    """The loser of a meeting is eliminated; after a tie the first player advances."""

    fixed_sides = False

    def check(self, players: int, rounds: int) -> None:
        if players & (players - 1):
            raise GameError(f"a knockout is for 2, 4, 8, … players, not {players}")

    def stages(self, standings: Standings, rounds: int) -> Iterator[Stage]:
        left, number = list(range(len(standings.players))), 1
        while len(left) > 1:
            yield [(number, (left[place], left[place + 1])) for place in range(0, len(left), 2)]
            last = [played for played in standings.meetings if played.round == number]
            left = [p.first if p.points(p.first) >= p.points(p.second) else p.second for p in last]
            number += 1

    def meetings(self, players: int, rounds: int) -> int:
        return players - 1


def test_a_tournament_format_is_an_object(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(FORMATS, "knockout", Knockout())
    names = ("a", "b", "c", "d")
    with pytest.raises(GameError, match="not 3"):
        TournamentPlan("ewn-3x3-3", names[:3], "knockout", 1, 2)
    plan = TournamentPlan("ewn-3x3-3", names, "knockout", 1, 2, seed=5)
    with Store(tmp_path / "a.sqlite") as store:
        tournament = Tournament(plan, store)
        tournament.play(LiveRunner({name: RandomPlayer(name) for name in names}))
        first, second, final = tournament.standings.meetings
        assert [(played.round, played.first, played.second) for played in (first, second)] == [(1, 0, 1), (1, 2, 3)]
        assert final.round == 2
        assert final.first in (0, 1)
        assert final.second in (2, 3)
        for played, survivor in ((first, final.first), (second, final.second)):
            assert played.points(survivor) >= 2
        stored_plan, standings = stored_standings(store, tournament.id)
        assert stored_plan == plan
        assert standings.table() == tournament.standings.table()
        assert standings.rounds() == tournament.standings.rounds()
        assert sum(row["games"] for row in standings.table()) == 2 * 4 * FORMATS["knockout"].meetings(4, 1)


def least_visited(child: Child, log_parent: float, rules: Rules) -> float:
    return -child.visits


def most_played(child: Child, log_parent: float, rules: Rules) -> float:
    return child.amaf_visits


@pytest.mark.slow_compiled
@pytest.mark.plain
def test_a_selection_rule_is_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("ewn-3x3-3")
    position = game.start_position(0)

    def visits(rule: str) -> list[int]:
        result = monte_carlo(game, rule=rule, nodes=5000).run(position, 1, simulations=60)
        return sorted(branch.visits for branch in result.branches)

    before = visits("ucb")
    with pytest.raises(ValueError, match="rule: expected one of ucb, "):
        Settings(rule="least-visited")
    monkeypatch.setitem(RULES, "least-visited", Rule(least_visited))
    monkeypatch.setitem(RULES, "most-played", Rule(most_played, amaf=True))
    even = visits("least-visited")
    assert even[-1] - even[0] <= 1
    # A move that was played later in other simulations has a score before its first visit.
    assert visits("most-played")[-1] > even[-1]
    assert visits("ucb") == before


ENTERED = """
from starscout.players.player import Decision
from starscout.protocols.channel import deadline_in
from starscout.protocols.protocol import Protocol
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.search.mcts.selection import RULES, Rule


class ListPlayer(RemotePlayer):
    def _answer(self, channel, state, limit):
        channel.send_line(" ".join(state.moves), deadline_in(REPLY))
        return Decision(read_move(state, channel.line(deadline_in(REPLY)), self.name))


PROTOCOLS["mine"] = Protocol("mine", ListPlayer, engine=None)
RULES["best"] = Rule(lambda child, log_parent, rules: child.mean)
"""


def test_registrations_of_a_game_file_reach_workers(nim: Path, tmp_path: Path) -> None:
    nim.write_text(NIM + ENTERED)
    (tmp_path / "first").write_text("#!/bin/sh\nwhile read first rest; do echo $first; done\n")
    (tmp_path / "first").chmod(0o755)

    def played(first: str, second: str) -> dict:
        words = ["match", "./nim.py", first, second, "--pairs", "1", "--opening-plies", "0", "--luck", "off", "--json"]
        words += ["--workers", "1", "--store", ":memory:"]
        done = run_command(words, environment={"NUMBA_DISABLE_JIT": "1"}, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # With the evaluation, a search wins from either side against a player that always takes one.
    known = played("negascout depth=1", "mine:./first")
    assert (known["wins"], known["forfeits"]) == (2, {"A": {}, "B": {}})
    ruled = played("mcts rule=best simulations=20 nodes=1000", "mine:./first")
    assert (ruled["games"], ruled["forfeits"]) == (2, {"A": {}, "B": {}})


def test_documentation_counts_each_extension() -> None:
    page = (ROOT / "docs" / "games.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d) \| (.+?) \|$", page, re.MULTILINE)
    wanted = ("a game", "an evaluation", "a protocol", "a tournament format", "a selection rule")
    assert [name for name in wanted if not any(row[0].startswith(name) for row in rows)] == []
    assert {count for _, count, _ in rows} == {"1"}
    for name, path in (
        ("a protocol", "starscout/protocols/registry.py"),
        ("a tournament format", "starscout/arena/pairing.py"),
        ("a selection rule", "starscout/search/mcts/selection.py"),
    ):
        (where,) = [row[2] for row in rows if row[0].startswith(name)]
        assert f"`{path}`" in where
        assert (ROOT / path).is_file()
