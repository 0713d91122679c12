"""The referee: one game between two players becomes a record. It owns the rules, the dice, the clocks and the result."""
