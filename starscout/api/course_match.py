"""`starscout.course_match`: the course referee, for programs that speak the course protocols."""

import secrets
from typing import Unpack

from starscout import games
from starscout.api.interrupt import Interrupted
from starscout.api.match import MatchResult, stored_result
from starscout.api.running import Announcer, PlayerLike, game_name, logged, opened_store, player_spec, round_limit
from starscout.arena.director import MatchRun, run, stopping_rule_from_games
from starscout.arena.live import LiveRunner
from starscout.arena.plan import MatchPlan
from starscout.errors import suppress_errors
from starscout.game import Game
from starscout.players.spec import make_player
from starscout.protocols.process import is_program
from starscout.protocols.registry import course_of
from starscout.protocols.tcg_ewn import check_placement, placed
from starscout.settings.arguments import checked
from starscout.settings.schema import Rounds, RoundSettings


@checked
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
        players = {name: make_player(spec, rules) for name, spec in zip(names, specs, strict=True)}
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
