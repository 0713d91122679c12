"""File targets: players files, experiments, weights, stores and endgame tables.

Inputs are texts; a character below 256 is a byte of a binary file.
"""

import lzma
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import starscout
from starscout import games
from starscout.api.tournament import read_players
from starscout.arena.batch import play_pair
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan, stored_standings
from starscout.arena.tuning import stored_tuning
from starscout.arena.workers import SameProcessRunner
from starscout.evaluation import knowledge_of
from starscout.evaluation.learned import file_evaluation
from starscout.evaluation.weights import read_learned
from starscout.experiments.experiment import FOLDER, parse_experiment
from starscout.game import GameError, WorkError
from starscout.game.values import ONE
from starscout.games.ewn import endgame_table
from starscout.views.store import store_view
from tests.fuzzing.target import Target
from tests.fuzzing.texts import mutated

PLAYERS = [
    "name,command\nAnna,random\nJörg,negascout depth=2\n",
    "name;command;folder\nA;lab:./agent;.\nB;random;\n",
    'name,command\n"Li, Wei",lab:sh\n"x""y",python:./agent.py:Agent\n',
    "\ufeffname\tcommand\nA\tmcts simulations=10\nB\teasy\n",
]


def targets() -> list[Target]:
    """Return the targets of all files."""
    folder = Path(tempfile.mkdtemp(dir=os.getcwd()))
    experiments = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.toml"))]
    return [
        Target("players-files", lambda g: mutated(g, PLAYERS), _reads_players(folder / "players.csv"), (GameError,), 4),
        Target("experiments", lambda g: mutated(g, experiments), _reads_experiment, (GameError,), 1),
        _binary("weights", [_weights()], _reads_weights(folder / "bad.weights", packed=True), 4),
        _binary("weights-content", [_weights_content()], _reads_weights(folder / "bad.weights", packed=False), 4),
        _binary("stores", [_store(folder / "good.sqlite")], _reads_store(folder / "bad.sqlite"), 1),
        _binary("table-files", [_table(folder)], _reads_table(), 2),
    ]


def damaged(generator: Random, contents: Sequence[bytes]) -> str:
    """Return a file with flipped bits, changed bytes, or parts cut out or repeated."""
    content = bytearray(contents[int(generator.random() * len(contents))])
    for _ in range(1 + int(generator.random() ** 3 * 12)):
        place = int(generator.random() * len(content)) if content else 0
        width = 1 + int(generator.random() ** 4 * 200)
        kind = generator.random()
        if kind < 0.4 and content:
            content[place] ^= 1 << int(generator.random() * 8)
        elif kind < 0.6 and content:
            content[place] = generator.choice((0, 1, 127, 128, 255))
        elif kind < 0.7:
            content[place : place + width] = generator.randbytes(width)
        elif kind < 0.8:
            del content[place : place + width]
        elif kind < 0.9:
            content[place:place] = content[place : place + width]
        elif kind < 0.93:
            del content[place:]
    return content.decode("latin-1")


def _binary(name: str, contents: Sequence[bytes], feed: Callable[[bytes], None], share: int) -> Target:
    def feed_text(text: str) -> None:
        feed(text.encode("latin-1", "replace"))

    return Target(name, lambda generator: damaged(generator, contents), feed_text, (GameError, WorkError), share)


def _reads_players(path: Path) -> Callable[[str], None]:
    game = games.load("ewn-3x3-3")

    def feed(text: str) -> None:
        encoding = ("utf-8", "utf-16", "latin-1")[len(text) % 3]
        path.write_bytes(text.encode(encoding, "surrogatepass" if encoding != "latin-1" else "replace"))
        skipped: list[str] = []
        names, specs = read_players(path, game, skip_broken=len(text) % 2 == 0, report=skipped.append)
        assert len(set(names)) == len(names) == len(specs)
        assert all(name.isprintable() for name in names)

    return feed


def _reads_experiment(text: str) -> None:
    experiment = parse_experiment(text, Path("mine.toml"))
    identity, description = experiment.description()
    assert identity
    assert description["name"] == "mine"


def _weights() -> bytes:
    return (Path(starscout.__file__).parent / "games" / "kari" / "kari.weights").read_bytes()


def _weights_content() -> bytes:
    """The weights with their arrays unpacked, so that damage reaches them."""
    first, header, packed = _weights().split(b"\n", 2)
    return b"\n".join((first, header, lzma.decompress(packed)))


def _reads_weights(path: Path, *, packed: bool) -> Callable[[bytes], None]:
    game = games.load("kari")

    def feed(content: bytes) -> None:
        if not packed:
            *lines, arrays = content.split(b"\n", 2)
            content = b"\n".join((*lines, zlib.compress(arrays, 0)))
        path.write_bytes(content)
        weights = read_learned(path)
        assert all(isinstance(name, str) for name in weights.arrays)
        evaluation = file_evaluation(game, knowledge_of(game), path, "mine", None)
        assert -ONE <= evaluation.evaluate(game.start_position(0), evaluation.weights) <= ONE

    return feed


def _store(path: Path) -> bytes:
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=7)
    with Store(path) as store:
        match = MatchRun(store, plan, StoppingRule(3))
        store.add(match.id, [play_pair(plan, pair) for pair in range(3)], 0.5)
        store.finish(match.id, 3)
        tournament = TournamentPlan("ewn-3x3-3", ("random", "random"), "round robin", 1, 1)
        Tournament(tournament, store).play(SameProcessRunner())
        store.open_experiment("one", {"name": "mine", "question": "?"})
    return path.read_bytes()


def _reads_store(path: Path) -> Callable[[bytes], None]:
    def feed(content: bytes) -> None:
        for file in (path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            file.unlink(missing_ok=True)
        path.write_bytes(content)
        with Store(path) as store:
            lost = store.unreadable()
            store_view(store)
            points = {match.id: _points(store, match.id) for match in store.matches()}
            for number, *_ in store.tournaments():
                stored_standings(store, number)[1].table()
            for number, *_ in store.tunings():
                stored_tuning(store, number)
            # The undamaged store has these points: any change must be detected.
            assert lost or len(points) == 2
            assert lost or store.scores() == {number: sum(found) / len(found) for number, found in points.items()}

    return feed


def _points(store: Store, number: int) -> list[float]:
    match = store.match(number)
    records = list(store.counted_pairs(match))
    for record in records:
        record.games(match.plan.game, ("a", "b"), match.plan.seed)
        assert len(record.details()) == len(record.annotations()) == len(record.move_times())
    return [score for record in records for score in record.scores]


def _table(folder: Path) -> bytes:
    endgame_table.table_path = lambda game, cubes: folder / f"{game.name}-{cubes}.table"
    game = games.load("ewn-3x3-3")
    for _ in endgame_table.build_table(game, 2):
        pass
    return endgame_table.table_path(game, 2).read_bytes()


def _reads_table() -> Callable[[bytes], None]:
    game = games.load("ewn-3x3-3")
    position = game.parse("1../.../..a r -")[0]

    def feed(content: bytes) -> None:
        endgame_table.table_path(game, 2).write_bytes(content)
        table = endgame_table.open_table(game, 2, thorough=len(content) % 2 == 0)
        if table is None:
            raise GameError("damaged")
        assert -1 <= table.value(position) <= 1

    return feed
