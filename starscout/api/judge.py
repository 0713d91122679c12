"""`starscout.judge`: the referee as a TCP server for engines.

`starscout.course_match`: the course referee, for programs that speak the course protocols.
"""

import secrets
import sys
from typing import Unpack

from starscout import games
from starscout.api.match import MatchResult, stored_result
from starscout.api.progress import Interrupted
from starscout.api.running import (
    Announcer,
    PlayerLike,
    game_name,
    isolated,
    logged,
    opened_store,
    player_spec,
    round_limit,
)
from starscout.api.tournament import TournamentResult, stored_tournament
from starscout.arena.director import MatchRun, run, stopping_rule_from_games
from starscout.arena.live import DisconnectedError, LiveRunner
from starscout.arena.pairing import ROUND_ROBIN, SWISS
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan
from starscout.errors import suppress_errors
from starscout.game import Game
from starscout.players.spec import make_player
from starscout.protocols.judge import LOOPBACK, Judge
from starscout.protocols.process import is_program
from starscout.protocols.registry import course_of
from starscout.protocols.tcg_ewn import check_placement, placed
from starscout.settings.arguments import checked
from starscout.settings.schema import (
    Boards,
    Engines,
    Host,
    Port,
    RoundRobin,
    Rounds,
    RoundSettings,
    Swiss,
    Token,
    Wait,
    exclusive,
)


@checked
@isolated
def course_match(
    game: str | Game,
    a: PlayerLike,
    b: PlayerLike,
    *,
    rounds: Rounds = 1,
    placement: str = "random",
    **settings: Unpack[RoundSettings],
) -> MatchResult:
    """Referee a match between two programs under the rules of the course; `./agent` speaks the game's protocol.

    The default limits are those of the course: 2 s per ply for ewn-cyclic, 10 s for kari and othello, 60 s per game for
    ewn. `placement` applies to ewn: `random`, or `free`, where each side answers `ini`. See `RoundSettings` for the
    other keywords. Ctrl-C raises `Interrupted`. Raises GameError.

    >>> result = course_match("ewn", "random", "random", rounds=3, store=":memory:", progress=False)
    >>> result.games, result.wins + result.losses
    (3, 3)
    """
    name = game_name(game)
    rules = games.load(name)
    protocol, course = course_of(rules)
    check_placement(placement, rules)
    described = [player_spec(player) for player in (a, b)]
    specs = [f"{protocol.name}:{text}" if is_program(text) else text for text in described]
    names = described[0], described[1] if described[1] != described[0] else f"{described[1]} (2)"
    limit, seed = round_limit(settings, course.limit), settings.get("seed", 0)
    plan = MatchPlan(name, *names, limit, seed, schedule=course.schedule, event=secrets.token_hex(8))
    announcer = Announcer(rules, settings.get("records"), shown=settings.get("progress", True))
    with logged(settings.get("log")):
        players = {name: make_player(spec, rules, hosted=True) for name, spec in zip(names, specs, strict=True)}
        for called, player in players.items():
            player.name = called
        try:
            with opened_store(settings.get("store")) as store:
                match_run = MatchRun(store, plan, stopping_rule_from_games(rounds))
                arrange = placed if placement == "free" else None
                try:
                    run([match_run], LiveRunner(players, watch=announcer, arrange=arrange), store)
                except KeyboardInterrupt as stop:
                    raise Interrupted(stored_result(store, store.match(match_run.id))) from stop
                return stored_result(store, store.match(match_run.id))
        finally:
            for player in players.values():
                with suppress_errors():
                    player.close()


@checked
@isolated
def judge(
    game: str | Game,
    port: Port,
    *,
    rounds: Rounds = 2,
    engines: Engines = 2,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    boards: Boards = 1,
    protocol: str | None = None,
    host: Host = LOOPBACK,
    token: Token | None = None,
    wait: Wait | None = None,
    **settings: Unpack[RoundSettings],
) -> MatchResult | TournamentResult:
    """Wait for engines to connect and referee their games: a match of two engines, or a tournament of more.

    `rounds` is the number of games per pairing; engines swap sides after each. More than two `engines` play a round
    robin, or a Swiss tournament of `swiss` rounds, on `boards` boards at a time. The default `protocol` is otp for
    othello, else lab; lab engines must send the `token`. The judge waits at most `wait` seconds for all engines (otp:
    10, lab: 60). See `RoundSettings` for the other keywords. Ctrl-C raises `Interrupted`. Raises GameError, and
    WorkError if too few engines connect.

    >>> try:
    ...     judge("othello", 0, wait=0.05, progress=False)
    ... except WorkError as error:
    ...     print(error)
    only 0 of 2 engines connected within 0.05 s
    """
    exclusive(round_robin=round_robin, swiss=swiss)
    name, progress = game_name(game), settings.get("progress", True)
    with Judge(name, port, host, protocol, token) as server, logged(settings.get("log")):
        if progress:
            _print(server.invitation)
        players = server.wait_for_players(engines, wait, _print if progress else None)
        names = tuple(player.name for player in players)
        plan = TournamentPlan(
            name, names, SWISS if swiss else ROUND_ROBIN, swiss or 1, (rounds + 1) // 2,
            round_limit(settings, server.course.limit), settings.get("seed", 0),
            event=secrets.token_hex(8), games=rounds, schedule=server.course.schedule,
        )  # fmt: skip
        announcer = Announcer(server.game, settings.get("records"), pairings=engines > 2, shown=progress)
        runner = LiveRunner(dict(zip(names, players, strict=True)), boards, announcer)
        with opened_store(settings.get("store")) as store:
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


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _result(store: Store, tournament: Tournament) -> MatchResult | TournamentResult:
    played = tournament.standings.meetings
    if len(tournament.plan.players) == 2 and len(played) == 1:
        return stored_result(store, store.match(played[0].match))
    return stored_tournament(store, tournament.id)
