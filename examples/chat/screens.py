"""Screens: what a chat shows, in terms that every chat has, and what differs between chats."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from examples.chat.actions import ChatAction

Style = Literal["primary", "secondary", "success", "danger"]


class Button(NamedTuple):
    """A button, or an option of a menu."""

    label: str
    action: ChatAction
    style: Style = "secondary"
    worth: str = ""
    """What the move is worth, in sentences."""


class Picture(NamedTuple):
    """A picture of the board at a version."""

    game: str
    version: int
    candidates: bool = False
    """Whether it shows the numbers of the legal moves."""


class Screen(NamedTuple):
    """A message."""

    text: str
    """With the chat's markup."""
    picture: Picture | None = None
    """What `ChatBot.picture` draws."""
    question: str = ""
    """The question that the options answer."""
    options: Sequence[Button] = ()
    """At most `ChatFormat.page_size`."""
    buttons: Sequence[Button] = ()
    mention: str | None = None
    """The user whom the message notifies."""
    is_error: bool = False
    """Whether to show it only to the user who caused it."""
    is_others_turn: bool = False
    """Whether the user wanted to move, but another player decides."""


class ChatFormat(NamedTuple):
    """What differs between chats."""

    prefix: str
    """The text before the name of a command, such as `/`."""
    escape: Callable[[str], str]
    """Returns a text without markup, so that names cannot format or notify."""
    mention: Callable[[str, str], str]
    """Returns the markup that notifies a user, from the id and the escaped name."""
    page_size: int
    """The options in one message."""
    max_story: int
    """The characters of the story in one message."""
    has_pictures: bool = True
    """Whether options start with the numbers of the picture."""


def clip(text: str, limit: int) -> str:
    """Return a text cut to a length.

    >>> clip("lagoon", 6)
    'archi…'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
