"""Evaluations: a number for the mover, nothing else. One file a game; `load` finds them by name."""
