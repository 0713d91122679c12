"""`starscout tune GAME SPEC --parameters …`: improves parameters by play."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import console, print_json
from starscout.cli.support.running import live, opened_runner, opened_store


@takes(RunOptions)
def command(
    game: GameName,
    player: Annotated[str, typer.Argument(metavar="SPEC", help="A player; {name} marks the place of a parameter.")],
    parameters: Annotated[str, typer.Option(help="name=start:low:high, with commas between several.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of the search.")] = 100,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games a step.")] = 16,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report with the history.")] = None,
    *,
    options: RunOptions,
) -> None:
    """Improve parameters of a player by SPSA: play shifted players against each other and follow the winners.

    The same command goes on with an interrupted tuning.
    """
    from starscout.arena.batch import warm
    from starscout.arena.plan import make_plan
    from starscout.arena.tune import Tuning, TuningPlan, parse_parameters

    limit, seed = options.limit, options.seed
    wanted = parse_parameters(parameters)
    plain = TuningPlan(game, player, wanted, pairs, steps)
    start = plain.described([parameter.part(parameter.start) for parameter in wanted])
    match = make_plan(game, start, start, limit, seed, options.opening_plies, options.luck)
    plan = TuningPlan(
        match.game, player, wanted, pairs, steps, limit, seed, match.opening_plies, match.luck, match.contents
    )
    with opened_store(options.store) as opened:
        tuning = Tuning(plan, opened)

        def draw() -> str:
            values = "  ".join(f"{name} {value:g}" for name, value in tuning.result().items())
            return f"step {len(tuning.history)} of {steps}: {values}"

        def show() -> None:
            if options.json:
                print_json({"parameters": tuning.result(), "history": tuning.history, "player": tuning.tuned_player()})
                return
            console().print(draw())
            console().print(
                f"Is it better?  starscout match {game} '{tuning.tuned_player()}' '{start}' --sprt 0 10", soft_wrap=True
            )

        try:
            if len(tuning.history) < steps:
                warm(match)
                with (
                    opened_runner(plan.game, options, (start,)) as runner,
                    live(draw) as redraw,
                ):
                    tuning.play(runner, redraw)
        except KeyboardInterrupt:
            # The steps so far are stored; the same command goes on from there.
            show()
            raise
        show()
        if report is not None:
            from starscout.web.report import tuning_report, write_report

            write_report(tuning_report(tuning), report)
