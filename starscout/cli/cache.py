"""`starscout cache`: the compiled kernels that later runs load."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(
    clear: Annotated[bool, typer.Option("--clear", help="Delete all compiled kernels.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Show where compiled kernels are kept and how much room they take, or delete them."""
    from starscout.cache import cache_files, cache_folder, clear_cache

    removed = clear_cache() if clear else 0
    folder, files = cache_folder(), cache_files()
    size = sum(file.stat().st_size for file in files)
    if json:
        print_json({"folder": str(folder), "kernels": len(files), "bytes": size, "removed": removed})
        return
    if clear:
        console().print(f"{removed} compiled kernels deleted")
    console().print(f"{folder}: {len(files)} kernels, {size / 2**20:.1f} MB", soft_wrap=True)
