"""The Discord client: it receives interactions, and responds within Discord's limit of three seconds."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import discord
from discord import app_commands

from examples.chat.actions import ChatAction
from examples.chat.bot import ChatBot
from examples.chat.games import Person
from examples.chat.phrases import language_of, translate
from examples.chat.screens import Screen
from examples.discord_bot.commands import SouthSeasCommands
from examples.discord_bot.messages import ActionButton, ActionMenu, render_message

SEND_ERRORS = (discord.HTTPException, aiohttp.ClientError, OSError, ValueError)
"""What discord.py raises for a message that cannot be sent, after its retries; ValueError for one that is too large."""

log = logging.getLogger(__name__)


class SouthSeasBot(discord.Client):
    """The Discord client of one service; it reads no messages and needs no privileged intents."""

    def __init__(self, core: ChatBot) -> None:
        super().__init__(intents=discord.Intents(guilds=True), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)
        self.core = core

    async def setup_hook(self) -> None:
        """Open the connections, watch the running games, and register the commands."""
        await self.core.open(self.post)
        self.tree.add_command(SouthSeasCommands(self))
        self.add_dynamic_items(ActionButton, ActionMenu)
        await self.tree.sync()

    async def close(self) -> None:
        """Close the connections; buttons work again after the next start."""
        await self.core.close()
        await super().close()

    async def post(self, channel: str, screen: Screen) -> None:
        """Send a screen to a channel; log a failure without a retry."""
        picture = await self.core.picture(screen)
        try:
            message = render_message(screen, picture)
            await self.get_partial_messageable(int(channel)).send(
                message.content, view=message.view, files=message.files, allowed_mentions=message.mentions
            )
        except SEND_ERRORS as error:
            log.warning("cannot send a message to channel %s: %s", channel, error)

    async def on_press(self, interaction: discord.Interaction[Any], action: ChatAction) -> None:
        """Perform the action of a pressed button, or of an option of a menu."""
        person = self.person_from(interaction)
        await self.respond(interaction, lambda: self.core.press(person, action), public=action.name == "rematch")

    async def respond(
        self, interaction: discord.Interaction[Any], make: Callable[[], Awaitable[Screen]], *, public: bool = False
    ) -> None:
        """Defer the response, then send the screen. Without a response in time nothing is done.

        An interaction from a private message edits that message, unless there is an error; others get a new message.
        """
        is_private = interaction.message is not None and interaction.message.flags.ephemeral
        if is_private:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=not public, thinking=True)
        screen = await make()
        if is_private and screen.is_error:
            await self._send_privately(interaction, screen.text)
        elif not await self._edit(interaction, screen):
            failure = translate(language_of(interaction.locale.value), "failed")
            if is_private:
                await self._send_privately(interaction, failure)
            elif not await self._edit(interaction, Screen(failure)):
                await self._remove_response(interaction)

    async def _edit(self, interaction: discord.Interaction[Any], screen: Screen) -> bool:
        """Edit the response, at the second attempt without the picture; return whether that succeeded."""
        picture = await self.core.picture(screen)
        for attached in (picture, None) if picture else (None,):
            try:
                message = render_message(screen, attached)
                await interaction.edit_original_response(
                    content=message.content,
                    view=message.view,
                    attachments=message.files,
                    allowed_mentions=message.mentions,
                )
            except SEND_ERRORS as error:
                log.warning("cannot edit a response: %s", error)
            else:
                return True
        return False

    async def _send_privately(self, interaction: discord.Interaction[Any], text: str) -> None:
        try:
            await interaction.followup.send(text, ephemeral=True)
        except SEND_ERRORS as error:
            log.warning("cannot send a private message: %s", error)

    async def _remove_response(self, interaction: discord.Interaction[Any]) -> None:
        """Delete a response that would say forever that the bot is thinking."""
        try:
            await interaction.delete_original_response()
        except SEND_ERRORS as error:
            log.warning("cannot delete a response: %s", error)

    @staticmethod
    def person_from(interaction: discord.Interaction[Any]) -> Person:
        """Return the user of an interaction."""
        user = interaction.user
        return Person(str(user.id), user.display_name, language_of(interaction.locale.value))
