"""Screens as Discord messages: components in their rows, and the picture as a file."""

from collections.abc import Awaitable, Callable
from io import BytesIO
from re import Match
from typing import Any, NamedTuple, Self

import discord
from discord.ui import DynamicItem, View

from examples.discord_bot.custom_ids import Pressed, template
from examples.discord_bot.screens import CONTENT, LABEL, PER_ROW, Button, Menu, Screen, clip

Interaction = discord.Interaction[Any]
Fetch = Callable[[Screen], Awaitable[bytes | None]]
"""Gets a screen's picture; None where it has none, or none can be had."""

STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}
BOARD = "board.png"


class SeaButton(DynamicItem[discord.ui.Button[Any]], template=template("b")):
    """A button; what it does is all in its custom id."""

    def __init__(self, item: discord.ui.Button[Any], pressed: Pressed, row: int | None = None) -> None:
        super().__init__(item, row=row)
        self.pressed = pressed

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """The button that was pressed."""
        if not isinstance(item, discord.ui.Button):
            raise TypeError(item)
        return cls(item, Pressed.of(match))

    async def callback(self, interaction: Interaction) -> None:
        """Do it."""
        await interaction.client.pressed(interaction, self.pressed, "")


class SeaMenu(DynamicItem[discord.ui.Select[Any]], template=template("s")):
    """A menu; what was chosen comes with it."""

    def __init__(self, item: discord.ui.Select[Any], pressed: Pressed, row: int | None = None) -> None:
        super().__init__(item, row=row)
        self.pressed = pressed

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """The menu that was chosen from."""
        if not isinstance(item, discord.ui.Select):
            raise TypeError(item)
        return cls(item, Pressed.of(match))

    async def callback(self, interaction: Interaction) -> None:
        """Do what was chosen."""
        await interaction.client.pressed(interaction, self.pressed, self.item.values[0])


class Shown(NamedTuple):
    """A message, ready to be sent."""

    content: str
    view: View
    files: list[discord.File]
    mentions: discord.AllowedMentions


async def shown(screen: Screen, fetch: Fetch) -> Shown:
    """A screen as a message; only who is meant is woken, whatever names say."""
    picture = await fetch(screen)
    woken = [] if screen.mention is None else [discord.Object(screen.mention)]
    return Shown(
        clip(screen.text, CONTENT),
        view_of(screen),
        [] if picture is None else [discord.File(BytesIO(picture), BOARD)],
        discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=woken),
    )


def view_of(screen: Screen) -> View:
    """Menus, a row each, and buttons below them."""
    view = View(timeout=None)
    for row, menu in enumerate(screen.menus):
        view.add_item(_menu(menu, row))
    for place, button in enumerate(screen.buttons):
        view.add_item(_button(button, len(screen.menus) + place // PER_ROW))
    return view


def _menu(menu: Menu, row: int) -> SeaMenu:
    options = [discord.SelectOption(label=option.label, value=option.value) for option in menu.options]
    select: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=menu.pressed.custom_id("s"), placeholder=menu.placeholder, options=options
    )
    return SeaMenu(select, menu.pressed, row)


def _button(button: Button, row: int) -> SeaButton:
    item: discord.ui.Button[Any] = discord.ui.Button(
        label=clip(button.label, LABEL), style=STYLES[button.style], custom_id=button.pressed.custom_id("b")
    )
    return SeaButton(item, button.pressed, row)
