"""The single-player puzzle."""
