"""Backgammon: two dice, 15 checkers a side, gammons and backgammons."""
