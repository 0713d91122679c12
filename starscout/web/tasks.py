"""The tasks of the engine process: moves of opponents, analyses, solutions, trees, reviews and the store."""

import contextlib
import os
import pickle
import signal
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from starscout import games
from starscout.api.analyse import analyse, analyse_in_steps
from starscout.api.players import player
from starscout.api.review import exact_scores, leads, review
from starscout.api.solve import solve
from starscout.arena.pair import PairRecord
from starscout.arena.store import Store, StoredMatch
from starscout.drawing.svg import side_colours
from starscout.evaluation import load_evaluation
from starscout.game import Game, GameError
from starscout.game.state import State, parse
from starscout.players.player import Decision, PlayerError
from starscout.players.spec import default_player, describe, make_player
from starscout.records.files import read_records_of
from starscout.records.record import GameRecord, RecordError
from starscout.referee.game_in_progress import Answer, GameInProgress
from starscout.search.limits import Limit
from starscout.search.trace import trace_search
from starscout.web.store_views import StoreViews
from starscout.web.worker import HEADER, Context, Seat, StoppedError, Task, Worker

HASH_BITS = ((0.5, 14), (2.0, 16), (float("inf"), 18))
"""Maximum seconds per move → maximum size of the transposition table in bits (1, 4 and 16 MB)."""
SLOT_BYTES = 64
OPPONENT_BYTES = 16 << 20
"""Assumed size of an opponent without a transposition table."""
MAX_OPPONENT_BYTES = 768 << 20
"""Memory for opponents; the least recently used ones are closed beyond that, and created again when they move."""
HINT_SECONDS, EXPLAIN_SECONDS, SOLVE_SECONDS = 1.0, 0.5, 20.0
MAX_GAMES = 200
"""Maximum number of games listed from one uploaded file."""


def with_hash_size(spec: str, game: Game, seconds: float) -> str:
    """The player with a transposition table no larger than it can fill within the time limit."""
    table = getattr(describe(spec, game, check=False).options, "table", 0)
    most = next(bits for longest, bits in HASH_BITS if seconds <= longest)
    return spec if table <= most else f"{spec} table={most}"


class _Opponent:
    """A player with its own copy of the game, which follows the game of a table."""

    def __init__(self, seat: Seat) -> None:
        self.rules, self.seat = games.find(seat.game), seat
        spec = with_hash_size(seat.spec, self.rules, seat.seconds)
        bits = getattr(describe(spec, self.rules, check=False).options, "table", 0)
        self.bytes = SLOT_BYTES << bits if bits else OPPONENT_BYTES
        self.player = make_player(spec, self.rules, name=seat.spec, hosted=True)
        self.lock = threading.Lock()
        self.game = self._begun()

    def _begun(self) -> GameInProgress:
        seat = self.seat
        seats = (None, self.player) if seat.side == 0 else (self.player, None)
        game = GameInProgress(parse(self.rules, seat.start), seats, seat.limits, seed=seat.seed)
        game.begin()
        self.check(game)
        return game

    def check(self, game: GameInProgress) -> None:
        """Raise the failure of the player as PlayerError."""
        if game.outcome is not None and game.detail:
            raise PlayerError(game.outcome.reason, game.detail)

    def follow(self, moves: Sequence[int], left: Sequence[float | None]) -> None:
        """Bring the copy to the position after these moves, with this time left on the clocks."""
        played = [ply.move for ply in self.game.plies]
        if played != list(moves[: len(played)]):
            self.game, played = self._begun(), []
        for move in moves[len(played) :]:
            self.game.submit(Decision(move))
            self.check(self.game)
        for clock, seconds in zip(self.game.clocks, left, strict=True):
            clock.left = seconds


class Opponents:
    """The opponents of the tables, within a budget of memory."""

    def __init__(self) -> None:
        self._opponents: OrderedDict[str, _Opponent] = OrderedDict()
        self._lock = threading.Lock()

    def prepare(self, context: Context, seat: Seat) -> None:
        """Create the opponent of a table; raises PlayerError."""
        self._opponent(seat)

    def choose(
        self, context: Context, seat: Seat, moves: Sequence[int], left: Sequence[float | None], level: Limit
    ) -> Answer:
        """The opponent's decision after these moves; raises PlayerError."""
        opponent = self._opponent(seat)
        with opponent.lock:
            if context.stopped:
                raise StoppedError
            opponent.follow(moves, left)
            return opponent.game.think(level)

    def _opponent(self, seat: Seat) -> _Opponent:
        with self._lock:
            found = self._opponents.get(seat.table)
            if found is not None:
                self._opponents.move_to_end(seat.table)
        if found is not None and found.seat == seat:
            return found
        made = _Opponent(seat)
        with self._lock:
            self._opponents[seat.table] = made
            unused = self._beyond_budget()
        for opponent in [*unused, *([] if found is None else [found])]:
            opponent.player.close()
        return made

    def _beyond_budget(self) -> list[_Opponent]:
        """Remove the least recently used opponents that are not thinking until the others fit."""
        unused: list[_Opponent] = []
        total = sum(opponent.bytes for opponent in self._opponents.values())
        for table, opponent in list(self._opponents.items())[:-1]:
            if total <= MAX_OPPONENT_BYTES:
                break
            if not opponent.lock.locked():
                total -= opponent.bytes
                unused.append(self._opponents.pop(table))
        return unused

    def release(self, context: Context, table: str) -> None:
        """Close the opponent of a table."""
        with self._lock:
            opponent = self._opponents.pop(table, None)
        if opponent is not None:
            with opponent.lock:
                opponent.player.close()


