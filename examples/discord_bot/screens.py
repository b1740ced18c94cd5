"""What is shown, before it is Discord's: a text, a picture, menus and buttons. Nothing here talks to anybody."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from examples.discord_bot.custom_ids import Pressed

CONTENT = 2000
LABEL = 80
OPTION = 100
OPTIONS = 25
ROWS = 5
PER_ROW = 5

_MARKUP = re.compile(r"([\\*_~`|>#\[\]<])")

Style = Literal["primary", "secondary", "success", "danger"]


class Button(NamedTuple):
    """Something to press."""

    label: str
    pressed: Pressed
    style: Style = "secondary"


class Option(NamedTuple):
    """A line of a menu; `value` becomes the value of what was pressed."""

    label: str
    value: str


class Menu(NamedTuple):
    """Something to choose from: at most 25 options."""

    placeholder: str
    pressed: Pressed
    options: Sequence[Option]


class Picture(NamedTuple):
    """The board's picture, as it is asked for."""

    game: str
    version: int
    candidates: bool = False
    """With the legal moves' numbers."""


class Screen(NamedTuple):
    """One message."""

    text: str
    picture: Picture | None = None
    menus: Sequence[Menu] = ()
    buttons: Sequence[Button] = ()
    mention: int | None = None
    """The one user whom the text may wake."""


def clip(text: str, limit: int) -> str:
    """A text within a limit, its end cut off where it is too long.

    >>> clip("archipelago", 6)
    'archi…'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def escape(text: str) -> str:
    r"""A text in which no player's name is read as markup.

    >>> escape("*Ana*")
    '\\*Ana\\*'
    """
    return _MARKUP.sub(r"\\\1", text)
