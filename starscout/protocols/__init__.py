"""Protocols, one module each: programs as players, and players as engines."""