def load(context: Context, game: str, spec: str) -> None:
    """Load or compile the kernels of a player."""
    rules = games.find(game)
    searcher = make_player(with_hash_size(spec, rules, 0.0), rules)
    try:
        searcher.new_game(rules, 0)
    finally:
        searcher.close()


def analyse_steps(context: Context, game: str, position: str, spec: str, steps: list[float]) -> None:
    """Analyse a position in steps; sends each intermediate result."""
    state = _state(game, position)
    for number, analysis in enumerate(analyse_in_steps(state, with_hash_size(spec, state.game, sum(steps)), steps), 1):
        if context.stopped:
            return
        line = list(analysis.pv or ((analysis.best,) if analysis.best is not None else ()))
        context.progress({**analysis.json(complete=True), "line": line, "done": number == len(steps)})


def hint(context: Context, game: str, position: str) -> dict[str, Any]:
    """The move of the game's default player."""
    analysis = analyse(_state(game, position), time=HINT_SECONDS)
    return {"move": analysis.best, "wins": analysis.win_probability}


def explain_move(context: Context, game: str, position: str, played: str) -> dict[str, Any]:
    """The best line of a position, the value of every move, and the best reply to the move that was played."""
    state = _state(game, position)
    best = analyse(state, time=EXPLAIN_SECONDS)
    after = state.play(played)
    found: dict[str, Any] = {
        "best": {"line": list(best.pv or [best.best]), "wins": best.win_probability},
        "moves": [{"move": move.move, "value": move.value} for move in best.moves],
        "played": {"line": [played], "wins": None, "rolls": []},
    }
    if not after.over and not context.stopped:
        reply = analyse(after, time=EXPLAIN_SECONDS)
        wins = reply.win_probability
        if wins is not None and after.mover != state.mover:
            wins = 1.0 - wins
        line = list(reply.pv or ([reply.best] if reply.best is not None else []))
        found["played"] = {"line": [played, *line], "wins": wins, "rolls": reply.json(complete=True).get("rolls") or []}
    return found


def solve_position(context: Context, game: str, position: str) -> dict[str, Any]:
    """The exact value of a position, if it is found in time."""
    solution = solve(_state(game, position), time=SOLVE_SECONDS, progress=False)
    return {**solution.json(), "depth": solution.depth}


def alpha_beta_tree(context: Context, game: str, position: str, depth: int) -> dict[str, Any]:
    """The tree of an alpha-beta search."""
    state = _state(game, position)
    return asdict(trace_search(state.game, load_evaluation(state.game), state.position, state.roll, depth))


def sampled_tree(context: Context, game: str, position: str, spec: str, depth: int, simulations: int) -> dict[str, Any]:
    """The tree of a Monte-Carlo search."""
    state = _state(game, position)
    searcher = player(spec, state.game)
    try:
        searcher.new_game(state.game, 0)
        searcher.choose(state, Limit(simulations=simulations))
        return searcher.tree(depth)
    finally:
        searcher.close()


def _state(game: str, position: str) -> State:
    return parse(games.find(game), position)


# Records.


def read_text(context: Context, text: str) -> list[GameRecord | str]:
    """The games of an uploaded file, with an error message in place of an invalid one; raises GameError."""
    found: list[GameRecord | str] = []
    for record in read_records_of(text, "the uploaded file"):
        if context.stopped or len(found) == MAX_GAMES:
            break
        found.append(str(record) if isinstance(record, RecordError) else record)
    return found


def review_record(context: Context, record: GameRecord) -> dict[str, Any]:
    """The review of a game by the luck meter, with what the page needs to show it."""
    return _reviewed(record, None)


def judge_record(context: Context, record: GameRecord) -> dict[str, Any]:
    """The review of a game with losses judged by the game's default player, and exact scores."""
    judged = _reviewed(record, default_player(games.find(record.game)))
    return judged | {"exact": exact_scores(record, lambda: context.stopped)}


def _reviewed(record: GameRecord, judge: str | None) -> dict[str, Any]:
    """It names the plies `moves`, as the page does everywhere."""
    game = games.find(record.game)
    return review(record, judge).json() | {
        "title": game.title, "sides": list(game.sides), "dice": game.has_chance, "plies": len(record.plies),
        "positions": [state.text for state in record.states()], "leads": leads(record),
        "colours": [side_colours(game, side)[0] for side in (0, 1)],
    }  # fmt: skip


