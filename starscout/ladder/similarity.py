"""Similarity report: how often two engines play the same move in fixed positions.

Strong engines agree on good moves, so agreement alone proves nothing: the report lists it together with how often other
players agree with the two, and whether the submitted files are equal.
"""

import contextlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.schema import Version
from starscout.ladder.submissions import version_spec
from starscout.players.player import PlayerError
from starscout.players.spec import describe, make_player
from starscout.search.limits import Limit

QUESTIONS = 40
MAX_SECONDS = 0.5
"""Longest time per move."""
MIN_CHOICES = 3
"""Minimum number of legal moves in a fixed position."""
NO_ANSWER = "-"


@dataclass(frozen=True)
class Agreement:
    """Two versions and the share of the positions in which they play the same move."""

    first: int
    second: int
    agreement: float
    usual: float | None
    """Mean agreement of both with all other versions; None without others."""
    positions: int
    same_files: bool


def questions(game: Game) -> list[State]:
    """The fixed positions: from random games, with a choice of moves."""
    generator, found = random.Random(f"similarity {game.name}"), list[State]()
    for number in range(50 * QUESTIONS):
        state = start(game, number)
        for _ in range(generator.randrange(2, 12)):
            state = state.rolled(generator) if state.before_event is state and not state.over else state
            if state.over or not state.legal:
                break
            state = state.play(generator.choice(state.legal))
        if not state.over:
            state = state.rolled(generator)
        if not state.over and len(state.legal) >= MIN_CHOICES:
            found.append(state)
        if len(found) == QUESTIONS:
            break
    return found


def ask(version: Version, folder: Folder, ladder: Ladder) -> list[str]:
    """The moves of a version in the fixed positions; `-` where it gives none.

    Raises GameError for a protocol whose engines only follow a game from its start.
    """
    game = games.load(version.game)
    spec = version_spec(folder, version.game, version.digest, version.spec)
    if not describe(spec, game).starts_anywhere:
        raise GameError(f"version {version.id}: its protocol cannot set up a position")
    limit = ladder.limits.limit
    limit = Limit(min(limit.time or MAX_SECONDS, MAX_SECONDS), depth=limit.depth, nodes=limit.nodes)
    player = make_player(spec, game, hosted=True)
    moves: list[str] = []
    try:
        for state in questions(game):
            move = NO_ANSWER
            with contextlib.suppress(PlayerError, GameError):
                player.limits = (limit, limit)
                player.new_game(game, 0)
                player.begin(state.before_event, state.mover)
                chosen = player.choose(state, limit).move
                move = game.format_move(state.position, chosen) if chosen in state.legal else NO_ANSWER
            moves.append(move)
    finally:
        player.close()
    return moves


def report(answers: dict[int, Sequence[str]], digests: dict[int, str]) -> list[Agreement]:
    """All pairs of versions, the most conspicuous first."""
    shares: dict[tuple[int, int], tuple[float, int]] = {}
    for first in answers:
        for second in answers:
            both = [
                (one, other)
                for one, other in zip(answers[first], answers[second], strict=False)
                if NO_ANSWER not in (one, other)
            ]
            if first != second and both:
                shares[first, second] = sum(one == other for one, other in both) / len(both), len(both)
    found: list[Agreement] = []
    for (first, second), (share, count) in shares.items():
        if first < second:
            others = [value for pair, (value, _) in shares.items() if (first in pair) != (second in pair)]
            usual = sum(others) / len(others) if others else None
            same = digests[first] == digests[second] != ""
            found.append(Agreement(first, second, share, usual, count, same))
    return sorted(found, key=lambda entry: (not entry.same_files, (entry.usual or 0.0) - entry.agreement))
