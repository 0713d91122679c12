"""`starscout cache`: the compiled kernels that later runs load."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(
    clear: Annotated[bool, typer.Option("--clear", help="Delete all compiled kernels.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Show where compiled kernels are kept and how much room they take, or delete them."""
    import starscout

    result = starscout.cache(clear=clear)
    if json:
        print_json(result.json())
    else:
        console().print(result, soft_wrap=True)
