"""Plots as files: SVG unchanged, PNG and PDF through CairoSVG, an optional package."""

import os
from pathlib import Path

from starscout.errors import GameError

PIXELS_PER_UNIT = 2
"""Resolution of PNG files: charts are 640 units wide."""
BACKGROUND = "white"
"""Background of PNG and PDF files; SVG files are transparent."""
SUFFIXES = (".svg", ".png", ".pdf")
INSTALL = "pip install 'starscout[plots]'"


def check_plot_file(path: str | os.PathLike[str]) -> None:
    """Raise GameError if plots cannot be written to a file of this kind."""
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise GameError(f"{os.fspath(path)}: expected a file name ending in {', '.join(SUFFIXES)}")
    if suffix != ".svg":
        try:
            import cairosvg  # noqa: F401  # pyright: ignore
        except ImportError as error:
            raise GameError(f"{suffix} plots need CairoSVG: {INSTALL}, or write an .svg file") from error
        except OSError as error:
            # CairoSVG is installed, but not the library that it loads.
            raise GameError(f"{suffix} plots need the cairo library of the system (Debian: libcairo2)") from error


def write_plot(svg: str, path: str | os.PathLike[str]) -> None:
    """Write an SVG text to an .svg, .png or .pdf file; raises GameError."""
    check_plot_file(path)
    suffix = _suffix(path)
    if suffix == ".svg":
        Path(path).write_text(svg, encoding="utf-8")
        return
    import cairosvg  # pyright: ignore

    if suffix == ".png":
        data = cairosvg.svg2png(svg.encode(), scale=PIXELS_PER_UNIT, background_color=BACKGROUND)
    else:
        data = cairosvg.svg2pdf(svg.encode(), background_color=BACKGROUND)
    assert isinstance(data, bytes)
    Path(path).write_bytes(data)


def _suffix(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lower()
