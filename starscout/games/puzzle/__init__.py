"""The single-player sliding puzzle."""
