"""Screens as Discord messages, with components in rows and the picture as a file."""

import re
from collections.abc import Sequence
from io import BytesIO
from re import Match
from typing import Any, NamedTuple, Self

import discord
from discord.ui import DynamicItem, View

from examples.chat.actions import PATTERN, ChatAction
from examples.chat.screens import Button, ChatFormat, Screen, clip

Interaction = discord.Interaction[Any]

MAX_CONTENT = 2000
MAX_LABEL = 80
MAX_OPTION_LABEL = 100
MAX_OPTIONS = 25
MAX_BUTTONS_PER_ROW = 5

STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}
PICTURE_FILE = "board.png"

_MARKUP = re.compile(r"([\\*_~`|>#\[\]<])")


def escape_markup(text: str) -> str:
    r"""Return a text with escaped Markdown, and without mentions; for `@everyone` a backslash is not enough.

    >>> escape_markup("*Ana* <@1> @here")
    '\\*Ana\\* \\<@1\\> @\u200bhere'
    """
    return _MARKUP.sub(r"\\\1", discord.utils.escape_mentions(text))


DISCORD = ChatFormat(
    prefix="/southseas ",
    escape=escape_markup,
    mention=lambda user, _name: f"<@{user}>",
    page_size=MAX_OPTIONS,
    max_story=1500,
)


class ActionButton(DynamicItem[discord.ui.Button[Any]], template=f"sea:b:{PATTERN}"):
    """A button; its custom id contains its action."""

    def __init__(self, item: discord.ui.Button[Any], row: int | None = None) -> None:
        super().__init__(item, row=row)

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """Return the pressed button."""
        del match
        if not isinstance(item, discord.ui.Button):
            raise TypeError(item)
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:
        """Perform the button's action."""
        await interaction.client.on_press(interaction, ChatAction.parse(self.custom_id.removeprefix("sea:b:")))


class ActionMenu(DynamicItem[discord.ui.Select[Any]], template="sea:menu"):
    """A menu; the values of its options are their actions."""

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """Return the used menu."""
        del match
        if not isinstance(item, discord.ui.Select):
            raise TypeError(item)
        return cls(item)

    async def callback(self, interaction: Interaction) -> None:
        """Perform the chosen action."""
        await interaction.client.on_press(interaction, ChatAction.parse(self.item.values[0]))


class DiscordMessage(NamedTuple):
    """A message, ready to send."""

    content: str
    view: View
    files: list[discord.File]
    mentions: discord.AllowedMentions


def render_message(screen: Screen, picture: bytes | None) -> DiscordMessage:
    """Return a screen as a message; it notifies `screen.mention` only, whatever names contain."""
    users = [] if screen.mention is None else [discord.Object(int(screen.mention))]
    return DiscordMessage(
        clip(screen.text, MAX_CONTENT),
        build_view(screen),
        [] if picture is None else [discord.File(BytesIO(picture), PICTURE_FILE)],
        discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users),
    )


def build_view(screen: Screen) -> View:
    """Return the components: a menu with the options, and buttons below it."""
    view = View(timeout=None)
    if screen.options:
        view.add_item(_menu(screen.question, screen.options))
    for number, button in enumerate(screen.buttons):
        view.add_item(_button(button, 1 + number // MAX_BUTTONS_PER_ROW))
    return view


def _menu(question: str, options: Sequence[Button]) -> ActionMenu:
    select: discord.ui.Select[Any] = discord.ui.Select(
        custom_id="sea:menu",
        placeholder=question,
        options=[
            discord.SelectOption(label=clip(option.label, MAX_OPTION_LABEL), value=option.action.encode())
            for option in options
        ],
    )
    return ActionMenu(select, row=0)


def _button(button: Button, row: int) -> ActionButton:
    item: discord.ui.Button[Any] = discord.ui.Button(
        label=clip(button.label, MAX_LABEL), style=STYLES[button.style], custom_id=f"sea:b:{button.action.encode()}"
    )
    return ActionButton(item, row)
