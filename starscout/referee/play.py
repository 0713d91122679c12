"""One game: the referee rolls, asks, checks, charges the clock, and says who won and why.

A player that raises, answers an illegal move or answers late loses the game; the referee goes on.
"""

import time
from collections.abc import Callable
from typing import Any

from starscout.errors import exception_text, is_interrupt, suppress_errors, user_code_error
from starscout.game import LOSS, NOT_ROLLED, WIN, Game, GameError
from starscout.game.state import State
from starscout.games import source_digest
from starscout.players.player import Decision, Limits, Player, PlayerError
from starscout.records.record import GameRecord, Ply
from starscout.referee.clock import Clock, time_withheld
from starscout.referee.dice import die, player_seed

Players = tuple[Player, Player]


class _ForfeitError(Exception):
    """Ends the game against `side`."""

    def __init__(self, side: int, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.side = side
        self.reason = reason
        self.detail = detail


def play_game(
    start: State,
    players: Players,
    limits: Limits,
    *,
    seed: int = 0,
    pair: int = 0,
    half: int = 0,
    dice: int | None = None,
) -> GameRecord:
    """A game from `start`, before its roll, between the players of its two sides.

    The limit of a side holds for each of its moves, except that `clock` and `increment` are for the whole game; a
    player's own limit replaces it. The dice depend on the seed and on `dice` alone (by default the number of the
    pair); `half` only changes the random choices of the players.
    """
    if start.over:
        raise GameError(f"the game is over before it begins, in {start.text!r}")
    if start.game.has_dice and start.roll != NOT_ROLLED:
        raise GameError(f"the referee rolls the dice, but the die is rolled in {start.text!r}: write - for the roll")
    limits = players[0].bound(limits[0]), players[1].bound(limits[1])
    dice = pair if dice is None else dice
    plies: list[Ply] = []
    clocks = Clock(limits[0]), Clock(limits[1])
    try:
        for side, player in enumerate(players):
            player.limits = limits
            _guarded(start.game, side, _prepare, player, start, side, player_seed(seed, dice, half, side))
        winner, reason = _play(start, players, limits, clocks, seed, dice, plies)
        detail = ""
    except _ForfeitError as forfeit:
        winner, reason, detail = 1 - forfeit.side, forfeit.reason, forfeit.detail
    for player in players:
        _finish(player, winner, reason, detail)
    names = players[0].name, players[1].name
    end = winner, reason, detail
    source = source_digest(start.game)
    left = clocks[0].left, clocks[1].left
    return GameRecord(start.game.name, start.text, names, tuple(plies), *end, seed, pair, half, source, left)


def _prepare(player: Player, start: State, side: int, seed: int) -> None:
    player.new_game(start.game, seed)
    player.begin(start, side)


def _play(
    start: State,
    players: Players,
    limits: Limits,
    clocks: tuple[Clock, Clock],
    seed: int,
    dice: int,
    plies: list[Ply],
) -> tuple[int | None, str]:
    """Fill `plies`; return the winner and the game's own reason, or raise _ForfeitError."""
    game = start.game
    # Most players keep the harmless defaults: those are not called at every ply.
    observers = [(side, player) for side, player in enumerate(players) if type(player).observe is not Player.observe]
    timed = [limit.time is not None or limit.clock is not None for limit in limits]
    counting = any(limit.clock is not None for limit in limits)
    position, squares, ply = start.position, (), 0
    while True:
        mover = int(position.mover)
        roll = die(seed, dice, ply, game.faces) if game.has_dice else start.roll
        state = State(game, position, roll, start.ply + ply, squares)
        # The legal moves come first, so that compiling them is not on the player's clock. A game that is over has none.
        legal = state.legal
        if not legal:
            state.check_moves()
            outcome = game.outcome(position)
            return (mover if outcome == WIN else 1 - mover if outcome == LOSS else None), game.reason(position)
        if ply >= game.max_plies:
            rules = game.file or game.name
            raise GameError(
                f"{rules}: a game goes on after max_plies = {game.max_plies}; `starscout laws {rules}` checks the rules"
            )
        player, clock = players[mover], clocks[mover]
        if counting:
            player.limits = clocks[0].limit(), clocks[1].limit()
        waited = time_withheld() if timed[mover] else 0.0
        began = time.perf_counter()
        decision = _guarded(game, mover, player.choose, state, player.limits[mover])
        seconds = time.perf_counter() - began
        if not isinstance(decision, Decision):
            raise _ForfeitError(mover, "crash", f"{player.name} answered {decision!r}, which is not a Decision")
        move = decision.move
        if not clock.charge(seconds, time_withheld() - waited if timed[mover] else 0.0):
            raise _ForfeitError(mover, "timeout", f"{player.name} answered after {seconds:.2f} s in {state.text!r}")
        if move not in legal:
            raise _ForfeitError(
                mover, "illegal move", f"{player.name} chose {move!r}, which is not a legal move in {state.text!r}"
            )
        shown = roll if game.has_dice else 0
        reported = decision.value, decision.depth, decision.nodes, decision.simulations
        plies.append(Ply(shown, game.format_move(position, move), move, seconds, *reported))
        for side, observer in observers:
            _guarded(game, side, observer.observe, state, move)
        squares = game.move_squares(position, move)
        position = game.play_position(position, move)
        ply += 1


def _guarded(game: Game, side: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a player; whatever goes wrong in it is the forfeit of its side, except an error in the game's own file."""
    try:
        return function(*arguments)
    except PlayerError as failure:
        raise _ForfeitError(side, failure.reason, failure.detail) from failure
    except BaseException as error:
        if is_interrupt(error):
            raise
        fault = None if isinstance(error, GameError) else user_code_error(error)
        if fault is not None and game.file and fault.is_beside(game.file):
            raise fault from error
        raise _ForfeitError(side, "crash", exception_text(error)) from error


def _finish(player: Player, winner: int | None, reason: str, detail: str) -> None:
    """Tell a player the result. It can no longer lose this game: its errors are ignored."""
    with suppress_errors():
        player.end(winner, reason, detail)
