"""The bot: what Discord sends comes in here, and every answer goes out here, within Discord's three seconds."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import discord
from discord import app_commands

from examples.discord_bot.commands import SouthSeas
from examples.discord_bot.custom_ids import Pressed
from examples.discord_bot.errors import Unanswered
from examples.discord_bot.games import WIDTH, Person, Tables
from examples.discord_bot.messages import SeaButton, SeaMenu, shown
from examples.discord_bot.notifier import Crier
from examples.discord_bot.people import person_of
from examples.discord_bot.phrases import Language, language_of, say
from examples.discord_bot.screens import Screen
from examples.discord_bot.storage import Ledger, Table
from service.client import APIError, ClientError, RetryableError

Make = Callable[[], Awaitable[Screen]]

REFUSALS = {
    "no_open_seat": "full",
    "nothing_to_undo": "nothing_to_undo",
    "not_your_turn": "not_your_turn",
    "not_active": "over",
    "not_replaced": "not_replaced",
    "replaced": "replaced",
    "resigned": "over",
}
"""Phrases for what the service refuses; all else is told in its own words."""

log = logging.getLogger(__name__)


class SeaBot(discord.Client):
    """A Discord client that plays at one service; it reads no messages and needs no privileged intent."""

    def __init__(self, url: str, file: Path, width: int = WIDTH) -> None:
        super().__init__(intents=discord.Intents(guilds=True), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)
        self.ledger = Ledger(file)
        self._url = url
        self._width = width
        self._session: aiohttp.ClientSession | None = None

    async def setup_hook(self) -> None:
        """Open the connections, and follow what is being played."""
        self._session = aiohttp.ClientSession()
        self.tables = Tables(self._url, self._session, self.ledger, self._width)
        self.crier = Crier(self.tables, self.post)
        self.tree.add_command(SouthSeas(self))
        self.add_dynamic_items(SeaButton, SeaMenu)
        self.crier.follow_running()
        await self.tree.sync()

    async def close(self) -> None:
        """Let go of everything; all buttons work again after the next start."""
        if self._session is not None:
            await self.crier.close()
            await self._session.close()
        self.ledger.close()
        await super().close()

    async def post(self, channel: int, screen: Screen) -> None:
        """Send a screen to a channel; one that refuses it is not asked again."""
        message = await shown(screen, self.picture)
        try:
            await self.get_partial_messageable(channel).send(
                message.content, view=message.view, files=message.files, allowed_mentions=message.mentions
            )
        except discord.HTTPException as error:
            log.warning("channel %s does not take a message: %s", channel, error)

    async def picture(self, screen: Screen) -> bytes | None:
        """A screen's picture; the game goes on without it where there is none."""
        if screen.picture is None:
            return None
        try:
            return await self.tables.picture(screen.picture)
        except ClientError as error:
            log.warning("there is no picture of %s: %s", screen.picture.game, error)
            return None

    async def answer(self, interaction: discord.Interaction[Any], make: Make, *, public: bool = False) -> None:
        """Say at once that something comes, then what it is.

        A menu's own message is changed, and stays as it was where there is nothing but a refusal; all else is new.
        """
        is_private = interaction.message is not None and interaction.message.flags.ephemeral
        if is_private:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=not public, thinking=True)
        self.ledger.meet(interaction.user.id, interaction.locale.value)
        try:
            screen = await make()
        except (Unanswered, ClientError) as error:
            screen = Screen(_excuse(error, language_of(interaction.locale.value)))
            if is_private:
                await interaction.followup.send(screen.text, ephemeral=True)
                return
        message = await shown(screen, self.picture)
        await interaction.edit_original_response(
            content=message.content,
            view=message.view,
            attachments=message.files,
            allowed_mentions=message.mentions,
        )

    async def pressed(self, interaction: discord.Interaction[Any], pressed: Pressed, chosen: str) -> None:
        """A button was pressed, or something was chosen from a menu."""
        person = person_of(interaction)
        public = pressed.what == "rematch"
        await self.answer(interaction, lambda: self._do(person, pressed, chosen), public=public)

    async def _do(self, person: Person, pressed: Pressed, chosen: str) -> Screen:
        table = self.tables.find(pressed.game)
        match pressed.what:
            case "move":
                return await self.tables.act(table, person, pressed, chosen or pressed.value)
            case "cell" | "ship" | "page":
                return await self.tables.moves(table, person, pressed, chosen)
            case "join":
                return await self.tables.join(table, person)
            case "rematch":
                again, screen = await self.tables.rematch(table, person)
                self.crier.follow(again)
                return screen
            case _:
                return await self._look(table, person, pressed)

    async def _look(self, table: Table, person: Person, pressed: Pressed) -> Screen:
        match pressed.what:
            case "scores":
                return await self.tables.scores(table, person.language)
            case "undo":
                return await self.tables.undo(table, person, pressed)
            case "resign":
                return await self.tables.resign(table, person)
            case "return":
                return await self.tables.take_back(table, person)
            case _:
                return await self.tables.moves(table, person)


def _excuse(error: Unanswered | ClientError, language: Language) -> str:
    """Why something was not done, kindly."""
    if isinstance(error, Unanswered):
        return say(language, error.key)
    if not isinstance(error, APIError) or isinstance(error, RetryableError):
        log.warning("the service does not answer: %s", error)
        return say(language, "away")
    key = REFUSALS.get(error.code)
    return say(language, key) if key else say(language, "refused", why=error.problem.detail)
