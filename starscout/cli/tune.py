"""`starscout tune GAME SPEC --parameters …`: tune parameters of a player by self-play."""

from typing import Annotated, Unpack

from starscout.cli.output import console, print_result, printed_if_interrupted
from starscout.settings.schema import GameName, Json, Pairs, Report, RunSettings, Setting, Steps


def command(
    game: GameName,
    player: Annotated[str, Setting("A player, with {name} in place of a parameter.", metavar="SPEC")],
    *,
    parameters: Annotated[str, Setting("name=start:low:high, separated by commas.")],
    steps: Steps = 100,
    pairs: Annotated[Pairs, Setting("Pairs of games per step.")] = 16,
    report: Report | None = None,
    json: Json = False,
    **settings: Unpack[RunSettings],
) -> None:
    """Tune parameters of a player by self-play.

    Uses SPSA: perturbed players play each other, and the winner sets the direction. The same command resumes an
    interrupted tuning.
    """
    import starscout

    with printed_if_interrupted(json):
        result = starscout.tune(game, player, parameters, steps=steps, pairs=pairs, **settings)
    print_result(result, json)
    if not json:
        question = f"Is it stronger?  starscout match {game} '{result.player}' '{result.start}' --sprt 0 10"
        same = "The parameters did not change: try more steps, or more pairs per step"
        console().print(same if result.player == result.start else question, soft_wrap=True)
    if report is not None:
        result.report(report)
