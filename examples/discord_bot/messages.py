"""Screens as Discord messages, with components in rows and the picture as a file."""

from collections.abc import Awaitable, Callable
from io import BytesIO
from re import Match
from typing import Any, NamedTuple, Self

import discord
from discord.ui import DynamicItem, View

from examples.discord_bot.custom_ids import ComponentAction, id_pattern
from examples.discord_bot.screens import MAX_BUTTONS_PER_ROW, MAX_CONTENT, MAX_LABEL, Button, Menu, Screen, clip

Interaction = discord.Interaction[Any]
PictureFetcher = Callable[[Screen], Awaitable[bytes | None]]
"""Returns a screen's picture, or None without one."""

STYLES = {
    "primary": discord.ButtonStyle.primary,
    "secondary": discord.ButtonStyle.secondary,
    "success": discord.ButtonStyle.success,
    "danger": discord.ButtonStyle.danger,
}
PICTURE_FILE = "board.png"


class ActionButton(DynamicItem[discord.ui.Button[Any]], template=id_pattern("b")):
    """A button; its custom id contains its action."""

    def __init__(self, item: discord.ui.Button[Any], action: ComponentAction, row: int | None = None) -> None:
        super().__init__(item, row=row)
        self.action = action

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """Return the pressed button."""
        if not isinstance(item, discord.ui.Button):
            raise TypeError(item)
        return cls(item, ComponentAction.from_match(match))

    async def callback(self, interaction: Interaction) -> None:
        """Perform the button's action."""
        await interaction.client.on_component(interaction, self.action, "")


class ActionMenu(DynamicItem[discord.ui.Select[Any]], template=id_pattern("s")):
    """A menu; its custom id contains its action."""

    def __init__(self, item: discord.ui.Select[Any], action: ComponentAction, row: int | None = None) -> None:
        super().__init__(item, row=row)
        self.action = action

    @classmethod
    async def from_custom_id(cls, _: Interaction, item: discord.ui.Item[Any], match: Match[str], /) -> Self:
        """Return the used menu."""
        if not isinstance(item, discord.ui.Select):
            raise TypeError(item)
        return cls(item, ComponentAction.from_match(match))

    async def callback(self, interaction: Interaction) -> None:
        """Perform the menu's action with the chosen value."""
        await interaction.client.on_component(interaction, self.action, self.item.values[0])


class DiscordMessage(NamedTuple):
    """A message, ready to send."""

    content: str
    view: View
    files: list[discord.File]
    mentions: discord.AllowedMentions


async def render_message(screen: Screen, fetch: PictureFetcher) -> DiscordMessage:
    """Return a screen as a message; it notifies `screen.mention` only, whatever names contain."""
    picture = await fetch(screen)
    users = [] if screen.mention is None else [discord.Object(screen.mention)]
    return DiscordMessage(
        clip(screen.text, MAX_CONTENT),
        build_view(screen),
        [] if picture is None else [discord.File(BytesIO(picture), PICTURE_FILE)],
        discord.AllowedMentions(everyone=False, roles=False, replied_user=False, users=users),
    )


def build_view(screen: Screen) -> View:
    """Return the components: a row for each menu, and buttons below them."""
    view = View(timeout=None)
    for row, menu in enumerate(screen.menus):
        view.add_item(_menu(menu, row))
    for place, button in enumerate(screen.buttons):
        view.add_item(_button(button, len(screen.menus) + place // MAX_BUTTONS_PER_ROW))
    return view


def _menu(menu: Menu, row: int) -> ActionMenu:
    options = [discord.SelectOption(label=option.label, value=option.value) for option in menu.options]
    select: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=menu.action.custom_id("s"), placeholder=menu.placeholder, options=options
    )
    return ActionMenu(select, menu.action, row)


def _button(button: Button, row: int) -> ActionButton:
    item: discord.ui.Button[Any] = discord.ui.Button(
        label=clip(button.label, MAX_LABEL), style=STYLES[button.style], custom_id=button.action.custom_id("b")
    )
    return ActionButton(item, button.action, row)
