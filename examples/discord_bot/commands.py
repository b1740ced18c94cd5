"""The slash commands: `/southseas new`, `join`, `board`, `moves`, `scores`, `undo`, `resign`, `back`, and so on."""

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from examples.chat.bot import COMMANDS
from examples.chat.games import NewGameOptions, Person
from examples.chat.screens import clip
from examples.discord_bot.messages import MAX_OPTION_LABEL, MAX_OPTIONS

if TYPE_CHECKING:
    from examples.discord_bot.bot import SouthSeasBot

Interaction = discord.Interaction[Any]

MINUTE_S = 60


class SouthSeasCommands(app_commands.Group):
    """The commands below `/southseas`."""

    def __init__(self, bot: "SouthSeasBot") -> None:
        super().__init__(name="southseas", description="Carcassonne: South Seas", guild_only=True)
        self._bot = bot
        for name in COMMANDS.keys() - {"new", "mygames"}:
            self.add_command(self._game_command(name))

    @app_commands.command(description=COMMANDS["new"])
    @app_commands.describe(
        opponent="Your opponent",
        second="Another opponent",
        third="Another opponent",
        bots="The number of bots",
        strength="The kind of bot",
        free="Open seats for other players",
        minutes="Minutes for a decision; then a bot takes over",
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
        """Start a game; without opponents, against one bot."""
        host = self._bot.person_from(interaction)
        members = {one.id: one for one in (opponent, second, third) if one is not None and one != interaction.user}
        people = [Person(str(one.id), one.display_name, host.language) for one in members.values()]
        bot_count = bots or (0 if people or free else 1)
        options = NewGameOptions(people, [strength] * bot_count, free, None if minutes is None else minutes * MINUTE_S)
        channel = str(interaction.channel_id)
        await self._bot.respond(interaction, lambda: self._bot.core.start_game(host, channel, options), public=True)

    @app_commands.command(description=COMMANDS["mygames"])
    async def mygames(self, interaction: Interaction) -> None:
        """List the user's games."""
        await self._run(interaction, "mygames", None)

    @new.autocomplete("strength")
    async def _strengths(self, _: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest the service's bots."""
        return [
            app_commands.Choice(name=clip(f"{bot.name}: {bot.description}", MAX_OPTION_LABEL), value=bot.name)
            for bot in await self._bot.core.games.bots()
            if bot.name.startswith(current)
        ][:MAX_OPTIONS]

    def _game_command(self, name: str) -> app_commands.Command[Any, ..., None]:
        """Return a command about a game: the named one, or the user's in this channel."""

        async def run(interaction: Interaction, game: str | None = None) -> None:
            await self._run(interaction, name, game)

        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=name, description=COMMANDS[name], callback=run
        )
        command.autocomplete("game")(self._suggest_games)
        return command

    async def _suggest_games(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest the user's games from the bot's own file, which is fast enough for suggestions."""
        games = [seat.game for seat in self._bot.core.storage.seats_of(str(interaction.user.id))]
        return [app_commands.Choice(name=game, value=game) for game in games if game.startswith(current)][:MAX_OPTIONS]

    async def _run(self, interaction: Interaction, name: str, game: str | None) -> None:
        person, channel = self._bot.person_from(interaction), str(interaction.channel_id)
        await self._bot.respond(
            interaction, lambda: self._bot.core.run_command(person, channel, name, game), public=name == "rematch"
        )
