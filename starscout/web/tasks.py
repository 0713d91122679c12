"""The tasks of the engine process: moves of opponents, analyses, solutions, trees, reviews and the store."""

import contextlib
import os
import pickle
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, BinaryIO

from starscout import games
from starscout.api.analyse import analyse, analyse_in_steps
from starscout.api.players import player
from starscout.api.review import exact_scores, leads, review
from starscout.api.solve import SolveResult, solve
from starscout.arena.store import Store
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
from starscout.web.board import colours_of
from starscout.web.listing import passing_games, stored_games
from starscout.web.puzzle_search import find_puzzles
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
GROWTH, MAX_CHILDREN = 1.5, 40
"""Factor between two stages of a growing tree, and the maximum number of children of a node that a page gets."""
UNSOLVED_SECONDS = 1.0
"""Maximum time for each further move after one that could not be solved."""
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


def analyse_steps(context: Context, game: str, position: str, spec: str, steps: list[float], lines: int) -> None:
    """Analyse a position in steps; sends each intermediate result."""
    state = _state(game, position)
    spec = with_hash_size(spec, state.game, sum(steps))
    for number, analysis in enumerate(analyse_in_steps(state, spec, steps, lines), 1):
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
    """The exact value of a position, if it is found in time; sends the value of each move as soon as it is known."""
    state = _state(game, position)
    if state.needs_roll:
        return _exact(solve(state, time=SOLVE_SECONDS, progress=False), 1)
    known: list[dict[str, Any]] = []
    left, share, depth = SOLVE_SECONDS, SOLVE_SECONDS / len(state.legal), 0
    for text in state.moves:
        if context.stopped or left <= 0:
            break
        began, after = time.monotonic(), state.play(text)
        solution = solve(after, time=min(share, left), progress=False)
        left -= time.monotonic() - began
        if solution.value is None:
            # Moves of one position are about equally difficult.
            share, depth = min(share, UNSOLVED_SECONDS), max(depth, solution.depth)
            continue
        found = _exact(solution, 1 if after.mover == state.mover else -1) | {"best": text}
        context.progress({"move": text, "points": state.game.points, **found})
        known.append(found)
    if not known:
        return {"value": None, "score": None, "error": 0.0, "best": None, "depth": depth}
    best = max(known, key=lambda found: found["value"] if found["score"] is None else found["score"])
    return best | {"error": max(found["error"] for found in known)}


def _exact(solution: SolveResult, sign: int) -> dict[str, Any]:
    """A solution from the point of view of the side before the move; `sign`: 1 for the same side, −1 for the other."""
    value, score = solution.value, solution.score
    return {
        "value": None if value is None else sign * value, "score": None if score is None else sign * score,
        "error": solution.error, "best": solution.best, "depth": solution.depth,
    }  # fmt: skip


def alpha_beta_tree(context: Context, game: str, position: str, depth: int) -> dict[str, Any]:
    """The tree of an alpha-beta search."""
    state = _state(game, position)
    return asdict(trace_search(state.game, load_evaluation(state.game), state.position, state.roll, depth))


def sampled_tree(context: Context, game: str, position: str, spec: str, depth: int, simulations: int) -> dict[str, Any]:
    """The tree of a Monte-Carlo search; sends the trees of shorter searches, which it continues."""
    state = _state(game, position)
    searcher = player(spec, state.game)
    tree: dict[str, Any] = {}
    try:
        for count in growth(simulations):
            if context.stopped:
                raise StoppedError
            # With the same seed, a longer search begins like a shorter one.
            searcher.new_game(state.game, 0)
            searcher.choose(state, Limit(simulations=count))
            tree = _widest(searcher.tree(depth))
            context.progress({"simulations": count, "tree": tree})
    finally:
        searcher.close()
    return tree


def growth(simulations: int) -> list[int]:
    """Numbers of simulations that grow by a factor, up to `simulations`."""
    counts, count = [], 1
    while count < simulations:
        counts.append(count)
        count = max(count + 1, int(count * GROWTH))
    return [*counts, simulations]


def _widest(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree without rarely visited children where a node has many."""
    children = sorted(tree["children"], key=lambda child: -child["visits"])[:MAX_CHILDREN]
    return tree | {"children": [_widest(child) for child in children]}


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
    """Its plies are called `moves`, as everywhere on the page."""
    game, states = games.find(record.game), list(record.states())
    return review(record, judge).json() | {
        "title": game.title, "sides": list(game.sides), "dice": game.has_chance, "plies": len(record.plies),
        "positions": [state.text for state in states], "leads": leads(record),
        "colours": colours_of(states[-1]),
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
        "live": lambda context, key, before: views.live_game(key, before),
        "games": lambda context, wanted, limit, skipped: stored_games(context, store, wanted, limit, skipped),
        "passing": passing_games,
        "puzzles": lambda context, tried, reviewed: find_puzzles(context, store, tried, reviewed),
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
    # User code may print.
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
