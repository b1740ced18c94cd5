"""Screens: messages with a text, a picture, menus and buttons, independent of Discord's library."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from examples.discord_bot.custom_ids import ComponentAction

MAX_CONTENT = 2000
MAX_LABEL = 80
MAX_OPTION_LABEL = 100
MAX_OPTIONS = 25
MAX_ROWS = 5
MAX_BUTTONS_PER_ROW = 5

_MARKUP = re.compile(r"([\\*_~`|>#\[\]<])")

Style = Literal["primary", "secondary", "success", "danger"]


class Button(NamedTuple):
    """A button."""

    label: str
    action: ComponentAction
    style: Style = "secondary"


class Option(NamedTuple):
    """An option of a menu; `value` becomes the value of the action."""

    label: str
    value: str


class Menu(NamedTuple):
    """A menu of at most 25 options."""

    placeholder: str
    action: ComponentAction
    options: Sequence[Option]


class Picture(NamedTuple):
    """A picture of the board at a version."""

    game: str
    version: int
    candidates: bool = False
    """Whether it shows the numbers of the legal moves."""


class Screen(NamedTuple):
    """A message."""

    text: str
    picture: Picture | None = None
    menus: Sequence[Menu] = ()
    buttons: Sequence[Button] = ()
    mention: int | None = None
    """The user whom the message notifies."""


def clip(text: str, limit: int) -> str:
    """Return a text cut to a length.

    >>> clip("archipelago", 6)
    'archi…'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def escape_markup(text: str) -> str:
    r"""Return a text with escaped Markdown.

    >>> escape_markup("*Ana*")
    '\\*Ana\\*'
    """
    return _MARKUP.sub(r"\\\1", text)
