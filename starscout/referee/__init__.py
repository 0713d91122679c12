"""The referee: plays games between two players, with dice, clocks and forfeits, and records them."""
