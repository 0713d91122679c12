"""`starscout match GAME A B`: is A stronger than B?"""

import sys
from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import console, print_json
from starscout.cli.support.running import Pace, live, opened_runner, opened_store
from starscout.cli.support.tables import result_table


@takes(RunOptions)
def command(
    game: GameName,
    first: Annotated[str, typer.Argument(metavar="A", help="A player: a preset, a search and its options, a program.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Pairs of games (default 100; with --sprt at most 20,000).")
    ] = None,
    sprt: Annotated[
        tuple[float, float] | None, typer.Option(metavar="E0 E1", help="Stop when A is better by E1 Elo, or not by E0.")
    ] = None,
    sprt_luck: Annotated[bool, typer.Option("--sprt-luck", help="The test looks at luck-adjusted pairs.")] = False,
    *,
    options: RunOptions,
) -> None:
    """Play pairs of games with the same dice and swapped seats until it is clear who is stronger.

    The same command goes on with an interrupted match, and shows a finished one from the store.
    """
    from starscout import games
    from starscout.arena.batch import warm
    from starscout.arena.director import Bout, Goal, run
    from starscout.arena.plan import limits_in_force, make_plan
    from starscout.arena.sprt import Sprt
    from starscout.game import GameError

    limit, seed = options.limit, options.seed
    plan = make_plan(game, first, second, limit, seed, options.opening_plies, options.luck)
    test = Sprt(*sprt) if sprt else None
    if plan.opening_plies != (games.load(game).opening_plies or 0) and options.opening_plies is None:
        print("starscout: no random openings: a program plays only from the start of the game", file=sys.stderr)
    if sprt_luck and (test is None or not plan.luck or not games.load(game).has_dice):
        raise GameError("--sprt-luck is for a sequential test (--sprt) of a game with dice whose luck is measured")
    limits = limits_in_force(plan)
    goal = Goal(pairs or (20_000 if test else 100), test, sprt_luck)
    with opened_store(options.store) as opened:
        bout = Bout(opened, plan, goal)
        pace = Pace()

        def draw() -> object:
            return result_table(bout.summary(), plan, limits, pace.text(bout))

        def show() -> None:
            if options.json:
                print_json(bout.summary())
                return
            console().print(draw())
            if bout.resumed:
                console().print(f"{bout.resumed} of these pairs were in the store already (match {bout.id}).")

        try:
            if not bout.finished:
                # Compile here, once: the workers then load what they need.
                warm(plan)
                with (
                    opened_runner(plan.game, options, (first, second)) as runner,
                    live(draw) as redraw,
                ):
                    run([bout], runner, opened, redraw, hopeless_ends=True)
        except KeyboardInterrupt:
            # What was finished is stored; the same command goes on from there.
            show()
            raise
        show()
        if bout.tally.hopeless is not None:
            loser = plan.first if bout.tally.hopeless == "A" else plan.second
            print(f"starscout: {loser} never made a move: {bout.tally.first_forfeit}", file=sys.stderr)
            raise typer.Exit(1)
