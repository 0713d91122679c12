"""`starscout laws GAME`: does a game keep the laws that every search relies on?"""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(
    game: Annotated[str, typer.Argument(help="A game, or a file like ./my_game.py.")],
    games: Annotated[int, typer.Option(help="How many random games to look through.", min=1)] = 20,
    seed: Annotated[int, typer.Option(help="Which random games.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Check the laws of a game along random games; exit code 1 when one is broken."""
    from starscout import games as known
    from starscout.evaluate.knowledge_laws import check_knowledge
    from starscout.laws import LawBrokenError, check_laws

    rules = known.load(game)
    try:
        report = check_laws(rules, games, seed)
        if rules.knowledge is not None:
            check_knowledge(rules, games, seed)
    except LawBrokenError as error:
        if json:
            print_json({"game": rules.name, "holds": False, "why": str(error)})
        else:
            console(stderr=True).print(f"broken: {error}", soft_wrap=True)
        raise typer.Exit(1) from None
    if json:
        print_json({"game": rules.name, "holds": True, "games": report.games, "positions": report.positions})
        return
    console().print(
        f"{rules.name} keeps every law: {report.positions:,} positions of {report.games} games, "
        f"the longest of {report.longest} plies"
    )
