"""The characters and colours of the board. The characters alone are sufficient without colours."""

from rich.style import Style

GROUND = {"sea": "~", "island": ":", "bridge": "=", "market": " ", "reef": "."}

# Terminals with 16 colours show the nearest ones: blue, green, brown and purple, and lighter variants.
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
"""Styles by kind; `new_style` returns those of recently placed tiles."""

_NEW = {_SEA: _NEW_SEA, _LAND: _NEW_LAND, _WOOD: _NEW_WOOD, _MARKET: _NEW_MARKET}

SEAT_STYLES = {
    "red": Style(color="#ffffff", bgcolor="#d01030", bold=True),
    "blue": Style(color="#ffffff", bgcolor="#4a5cff", bold=True),
    "green": Style(color="#000000", bgcolor="#6dff6d", bold=True),
    "yellow": Style(color="#000000", bgcolor="#ffe820", bold=True),
    "black": Style(color="#ffffff", bgcolor="#000000", bold=True),
}

NAME_STYLES = {
    "red": Style(color="#ff5a6e", bold=True),
    "blue": Style(color="#7585ff", bold=True),
    "green": Style(color="#6dff6d", bold=True),
    "yellow": Style(color="#ffe820", bold=True),
    "black": Style(bold=True, underline=True),
}
"""The style of a player's name in text."""

CORNERS = "┌┐└┘"
COVERED = ("(x)", "x")
"""A fish group under a boat."""

LYING_BODY = "-<"
"""The body of a lying fisherman, after the letter of its head."""


def new_style(style: Style) -> Style:
    """Return the brighter style for a recently placed tile."""
    if style.bgcolor is None or style.bgcolor.name not in _NEW:
        return style
    return style + Style(bgcolor=_NEW[style.bgcolor.name])


def player_letters(names: list[str | None]) -> list[str]:
    """Return a letter for each player, from their name if possible; M is reserved for markets.

    >>> player_letters(["Ana", "Bo", "Adam", "Mo", None])
    ['A', 'B', 'D', 'O', '5']
    """
    taken = {"M"}
    letters = []
    for seat, name in enumerate(names):
        free = (letter for letter in (name or "").upper() if "A" <= letter <= "Z" and letter not in taken)
        letter = next(free, str(seat + 1))
        taken.add(letter)
        letters.append(letter)
    return letters
