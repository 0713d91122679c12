"""Boards as people see them: as text for terminals, as pictures for pages and notebooks."""

from starscout.drawing.svg import Arrow, board_svg
from starscout.drawing.text import draw, draw_plain

__all__ = ["Arrow", "board_svg", "draw", "draw_plain"]
