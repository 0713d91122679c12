"""`starscout.judge`: the referee as a TCP server for engines.

`starscout.course_match`: the course referee, for programs that speak the course protocols.
"""

import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
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
from starscout.arena.live import LiveRunner
from starscout.arena.pairing import ROUND_ROBIN, SWISS
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan, unfinished_event
from starscout.errors import suppress_errors
from starscout.game import Game, GameError
from starscout.players.spec import check_class, make_player
from starscout.protocols.judge import LOOPBACK, NAME, TOKEN, Judge, MissingEnginesError
from starscout.protocols.process import is_program
from starscout.protocols.registry import course_of
from starscout.protocols.sandbox import memory_of_course
from starscout.protocols.tcg_ewn import check_placement, placed
from starscout.settings.arguments import checked
from starscout.settings.schema import (
    Boards,
    Engines,
    File,
    Host,
    Late,
    Port,
    Reconnect,
    RoundRobin,
    Rounds,
    RoundSettings,
    Swiss,
    Token,
    TokensFile,
    Wait,
    Withdraw,
    exclusive,
)
from starscout.settings.spreadsheet import read_rows


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
    ewn, 600 s for dark-chess, 5 s per ply for dark-chess-open. `placement` applies to ewn: `random`, or `free`, where
    each side answers `ini`. See `RoundSettings` for the other keywords. Ctrl-C raises `Interrupted`. Raises GameError.

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
    with logged(settings.get("log")), memory_of_course(course.memory):
        for spec in specs:
            check_class(spec, rules)
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
    engines: Engines | None = None,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    late: Late = (),
    withdraw: Withdraw = (),
    boards: Boards = 1,
    protocol: str | None = None,
    host: Host = LOOPBACK,
    token: Token | None = None,
    tokens: TokensFile | None = None,
    wait: Wait | None = None,
    reconnect: Reconnect = 10.0,
    **settings: Unpack[RoundSettings],
) -> MatchResult | TournamentResult:
    """Wait for engines to connect and referee their games: a match of two engines, or a tournament of more.

    `rounds` is the number of games per pairing; engines swap sides after each. More than two `engines` play a round
    robin, or a Swiss tournament of `swiss` rounds, on `boards` boards at a time. The default `protocol` is otp for
    othello, else lab; lab engines must send the `token`, or their own if a file of `tokens` has one for each name. The
    judge waits at most `wait` seconds for all engines (otp: 10, lab: 60).

    An engine that has lost its connection may connect again; the judge waits `reconnect` seconds for it before it
    forfeits a game. If both engines of a pairing are missing, the game scores 0 – 0. The same call with engines of the
    same names resumes an interrupted tournament; the engines named in `late` join it and those in `withdraw` leave it,
    both from the next round on. See `RoundSettings` for the other keywords. Ctrl-C raises `Interrupted`. Raises
    GameError, and WorkError if too few engines connect.

    >>> try:
    ...     judge("othello", 0, wait=0.05, progress=False)
    ... except WorkError as error:
    ...     print(error)
    only 0 of 2 engines connected within 0.05 s
    """
    exclusive(round_robin=round_robin, swiss=swiss)
    exclusive(token=token, tokens=tokens)
    name, progress = game_name(game), settings.get("progress", True)
    joining = [late] if isinstance(late, str) else list(late)
    leaving = [withdraw] if isinstance(withdraw, str) else list(withdraw)
    given = _tokens(token, tokens)
    if engines is None:
        engines = len(given) - len(joining) if isinstance(given, dict) else 2
    report = _print if progress else None
    with (
        Judge(name, port, host, protocol, given, shown=token is not None, report=report) as server,
        logged(settings.get("log")),
        opened_store(settings.get("store")) as store,
    ):
        if progress:
            _print(server.invitation)

        def plan_of(names: Sequence[str]) -> TournamentPlan:
            return TournamentPlan(
                name, tuple(names), SWISS if swiss else ROUND_ROBIN, swiss or 1, (rounds + 1) // 2,
                round_limit(settings, server.course.limit), settings.get("seed", 0),
                event="new", games=rounds, schedule=server.course.schedule,
            )  # fmt: skip

        # Reject impossible numbers of rounds before anyone has connected.
        sample = plan_of([str(number) for number in range(engines)])
        try:
            connected = server.wait_for_engines(engines + len(joining) - len(leaving), wait)
        except MissingEnginesError:
            # Engines that are missing when a tournament is resumed may connect later.
            connected = server.connected
            if len(connected) < 1 or unfinished_event(store, sample, set(connected) - set(joining)) is None:
                raise
        original = [engine for engine in connected if engine not in joining]
        plan = unfinished_event(store, sample, {*original, *leaving})
        if plan is None:
            if leaving:
                raise GameError(f"withdraw: no unfinished tournament with {', '.join([*original, *leaving])}")
            plan = replace(plan_of(original), event=secrets.token_hex(8))
        elif progress:
            _print(f"resuming a tournament of {', '.join(plan.players)}")
        tournament = Tournament(plan, store)
        first = tournament.plan.first_players()
        players = (*first.players, *(engine for engine in joining if engine not in first.players))
        tournament.join(replace(first, players=players, late=(1,) * (len(players) - len(first.players))))
        tournament.withdraw(leaving)
        return _play(server, store, tournament, boards, reconnect, settings)


