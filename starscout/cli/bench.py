"""`starscout bench`: how fast this machine is, and one number that changes when the rules or the searches do."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, progress


def command(
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the time.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Measure perft and random games of every game, and print the fingerprint: the nodes of a fixed set of searches."""
    from starscout.bench import run_bench

    with progress("measuring") as show:
        bench = run_bench(0.1 if quick else 1.0, show)
    if json:
        print_json({"fingerprint": bench.fingerprint, "rows": [row._asdict() for row in bench.rows]})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_column("unit")
    for row in bench.rows:
        table.add_row(row.name, f"{row.value:,.0f}" if row.value >= 10 else f"{row.value:.2f}", row.unit)
    console().print(table)
    console().print(f"\nfingerprint {bench.fingerprint}")
