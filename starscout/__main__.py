"""`python -m starscout` is the command `starscout`."""

import sys


def _run() -> None:
    """Run the command. A file of the working directory never takes the place of a library of the same name."""
    # `python -m` puts the working directory first on the path. The package may lie there, so it stays on the path.
    if not sys.flags.safe_path:
        sys.path.append(sys.path.pop(0))
    from starscout.cli.support import interrupt

    interrupt.leave_at_once()
    from starscout.cli.main import main

    main()


if __name__ == "__main__":
    _run()
