"""The characters and colours of everything on the board. Without colours the characters alone tell it all."""

from rich.style import Style

from schemas.vocabulary import Color

GROUND = {"sea": "~", "island": ":", "bridge": "=", "market": " ", "reef": "."}

# Terminals of 16 colours show the nearest of theirs: blue, green, brown and purple, and lighter ones.
_SEA, _LAND, _WOOD, _MARKET = "#08448c", "#2f8a28", "#7f4d1c", "#9a4088"
_NEW_SEA, _NEW_LAND, _NEW_WOOD, _NEW_MARKET = "#1470b8", "#55b040", "#b07030", "#b050a0"

STYLES = {
    "sea": Style(color="#2f86b5", bgcolor=_SEA),
    "island": Style(color="#d8d07a", bgcolor=_LAND),
    "bridge": Style(color="#d9a05b", bgcolor=_WOOD),
    "market": Style(color="#ffffff", bgcolor=_MARKET, bold=True),
    "reef": Style(color="#d8d07a", bgcolor=_SEA),
    "fish": Style(color="#e8f6ff", bgcolor=_SEA, bold=True),
    "boat": Style(color="#ffb070", bgcolor=_SEA, bold=True),
    "banana": Style(color="#ffee33", bgcolor=_LAND, bold=True),
    "shell": Style(color="#ffe0e8", bgcolor=_WOOD, bold=True),
    "covered": Style(color="#7fa8c0", bgcolor=_SEA),
    "frame": Style(color="#ffffff", bold=True),
    "empty": Style(color="#777777"),
    "choice": Style(bold=True, reverse=True),
    "axis": Style(color="#999999"),
}
"""By kind of thing; the style of a tile of the last turns is `new_style`."""

_NEW = {_SEA: _NEW_SEA, _LAND: _NEW_LAND, _WOOD: _NEW_WOOD, _MARKET: _NEW_MARKET}

SEATS: dict[Color, Style] = {
    "red": Style(color="#ffffff", bgcolor="#d01030", bold=True),
    "blue": Style(color="#ffffff", bgcolor="#4a5cff", bold=True),
    "green": Style(color="#000000", bgcolor="#6dff6d", bold=True),
    "yellow": Style(color="#000000", bgcolor="#ffe820", bold=True),
    "black": Style(color="#ffffff", bgcolor="#000000", bold=True),
}

NAMES: dict[Color, Style] = {
    "red": Style(color="#ff5a6e", bold=True),
    "blue": Style(color="#7585ff", bold=True),
    "green": Style(color="#6dff6d", bold=True),
    "yellow": Style(color="#ffe820", bold=True),
    "black": Style(bold=True, underline=True),
}
"""A player's name in a sentence."""

CORNERS = "┌┐└┘"
COVERED = ("(x)", "x")
"""A fish group under a boat."""

LYING = "-<"
"""The body of a lying fisherman, after the letter that is its head."""


def new_style(style: Style) -> Style:
    """The style of the same thing on a tile of the last turns: brighter."""
    if style.bgcolor is None or style.bgcolor.name not in _NEW:
        return style
    return style + Style(bgcolor=_NEW[style.bgcolor.name])


def letters(names: list[str | None]) -> list[str]:
    """A letter for each player, by name where names begin differently; M stays the market's.

    >>> letters(["Ana", "Bo", "Adam", "Mo", None])
    ['A', 'B', 'D', 'O', '5']
    """
    taken = {"M"}
    found = []
    for seat, name in enumerate(names):
        free = (letter for letter in (name or "").upper() if "A" <= letter <= "Z" and letter not in taken)
        letter = next(free, str(seat + 1))
        taken.add(letter)
        found.append(letter)
    return found