def stored_record(path: str, match: int, pair: int, half: int) -> GameRecord:
    """A game of a match in the store; raises GameError."""
    with Store(path) as store:
        plan = store.match(match).plan
        record = next(iter(store.pairs(match, pair)), None)
        if record is not None and record.pair == pair and half < len(record.scores):
            return record.games(plan.game, (plan.first, plan.second), plan.seed)[half].record
    raise GameError(
        f"match {match}: no game {half} in pair {pair}",
        code="unknown_stored_game", match=match, pair=pair, game=half,
    )  # fmt: skip


@dataclass(frozen=True)
class GameFilter:
    """Which games to list: of a game, with a player whose name contains a text, through a position; empty: all."""

    game: str = ""
    player: str = ""
    position: str = ""

    def accepts(self, game: str, players: Sequence[str]) -> bool:
        """Whether a game with these players may be listed."""
        wanted = self.player.casefold()
        return self.game in ("", game) and any(wanted in name.casefold() for name in players)

    def passes(self, record: GameRecord) -> bool:
        """Whether a game passes through the position; an event in it need not be the same."""
        if not self.position:
            return True
        wanted = parse(games.find(record.game), self.position).before_event.text
        return any(state.before_event.text == wanted for state in record.states())


def stored_games(context: Context, path: str, wanted: GameFilter, limit: int) -> list[dict[str, Any]]:
    """The games of the store that a filter accepts, of the newest matches first."""
    rows: list[dict[str, Any]] = []
    with Store(path) as store:
        for match in reversed(store.matches()):
            plan = match.plan
            if not wanted.accepts(plan.game, (plan.first, plan.second)):
                continue
            for pair in store.counted_pairs(match):
                if context.stopped or len(rows) >= limit:
                    return rows
                rows += _rows_of(pair, match, wanted)
    return rows[:limit]


def _rows_of(pair: PairRecord, match: StoredMatch, wanted: GameFilter) -> list[dict[str, Any]]:
    plan, rows = match.plan, []
    try:
        played = pair.games(plan.game, (plan.first, plan.second), plan.seed)
    except GameError:
        # A game file that this process has not loaded cannot be replayed.
        return []
    for half, (game, annotation) in enumerate(zip(played, pair.annotations(), strict=True)):
        record = game.record
        if not wanted.passes(record):
            continue
        losses = [] if annotation is None else [pair.in_probability(loss) for loss in annotation.loss]
        lucks = [] if annotation is None else [pair.in_probability(luck) for luck in annotation.luck]
        luck = sum(luck * (1 - 2 * side) for luck, side in zip(lucks, record.movers(), strict=False))
        rows.append(
            game_row(f"match/{match.id}/{pair.pair}/{half}", match.created, record)
            | {"luck": luck if any(lucks) else None, "loss": max(losses, default=None)}
        )
    return rows


def game_row(key: str, date: float, record: GameRecord) -> dict[str, Any]:
    """A game in a list."""
    return {
        "key": key, "date": date, "game": record.game, "players": list(record.players), "winner": record.winner,
        "reason": record.reason, "plies": len(record.plies), "luck": None, "loss": None,
    }  # fmt: skip


def make_tasks(store: str) -> dict[str, Task]:
    """The tasks by name, for a store."""
    opponents, views = Opponents(), StoreViews(store)
    return {
        "prepare": opponents.prepare,
        "choose": opponents.choose,
        "release": opponents.release,
        "load": load,
        "analyse": analyse_steps,
        "hint": hint,
        "explain": explain_move,
        "solve": solve_position,
        "alpha-beta-tree": alpha_beta_tree,
        "sampled-tree": sampled_tree,
        "read": read_text,
        "review": review_record,
        "judge": judge_record,
        "view": lambda context, key: views.view(key),
        "keys": lambda context: views.keys_by_seed(),
        "games": lambda context, wanted, limit: stored_games(context, store, wanted, limit),
        "stored": lambda context, *numbers: stored_record(store, *numbers),
    }


# The process.


def write_frame(stream: BinaryIO, message: tuple[Any, ...]) -> None:
    """Write a message with its length."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def _read_frame(stream: BinaryIO) -> tuple[Any, ...] | None:
    head = stream.read(HEADER.size)
    if len(head) < HEADER.size:
        return None
    return pickle.loads(stream.read(HEADER.unpack(head)[0]))


def main(store: str, *files: str) -> None:
    """Serve tasks over standard input and output until the input ends; `files` are game files."""
    # Ctrl-C in a terminal reaches this process, too; the server closes the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Code of users may print.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for file in files:
        games.load(file)
    lock = threading.Lock()

    def send(message: tuple[Any, ...]) -> None:
        with lock, contextlib.suppress(BrokenPipeError):
            write_frame(answers, message)

    worker = Worker(make_tasks(store), send)
    while (message := _read_frame(requests)) is not None:
        worker.receive(message)
    # Threads may be busy in kernels or in the compiler; nothing has to be saved.
    os._exit(0)
