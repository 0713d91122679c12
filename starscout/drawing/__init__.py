"""Boards and charts: text for terminals, SVG for the page and notebooks."""