def _play(
    server: Judge, store: Store, tournament: Tournament, boards: int, reconnect: float, settings: RoundSettings
) -> MatchResult | TournamentResult:
    names = tournament.plan.players
    announcer = Announcer(
        server.game, settings.get("records"), pairings=len(names) > 2, shown=settings.get("progress", True)
    )
    runner = LiveRunner(
        server.players(names),
        boards,
        announcer,
        before=lambda players: server.wait_for_return(players, reconnect),
        resumable=True,
    )
    try:
        tournament.play(runner)
    except KeyboardInterrupt as stop:
        raise Interrupted(_result(store, tournament)) from stop
    finally:
        runner.close()
    return _result(store, tournament)


TOKEN_VARIABLE, TOKENS_VARIABLE = "STARSCOUT_TOKEN", "STARSCOUT_TOKENS"
"""Environment variables: the token of all engines, and `NAME=TOKEN` for each, separated by spaces."""


def _tokens(token: str | None, file: File | None) -> str | dict[str, str] | None:
    """Return the token of all engines or of each name, from the arguments or the environment; raises GameError."""
    if token is not None:
        return token
    if file is not None:
        rows = [(place, *values) for place, values in read_rows(Path(file), ("name", "token"))]
    else:
        words = os.environ.get(TOKENS_VARIABLE, "").split()
        if not words:
            return os.environ.get(TOKEN_VARIABLE) or None
        rows = [(f"{TOKENS_VARIABLE}:{place}", *word.partition("=")[::2]) for place, word in enumerate(words, 1)]
    found: dict[str, str] = {}
    errors: list[str] = []
    for place, name, secret in rows:
        if not NAME.fullmatch(name):
            errors.append(f"{place}: {name!r}: expected a name of 1 to 64 ASCII characters without spaces")
        elif name in found:
            errors.append(f"{place}: {name}: duplicate name")
        elif not TOKEN.fullmatch(secret):
            errors.append(f"{place}: {name}: expected a token of 1 to 128 ASCII characters without spaces")
        found.setdefault(name, secret)
    if errors:
        raise GameError("\n".join(errors))
    if len(found) < 2:
        raise GameError(f"{file or TOKENS_VARIABLE}: expected tokens of at least two engines, got {len(found)}")
    return found


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _result(store: Store, tournament: Tournament) -> MatchResult | TournamentResult:
    played = tournament.standings.meetings
    if len(tournament.plan.players) == 2 and len(played) == 1:
        return stored_result(store, store.match(played[0].match))
    return stored_tournament(store, tournament.id)
