"""Exact endings: the Othello solver and the tables of EinStein würfelt nicht!."""
