"""Badges: a rating as a small SVG picture for a README."""

from html import escape

_CHARACTER = 6.6
_PADDING = 12


def badge(left: str, right: str, *, good: bool = True) -> str:
    """Draw a badge with two texts."""
    widths = [round(len(text) * _CHARACTER + _PADDING) for text in (left, right)]
    whole = sum(widths)
    colour = "#2f6f73" if good else "#b8442f"
    texts = "".join(
        f'<text x="{x:g}" y="14" fill="#ffffff" text-anchor="middle">{escape(text)}</text>'
        for text, x in ((left, widths[0] / 2), (right, widths[0] + widths[1] / 2))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" '
        f'aria-label="{escape(left)}: {escape(right)}" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<rect width="{whole}" height="20" rx="4" fill="#555555"/>'
        f'<path d="M{widths[0]} 0h{widths[1] - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1 -4 4H{widths[0]}z" fill="{colour}"/>'
        f"{texts}</svg>\n"
    )


def rating_text(elo: float, error: float) -> str:
    """A rating with its interval: `+120 ± 35`."""
    return f"{elo:+.0f} ± {error:.0f}".replace("-", "−")
