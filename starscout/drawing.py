"""Boards as text: coordinates, the cubes' numbers, the last move; with colours for a terminal, plain otherwise."""

from starscout.state import State

_SIDE_STYLES = {
    "red": ("white on red", "bold white on bright_red"),
    "blue": ("white on blue", "bold white on bright_blue"),
    "black": ("black on green", "bold black on bright_green"),
    "white": ("bright_white on green", "bold bright_white on bright_green"),
}
