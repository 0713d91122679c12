"""Evaluations learned by self-play, from the rules alone."""
