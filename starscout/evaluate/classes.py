"""The three classes of moves: a search or a playout may try the first ones first and leave the last ones for last."""

FIRST_CLASS, ORDINARY, LAST_CLASS = 2, 1, 0
