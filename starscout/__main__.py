"""`python -m starscout`: the command `starscout`."""

import sys


def _run() -> None:
    """Run the command; files in the working directory never shadow libraries."""
    # `python -m` puts the working directory first on the path. The package may be there, so keep it, but last.
    if not sys.flags.safe_path:
        sys.path.append(sys.path.pop(0))
    try:
        from starscout.cli import interrupt
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    interrupt.exit_on_interrupt()
    from starscout.cli.main import main

    main()


if __name__ == "__main__":
    _run()
