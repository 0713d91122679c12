"""Searches: each receives a game and an evaluation and imports neither."""
