"""Boards as people see them: as text for terminals, as pictures for pages and notebooks."""
