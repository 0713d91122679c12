"""`starscout.judge`: the referee as a server to which engines connect."""

import secrets
import sys
from typing import Unpack

from starscout.api.announcer import Announcer
from starscout.api.match import MatchResult, stored_result
from starscout.api.rounds import ChosenRoundSettings, RoundSettings
from starscout.api.running import Interrupted, game_name, logged, opened_store
from starscout.api.tournament import TournamentResult, stored_tournament
from starscout.arena.live import DisconnectedError, LiveRunner
from starscout.arena.pairing import ROUND_ROBIN, SWISS
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan
from starscout.game import Game, GameError
from starscout.protocols.judge import LOOPBACK, Judge
from starscout.settings.arguments import checked


@checked()
def judge(
    game: str | Game,
    port: int,
    *,
    rounds: int = 2,
    engines: int = 2,
    round_robin: bool = False,
    swiss: int | None = None,
    boards: int = 1,
    protocol: str | None = None,
    host: str = LOOPBACK,
    token: str | None = None,
    wait: float | None = None,
    **settings: Unpack[RoundSettings],
) -> MatchResult | TournamentResult:
    """Wait for engines, let them play, and return the match of two, or the tournament of more.

    `rounds` is the number of games in each meeting; the engines change sides after each. More than two `engines` play a
    round robin, or a Swiss of `swiss` rounds, on this many `boards` at a time. The `protocol` is otp for othello, else
    lab; lab engines say the `token` to be let in, and `wait` is how many seconds the judge waits for all of them (otp:
    10, lab: 60). See `RoundSettings` for the other keywords. Ctrl-C raises `Interrupted`. Raises GameError, and
    WorkError if too few engines connect.

    >>> try:
    ...     judge("othello", 0, wait=0.05, progress=False)
    ... except WorkError as error:
    ...     print(error)
    only 0 of 2 engines connected within 0.05 s
    """
    if round_robin and swiss is not None:
        raise GameError("engines play a round robin or a Swiss, not both")
    chosen = ChosenRoundSettings(**settings)
    name = game_name(game)
    with Judge(name, port, host, protocol, token) as door, logged(chosen.log):
        if chosen.progress:
            _say(door.invitation)
        players = door.wait_for_players(engines, wait, _say if chosen.progress else None)
        names = tuple(player.name for player in players)
        plan = TournamentPlan(
            name, names, SWISS if swiss else ROUND_ROBIN, swiss or 1, (rounds + 1) // 2,
            chosen.limit(door.course.limit), chosen.seed,
            event=secrets.token_hex(8), games=rounds, schedule=door.course.schedule,
        )  # fmt: skip
        announcer = Announcer(
            door.game, {name: name for name in names}, chosen.record_file, meetings=engines > 2, shown=chosen.progress
        )
        runner = LiveRunner(dict(zip(names, players, strict=True)), boards, announcer)
        with opened_store(chosen.store) as store:
            tournament = Tournament(plan, store)
            try:
                tournament.play(runner)
            except DisconnectedError as error:
                print(f"starscout: {error}", file=sys.stderr)
            except KeyboardInterrupt as stop:
                raise Interrupted(_result(store, tournament)) from stop
            finally:
                runner.close()
            return _result(store, tournament)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _result(store: Store, tournament: Tournament) -> MatchResult | TournamentResult:
    played = tournament.standings.meetings
    if len(tournament.plan.players) == 2 and len(played) == 1:
        return stored_result(store, store.match(played[0].match))
    return stored_tournament(store, tournament.id)
