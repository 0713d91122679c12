"""The referee: plays and records games, with dice, clocks and forfeits."""
