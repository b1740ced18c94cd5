"""Draw the page's icons for phones, of its favicon: `python -m tools.icons`.

A phone cuts a maskable icon to its own shape: the sea fills all of it, and the ship lies within the circle that is
always shown, four fifths of the icon wide.
"""

from pathlib import Path
from re import sub

from service.web.renderer import rasterize

FOLDER = Path(__file__).parents[1] / "clients/page/src"
SIZES = {"apple-touch-icon.png": 180, "icon-192.png": 192, "icon-512.png": 512}
"""Widths in pixels; Apple's devices ask for the first one."""
WAVES = (
    '<path fill="none" stroke="#6fc4d9" stroke-linecap="round" stroke-width=".9"'
    ' d="M2 9q2-2 4 0t4 0M29 6q2-2 4 0t4 0M1 21q1.5-2 3 0M36 18q1.5-2 3 0M4 37.5q2-2 4 0t4 0M30 38q2-2 4 0t4 0"/>'
)
SHIP_TRANSFORM = "translate(20 20)scale(.84)translate(-19.5 -20)"


def draw_icons() -> dict[str, bytes]:
    """Return the icons by their file names."""
    favicon = (FOLDER / "favicon.svg").read_text()
    return {name: rasterize(_icon_svg(favicon, width)) for name, width in SIZES.items()}


def _icon_svg(favicon: str, width: int) -> str:
    """Return the favicon without its round corners, its ship in the middle."""
    ship = rf'\1{WAVES}<g transform="{SHIP_TRANSFORM}">\2</g></svg>'
    svg = sub(r"(<rect.+?/>)(.+)</svg>", ship, favicon.replace(' rx="9"', "").strip())
    return svg.replace("<svg ", f'<svg width="{width}" height="{width}" ', 1)


if __name__ == "__main__":
    for name, icon in draw_icons().items():
        (FOLDER / name).write_bytes(icon)
