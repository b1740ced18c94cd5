"""The Discord client: it receives interactions, and responds within Discord's limit of three seconds."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord import app_commands

from examples.discord_bot.commands import SouthSeasCommands
from examples.discord_bot.custom_ids import ComponentAction
from examples.discord_bot.errors import BotError
from examples.discord_bot.games import PICTURE_WIDTH, GameActions, Person
from examples.discord_bot.messages import ActionButton, ActionMenu, render_message
from examples.discord_bot.notifier import TurnNotifier
from examples.discord_bot.people import person_from
from examples.discord_bot.phrases import Language, language_of, translate
from examples.discord_bot.screens import Screen
from examples.discord_bot.storage import BotStorage, ChannelGame
from south_seas import APIError, ClientError, RetryableError

ScreenFactory = Callable[[], Awaitable[Screen]]

PROBLEM_PHRASES = {
    "no_open_seat": "full",
    "nothing_to_undo": "nothing_to_undo",
    "not_your_turn": "not_your_turn",
    "not_active": "over",
    "not_replaced": "not_replaced",
    "replaced": "replaced",
    "resigned": "over",
}
"""Phrases for problem codes; other problems show the service's own text."""

log = logging.getLogger(__name__)


class SouthSeasBot(discord.Client):
    """The Discord client of one service; it reads no messages and needs no privileged intents."""

    def __init__(self, url: str, file: Path, width: int = PICTURE_WIDTH) -> None:
        super().__init__(intents=discord.Intents(guilds=True), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)
        self.storage = BotStorage(file)
        self._url = url
        self._width = width
        self._session: aiohttp.ClientSession | None = None

    async def setup_hook(self) -> None:
        """Open the connections, and watch the running games."""
        self._session = aiohttp.ClientSession()
        self.games = GameActions(self._url, self._session, self.storage, self._width)
        self.notifier = TurnNotifier(self.games, self.post)
        self.tree.add_command(SouthSeasCommands(self))
        self.add_dynamic_items(ActionButton, ActionMenu)
        self.notifier.watch_running()
        await self.tree.sync()

    async def close(self) -> None:
        """Close the connections; buttons work again after the next start."""
        if self._session is not None:
            await self.notifier.close()
            await self._session.close()
        self.storage.close()
        await super().close()

    async def post(self, channel: int, screen: Screen) -> None:
        """Send a screen to a channel; log a failure without a retry."""
        message = await render_message(screen, self.picture)
        try:
            await self.get_partial_messageable(channel).send(
                message.content, view=message.view, files=message.files, allowed_mentions=message.mentions
            )
        except discord.HTTPException as error:
            log.warning("cannot send a message to channel %s: %s", channel, error)

    async def picture(self, screen: Screen) -> bytes | None:
        """Return a screen's picture; None if it has none, or the service cannot draw it now."""
        if screen.picture is None:
            return None
        try:
            return await self.games.picture(screen.picture)
        except ClientError as error:
            log.warning("no picture of game %s: %s", screen.picture.game, error)
            return None

    async def respond(
        self, interaction: discord.Interaction[Any], make: ScreenFactory, *, public: bool = False
    ) -> None:
        """Defer the response, then send the screen.

        An interaction from a private message edits that message, unless there is an error; others get a new message.
        """
        is_private = interaction.message is not None and interaction.message.flags.ephemeral
        if is_private:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=not public, thinking=True)
        self.storage.save_locale(interaction.user.id, interaction.locale.value)
        try:
            screen = await make()
        except (BotError, ClientError) as error:
            screen = Screen(_error_text(error, language_of(interaction.locale.value)))
            if is_private:
                await interaction.followup.send(screen.text, ephemeral=True)
                return
        message = await render_message(screen, self.picture)
        await interaction.edit_original_response(
            content=message.content,
            view=message.view,
            attachments=message.files,
            allowed_mentions=message.mentions,
        )

    async def on_component(self, interaction: discord.Interaction[Any], action: ComponentAction, chosen: str) -> None:
        """Perform the action of a pressed button, or of a menu's chosen value."""
        person = person_from(interaction)
        public = action.name == "rematch"
        await self.respond(interaction, lambda: self._perform(person, action, chosen), public=public)

    async def _perform(self, person: Person, action: ComponentAction, chosen: str) -> Screen:
        channel_game = self.games.get_game(action.game)
        match action.name:
            case "move":
                return await self.games.act(channel_game, person, action, chosen or action.value)
            case "cell" | "ship" | "page":
                return await self.games.moves(channel_game, person, action, chosen)
            case "join":
                return await self.games.join(channel_game, person)
            case "rematch":
                again, screen = await self.games.rematch(channel_game, person)
                self.notifier.watch(again)
                return screen
            case _:
                return await self._perform_other(channel_game, person, action)

    async def _perform_other(self, channel_game: ChannelGame, person: Person, action: ComponentAction) -> Screen:
        match action.name:
            case "scores":
                return await self.games.scores(channel_game, person.language)
            case "undo":
                return await self.games.undo(channel_game, person, action)
            case "resign":
                return await self.games.resign(channel_game, person)
            case "return":
                return await self.games.return_to_seat(channel_game, person)
            case _:
                return await self.games.moves(channel_game, person)


def _error_text(error: BotError | ClientError, language: Language) -> str:
    """Return the text of an error for the user."""
    if isinstance(error, BotError):
        return translate(language, error.key)
    if not isinstance(error, APIError) or isinstance(error, RetryableError):
        log.warning("the service is unavailable: %s", error)
        return translate(language, "away")
    key = PROBLEM_PHRASES.get(error.code)
    return translate(language, key) if key else translate(language, "refused", why=error.problem.detail)
