"""Parser targets: games, positions, moves, players, records, plans and numbers."""

import contextlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import starscout
from starscout import games
from starscout.arena.director import StoppingRule, stopping_rule_from_json
from starscout.arena.luck import make_meter
from starscout.arena.plan import MatchPlan, plan_from_json
from starscout.arena.sprt import Sprt
from starscout.arena.tuning import parse_parameters
from starscout.game import Game, GameError, state
from starscout.game.state import State
from starscout.games.dark_chess.puzzle import parse_dark_puzzle
from starscout.games.puzzle import parse_puzzle
from starscout.players import spec
from starscout.protocols.process import is_program
from starscout.protocols.registry import ProgramOptions
from starscout.protocols.tcg_dark import board_line
from starscout.records.dark_boards import read_replay
from starscout.records.ewn_server import read_compact, read_server
from starscout.records.files import read_records, write_record
from starscout.records.ggf import read_ggf
from starscout.records.json_lines import read_json_lines
from starscout.records.mat import read_mat
from starscout.records.move_list import read_move_lists
from starscout.records.packed import SeatedGame, pack_games, unpack_games
from starscout.records.record import GameRecord, RecordError
from starscout.records.table import read_csv
from starscout.referee.game_in_progress import HUMAN, GameInProgress, play_game
from starscout.search.limits import Limit
from starscout.search.time_control import budget
from starscout.settings import options as numbers
from starscout.settings.options import parse_options, split_options
from tests.fuzzing.target import Target
from tests.fuzzing.texts import changed_json, mutated

NAMES = (*games.NAMES, "ewn-3x3-3", "othello-4x4")

OPENING = "(;GM[Othello]RE[?]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[F6/-1/2];)"

MAT = """ 0 point match

 Game 1
 gnubg : 0                      root : 0
  1)                             64: 24/18 18/14
  2) 61: 13/7 8/7                32: 14/11 13/11
  3) 66:                         55: 8/3 8/3 6/1 6/1
                                  Wins 1 point
"""

COMPACT = "RB ChessTotheCorner | E5 E4 D5 E3 D4 C5 A1 B1 A2 C1 B2 A3 | 1A1B1 1E5D4 6A3B4"


