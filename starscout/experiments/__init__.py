"""Experiments: one question per TOML file, answered by duels or a Swiss tournament.

The files in this package replicate the five reports; `experiment.py` documents the format.
"""
