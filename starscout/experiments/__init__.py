"""Experiments: one question per file, answered by duels or by a Swiss, and printed with intervals.

The `.toml` files of this package ask again what the five reports asked; `experiment.py` says what such a file holds.
"""
