"""`python -m starscout` is the command `starscout`."""

from starscout.cli.main import main

main()