def targets() -> list[Target]:
    """Return the targets of all parsers."""
    games._load_file = _never_run(games._load_file)
    folder = tempfile.mkdtemp(dir=os.getcwd())
    found = [
        target("game-names", GAME_NAMES, lambda text: _check_game(games.load(text)), 40),
        target("found-games", GAME_NAMES, lambda text: _check_game(games.find(text)), 60),
        target("whole-numbers", NUMBERS, _check_whole, 150),
        target("decimal-numbers", NUMBERS, _check_decimal, 150),
        target("parameters", PARAMETERS, _check_parameters, 120),
        target("puzzles", PUZZLES, lambda text: _done(parse_puzzle(text)), 80),
        target("dark-puzzles", DARK_PUZZLES, lambda text: _done(parse_dark_puzzle(text)), 80),
        target("program-options", PROGRAM_OPTIONS, _check_program_options, 10),
        target("program-names", PROGRAMS, lambda text: _done(is_program(text)), 60),
        target("luck-meters", METERS, _check_meter, 20),
        target("stopping-rules", _stopping_rules(), _check_stopping_rule, 30, make=changed_json),
        target("plans", _plans(), _check_plan, 30, make=changed_json),
        target("stored-games", _stored(), _check_stored, 3, make=changed_json),
        target("server-records", _written("server", "ewn"), _reads(read_server), 2),
        target("compact-records", [COMPACT, f"# {COMPACT}\n\n{COMPACT}"], _reads(read_compact), 15),
        target("ggf-records", [*_written("ggf", "othello-4x4"), OPENING], _reads(read_ggf), 2),
        target("mat-records", [MAT, *_written("mat", "backgammon-dmp")], _reads(read_mat), 1),
        target("board-replays", [_board_replay()], _reads(read_replay), 1),
        target("tables-of-games", [_table()], _reads(read_csv), 2),
        target("move-lists", ["f5d6c3d3c4f4", "f5 d6 c3", "F5-D6-C3--", "f5,f6,e6,f4,pa"], _reads(read_move_lists), 2),
        target("json-records", _written("json", "ewn-3x3-3", "kari", "othello-4x4"), _reads(read_json_lines), 2),
        target("json-values", _adjourned(), _reads(read_json_lines), 6, make=changed_json),
        target("record-files", _every_record(), _reads_file(Path(folder) / "records"), 1),
    ]
    for name in NAMES:
        rules = games.load(name)
        dear = 2 if name.startswith("othello") else 1
        found += [
            target(f"positions-{name}", _positions(rules), _parses(name), 8 // dear),
            target(f"moves-{name}", _moves(rules), _plays(rules), 8 // dear),
            target(f"players-{name}", SPECS, _describes(rules), 6),
        ]
    game = GameInProgress(state.start(games.load("kari")), (None, None), seed=1)
    return [*found, target("typed-moves", ["1", "12", "A1B1", "pass"], lambda text: _typed(game, text), 8)]


def _never_run(load: Callable[[str], Game]) -> Callable[[str], Game]:
    """Wrap the loader of game files so that an existing file is never run."""

    def load_nothing(path: str) -> Game:
        if os.path.isfile(path):
            raise GameError(f"{path}: the fuzzer does not run files")
        return load(path)

    return load_nothing


def target(
    name: str,
    texts: Sequence[str],
    feed: Callable[[str], None],
    share: int = 10,
    make: Callable[[Random, Sequence[str]], str] = mutated,
) -> Target:
    """Return a target whose inputs are mutated texts."""
    return Target(name, lambda generator: make(generator, texts), feed, (GameError,), share)


GAME_NAMES = [
    *NAMES, *("ewn-5x5-6", "ewn-7x7-6", "ewn-2x2-1", "othello-6x6", "othello-8x8", "ewn-9x9-9", "chess", ""),
    *("./nowhere.py", "/nowhere/game.py", "~/game.py", "game.py", "../x", "/\0"),
]  # fmt: skip
NUMBERS = ["0", "1", "-4", "17", "999999999999999999", "0.5", "-1.25e3", "+3.", ".5", "1e300", "1 2", "12 -3.5"]
PARAMETERS = ["c=1.2:0.2:3", "depth=2:1:4", "a=1:0:2,b=-3:-5:1e3", "x-y=0.5:0:1, z=1:1:2"]
DARK_PUZZLES = ["2c3n1/4R3/7p/1r4n1 b", "DrprprDD/DDD1DDDD/2K1N3/8 b", "8/8/8/7K b"]
PUZZLES = ["3 3 1 0 0 0 2 0 0 0 0 3 1 2 3 1", "1 1 1 1 1 0", "2 4\n1 0 0 2\n0 3 0 0\n6\n1 2 3 4 5 6\n0"]
PROGRAM_OPTIONS = [
    "time=0.5", "clock=60 increment=0.1", "depth=4 nodes=1000", "simulations=100", "cwd=.", "cwd=~",
    "cwd=/tmp version=2", "files=a,b", "version=x time=1e3",
]  # fmt: skip
PROGRAMS = ["./engine", "engine --fast", "sh", "/bin/sh", "lab:./engine", "random", "negascout depth=3", "~/engine"]
METERS = ["eval=distance depth=1", "depth=2", "eval=race", "eval=determinacy depth=4", ""]
SPECS = [
    "random", "negascout", "negascout depth=3 eval=distance", "negascout star=2.5 probes=3 scout=on store=chance",
    "negascout eval=distance:2:1+determinacy table=12 threads=2 merge=off order=off", "negascout nodes=1000 time=0.5",
    "mcts", "mcts simulations=100 rule=rave k=300.5 schedule=hand", "mcts rule=ucb-variance c=0.5 c1=1 c2=0.25 fpu=1.5",
    "mcts prune=deviation rd=1.5 sigma=0.4 trials=9 period=99", "mcts expand=all total=12 leaf=2 nodes=5000 threads=2",
    "mcts playout=decisive cutoff=8 eval=zero chance=enumerated reuse=off fastmath=on precision=32", "strong", "hard",
    "easy depth=2", "lab:sh", "lab[time=0.5]:sh -c true", "nboard[depth=4 cwd=.]:sh", "tcg-ewn:sh", "tcg-raw:sh",
    "otp:sh", "lab:./engine 'one word'", "cyclic-baseline depth=2", "kari-baseline style=greedy", "mcts eval=race",
]  # fmt: skip


def _done(value: object) -> None:
    assert value is not None


def _check_game(game: Game) -> None:
    assert any(game.name.split("-")[0] == name.split("-")[0] for name in games.NAMES)


def _check_whole(text: str) -> None:
    number = numbers.read_whole(text, -(10**18))
    if number is None:
        raise GameError("no whole number")
    assert abs(number) < 10**18
    assert text.isascii()


def _check_decimal(text: str) -> None:
    number = numbers.read_decimal(text)
    if number is None:
        raise GameError("no decimal number")
    assert abs(number) < float("inf")
    assert text.isascii()


def _check_parameters(text: str) -> None:
    for parameter in parse_parameters(text):
        start = parameter.fraction(parameter.start)
        assert 0 <= start <= 1
        assert parameter.low <= parameter.value(start) <= parameter.high or not parameter.whole


def _check_program_options(text: str) -> None:
    options = parse_options(ProgramOptions, split_options(text.split()), "lab")
    budget(options.limit, 10.0)
    assert str(options.limit) is not None
    options.check_command("sh")


def _check_meter(text: str) -> None:
    assert make_meter(games.load("ewn-3x3-3"), text).text


def _stopping_rules() -> list[str]:
    found = [StoppingRule(10), StoppingRule(5, games=9), StoppingRule(100, Sprt(0.0, 5.0), adjusted=True)]
    return [json.dumps(rule.to_json()) for rule in found]


def _check_stopping_rule(text: str) -> None:
    with _as_game_error(ValueError, RecursionError):
        value = json.loads(text)
    assert stopping_rule_from_json(value).pairs >= 1


def _plans() -> list[str]:
    limit = Limit(time=0.1, depth=3)
    return [MatchPlan("ewn", "random", "negascout depth=2", limit, 7).to_json(), MatchPlan("kari", "a", "b").to_json()]


def _check_plan(text: str) -> None:
    plan = plan_from_json(text)
    assert plan_from_json(plan.to_json()) == plan


def _records(*names: str) -> list[GameRecord]:
    found = []
    for name in names:
        rules = games.load(name)
        players = spec.make_player("random", rules), spec.make_player("random", rules)
        found += [play_game(state.start(rules, seed), players, (Limit(), Limit()), seed=seed) for seed in (1, 2)]
    return found


def _written(form: str, *names: str) -> list[str]:
    return [write_record(record, form) for record in _records(*names)]


def _every_record() -> list[str]:
    forms = ("json", "ewn-3x3-3"), ("server", "ewn"), ("ggf", "othello-4x4")
    return [COMPACT, "f5d6c3", *(text for form, name in forms for text in _written(form, name))]


def _board_replay() -> str:
    """A game of dark chess as the online client writes it."""
    generator, reached = Random(3), state.start(games.load("dark-chess"))
    boards = [board_line(reached)]
    while not reached.over and len(boards) < 30:
        reached = reached.play(generator.choice(reached.moves))
        reached = reached.rolled(generator) if reached.needs_roll and not reached.over else reached
        boards.append(board_line(reached))
    return json.dumps({"players": {"Red": {"username": "anna"}, "Black": {"username": "bert"}}, "boards": boards})


def _table() -> str:
    """Games as `starscout results --export` writes them."""
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        file = Path(folder, "games.csv")
        fixed: dict[str, Any] = {"store": ":memory:", "luck": "off", "progress": False, "workers": 0}
        starscout.match("ewn-3x3-3", "random", "random", pairs=1, seed=3, **fixed).export(file)
        return file.read_text(encoding="utf-8")


def _adjourned() -> list[str]:
    rules = games.load("ewn-3x3-3")
    game = GameInProgress(state.start(rules, 5), (None, spec.make_player("random", rules)), seed=5)
    game.begin()
    game.submit_text("1")
    game.play_turn()
    return [write_record(game.record(), "json"), *_written("json", "ewn-3x3-3")]


def _stored() -> list[str]:
    found = []
    for name in ("ewn-3x3-3", "kari"):
        content, times = pack_games([SeatedGame(record, 0) for record in _records(name)[:1]])
        read = [json.loads(zlib.decompress(part)) for part in (content, times)]
        found.append(json.dumps([name, *read]))
    return found


def _check_stored(text: str) -> None:
    with _as_game_error(ValueError, RecursionError, TypeError):
        name, content, times = json.loads(text)
        packed = [zlib.compress(json.dumps(part).encode()) for part in (content, times)]
    if isinstance(name, str):
        unpack_games(packed[0], packed[1], name, ("a", "b"), 1, 0)


def _reads(read: Callable[[str], Iterator[GameRecord | RecordError]]) -> Callable[[str], None]:
    def feed(text: str) -> None:
        # Files contain no lone surrogates.
        _check_records(read(text.encode("utf-8", "replace").decode()))

    return feed


def _reads_file(path: Path) -> Callable[[str], None]:
    def feed(text: str) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        _check_records(read_records(path))

    return feed


def _check_records(found: Iterator[GameRecord | RecordError]) -> None:
    """Check that accepted records are legal and survive writing, packing and reading."""
    records = list(found)
    for record in records:
        if isinstance(record, RecordError):
            str(record).encode("utf-8", "backslashreplace")
            continue
        record.check()
        write_record(record, "text").encode()
        pack_games([SeatedGame(record, 0)])
        (again,) = read_json_lines(write_record(record, "json"))
        assert isinstance(again, GameRecord), again
        assert [ply[:3] for ply in again.plies] == [ply[:3] for ply in record.plies]
        for form, family in (("ggf", "othello"), ("server", "ewn")):
            if record.game == family:
                write_record(record, form).encode()
        if HUMAN in record.players and record.reason == "adjourned":
            with contextlib.suppress(GameError):
                GameInProgress.resume(record, spec.make_player("random", games.load(record.game)))
    for record in records:
        if isinstance(record, RecordError):
            raise record


def _positions(game: Game) -> list[str]:
    found, generator = [], Random(3)
    for seed in (0, 1, 2):
        now = state.start(game, seed)
        while not now.over:
            found.append(now.text)
            now = now.rolled(generator)
            found.append(now.text)
            now = now.play(generator.choice(now.moves))
        found.append(now.text)
    return found


def _parses(name: str) -> Callable[[str], None]:
    def feed(text: str) -> None:
        now = starscout.parse(name, text)
        assert state.parse(now.game, now.text) == now
        if not now.needs_roll:
            assert now.moves or now.over

    return feed


def _moves(game: Game) -> list[str]:
    now = state.start(game).rolled(2)
    return [*now.moves, "A1B2", "a1-b2", "A1xB2", "A2 B3", "pass", "pa", "??", "--", "f5"]


def _plays(game: Game) -> Callable[[str], None]:
    now = state.start(game).rolled(2)

    def feed(text: str) -> None:
        move = now.parse_move(text)
        assert now.play(text) == now.play(move) != now

    return feed


def _describes(game: Game) -> Callable[[str], None]:
    def feed(text: str) -> None:
        described = spec.describe(text, game)
        assert described.threads >= 1
        assert str(described.limit) is not None
        budget(described.limit, 10.0)

    return feed


def _typed(game: GameInProgress, text: str) -> None:
    before: State = game.state
    game.submit_text(text)
    assert game.state != before
    game.take_back()


@contextlib.contextmanager
def _as_game_error(*errors: type[Exception]) -> Iterator[None]:
    """Treat errors in the wrapper of an input, not in its content, as a refusal."""
    try:
        yield
    except errors as error:
        raise GameError(str(error)) from error
