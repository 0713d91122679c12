"""Matches and tournaments: pairs of games, workers, statistics and the store."""
