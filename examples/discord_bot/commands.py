"""The slash commands: `/southseas new`, `join`, `board`, `moves`, `scores`, `undo`, `resign`, `back`, and so on."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from examples.discord_bot.games import Person, Tables, Wish
from examples.discord_bot.people import person_of, table_name
from examples.discord_bot.screens import OPTION, OPTIONS, Screen, clip
from examples.discord_bot.storage import Table

if TYPE_CHECKING:
    from examples.discord_bot.bot import SeaBot

Interaction = discord.Interaction[Any]
Member = discord.Member | discord.User
Do = Callable[[Table, Person], Awaitable[Screen]]

MINUTE_S = 60


class SouthSeas(app_commands.Group):
    """All commands, below `/southseas`."""

    def __init__(self, bot: "SeaBot") -> None:
        super().__init__(name="southseas", description="Carcassonne: South Seas", guild_only=True)
        self._bot = bot

    @property
    def _tables(self) -> Tables:
        return self._bot.tables

    @app_commands.command(description="Begin a table in this channel.")
    @app_commands.describe(
        opponent="Who plays with you",
        second="Another opponent",
        third="Another opponent",
        bots="How many of the service's bots play",
        strength="How well they play",
        free="Seats for whoever joins",
        minutes="Minutes to decide; then a bot stands in",
    )
    async def new(  # noqa: PLR0913, PLR0917 (the command's options)
        self,
        interaction: Interaction,
        opponent: discord.Member | None = None,
        second: discord.Member | None = None,
        third: discord.Member | None = None,
        bots: app_commands.Range[int, 0, 4] = 0,
        strength: str = "greedy",
        free: app_commands.Range[int, 0, 4] = 0,
        minutes: app_commands.Range[int, 1, 10080] | None = None,
    ) -> None:
        """Begin a table; alone, against a bot."""
        host = person_of(interaction)
        invited = {one.id: one for one in (opponent, second, third) if one is not None and one.id != host.user}
        people = [Person(one.id, table_name(one.display_name), host.language) for one in invited.values()]
        computers = bots or (0 if people or free else 1)
        wish = Wish(people, [strength] * computers, free, None if minutes is None else minutes * MINUTE_S)

        async def begin() -> Screen:
            table, screen = await self._tables.begin(interaction.channel_id or 0, host, wish)
            self._bot.crier.follow(table)
            return screen

        await self._bot.answer(interaction, begin, public=True)

    @app_commands.command(description="Take a free seat.")
    async def join(self, interaction: Interaction, game: str | None = None) -> None:
        """Take a free seat."""
        await self._about(interaction, game, self._tables.join)

    @app_commands.command(description="Show the board, and what is waited for.")
    async def board(self, interaction: Interaction, game: str | None = None) -> None:
        """Show the board."""
        await self._about(interaction, game, lambda table, person: self._tables.board(table, person.language))

    @app_commands.command(description="Choose what you do.")
    async def moves(self, interaction: Interaction, game: str | None = None) -> None:
        """Choose a move."""
        await self._about(interaction, game, self._tables.moves)

    @app_commands.command(description="Show everybody's points.")
    async def scores(self, interaction: Interaction, game: str | None = None) -> None:
        """Show the points."""
        await self._about(interaction, game, lambda table, person: self._tables.scores(table, person.language))

    @app_commands.command(description="Take your last move back.")
    async def undo(self, interaction: Interaction, game: str | None = None) -> None:
        """Take a move back."""
        await self._about(interaction, game, self._tables.undo)

    @app_commands.command(description="Give up.")
    async def resign(self, interaction: Interaction, game: str | None = None) -> None:
        """Give up, after being asked once more."""
        await self._about(interaction, game, self._tables.resigning)

    @app_commands.command(description="Take your seat back from the bot that stands in.")
    async def back(self, interaction: Interaction, game: str | None = None) -> None:
        """Take one's seat back."""
        await self._about(interaction, game, self._tables.take_back)

    @app_commands.command(description="Play again with the same players.")
    async def rematch(self, interaction: Interaction, game: str | None = None) -> None:
        """Play again."""

        async def begin(table: Table, person: Person) -> Screen:
            again, screen = await self._tables.rematch(table, person)
            self._bot.crier.follow(again)
            return screen

        await self._about(interaction, game, begin, public=True)

    @app_commands.command(description="Your games, those that wait for you first.")
    async def mygames(self, interaction: Interaction) -> None:
        """List one's games."""
        await self._bot.answer(interaction, lambda: self._tables.mine(person_of(interaction)))

    @new.autocomplete("strength")
    async def _strengths(self, _: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """The service's bots, whichever it has."""
        return [
            app_commands.Choice(name=clip(f"{bot.name}: {bot.description}", OPTION), value=bot.name)
            for bot in await self._tables.bots()
            if bot.name.startswith(current)
        ][:OPTIONS]

    @join.autocomplete("game")
    @board.autocomplete("game")
    @moves.autocomplete("game")
    @scores.autocomplete("game")
    @undo.autocomplete("game")
    @resign.autocomplete("game")
    @back.autocomplete("game")
    @rematch.autocomplete("game")
    async def _games(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """The user's games that begin so; from the bot's own file, as there is little time."""
        games = [seat.game for seat in self._bot.ledger.seats_of(interaction.user.id)]
        return [app_commands.Choice(name=game, value=game) for game in games if game.startswith(current)][:OPTIONS]

    async def _about(self, interaction: Interaction, game: str | None, do: Do, *, public: bool = False) -> None:
        person = person_of(interaction)

        async def make() -> Screen:
            table = self._tables.in_channel(interaction.channel_id or 0, person.user, game)
            return await do(table, person)

        await self._bot.answer(interaction, make, public=public)
