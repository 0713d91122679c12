"""The referee: one game between two players becomes a record. It owns rules, dice, clocks and the result."""
