"""The slash commands: `/southseas new`, `join`, `board`, `moves`, `scores`, `undo`, `resign`, `back`, and so on."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from examples.discord_bot.games import GameActions, NewGameOptions, Person
from examples.discord_bot.names import player_name
from examples.discord_bot.people import person_from
from examples.discord_bot.screens import MAX_OPTION_LABEL, MAX_OPTIONS, Screen, clip
from examples.discord_bot.storage import ChannelGame

if TYPE_CHECKING:
    from examples.discord_bot.bot import SouthSeasBot

Interaction = discord.Interaction[Any]
Member = discord.Member | discord.User
GameCommand = Callable[[ChannelGame, Person], Awaitable[Screen]]

MINUTE_S = 60


class SouthSeasCommands(app_commands.Group):
    """The commands below `/southseas`."""

    def __init__(self, bot: "SouthSeasBot") -> None:
        super().__init__(name="southseas", description="Carcassonne: South Seas", guild_only=True)
        self._bot = bot

    @property
    def _actions(self) -> GameActions:
        return self._bot.games

    @app_commands.command(description="Start a game in this channel.")
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
        host = person_from(interaction)
        invited = {one.id: one for one in (opponent, second, third) if one is not None and one.id != host.user}
        people = [Person(one.id, player_name(one.display_name), host.language) for one in invited.values()]
        bot_count = bots or (0 if people or free else 1)
        options = NewGameOptions(people, [strength] * bot_count, free, None if minutes is None else minutes * MINUTE_S)

        async def start() -> Screen:
            channel_game, screen = await self._actions.create(interaction.channel_id or 0, host, options)
            self._bot.notifier.watch(channel_game)
            return screen

        await self._bot.respond(interaction, start, public=True)

    @app_commands.command(description="Take an open seat.")
    async def join(self, interaction: Interaction, game: str | None = None) -> None:
        """Take an open seat."""
        await self._run_in_game(interaction, game, self._actions.join)

    @app_commands.command(description="Show the board, and whose turn it is.")
    async def board(self, interaction: Interaction, game: str | None = None) -> None:
        """Show the board."""
        await self._run_in_game(interaction, game, lambda table, person: self._actions.board(table, person.language))

    @app_commands.command(description="Choose your move.")
    async def moves(self, interaction: Interaction, game: str | None = None) -> None:
        """Choose a move."""
        await self._run_in_game(interaction, game, self._actions.moves)

    @app_commands.command(description="Show the scores.")
    async def scores(self, interaction: Interaction, game: str | None = None) -> None:
        """Show the scores."""
        await self._run_in_game(interaction, game, lambda table, person: self._actions.scores(table, person.language))

    @app_commands.command(description="Undo your last move.")
    async def undo(self, interaction: Interaction, game: str | None = None) -> None:
        """Undo a move."""
        await self._run_in_game(interaction, game, self._actions.undo)

    @app_commands.command(description="Resign the game.")
    async def resign(self, interaction: Interaction, game: str | None = None) -> None:
        """Resign, after a confirmation."""
        await self._run_in_game(interaction, game, self._actions.confirm_resign)

    @app_commands.command(description="Take your seat back from a bot.")
    async def back(self, interaction: Interaction, game: str | None = None) -> None:
        """Take the seat back from a bot."""
        await self._run_in_game(interaction, game, self._actions.return_to_seat)

    @app_commands.command(description="Play again with the same players.")
    async def rematch(self, interaction: Interaction, game: str | None = None) -> None:
        """Start a game with the same players."""

        async def start(channel_game: ChannelGame, person: Person) -> Screen:
            again, screen = await self._actions.rematch(channel_game, person)
            self._bot.notifier.watch(again)
            return screen

        await self._run_in_game(interaction, game, start, public=True)

    @app_commands.command(description="List your games, those that wait for you first.")
    async def mygames(self, interaction: Interaction) -> None:
        """List the user's games."""
        await self._bot.respond(interaction, lambda: self._actions.my_games(person_from(interaction)))

    @new.autocomplete("strength")
    async def _strengths(self, _: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest the service's bots."""
        return [
            app_commands.Choice(name=clip(f"{bot.name}: {bot.description}", MAX_OPTION_LABEL), value=bot.name)
            for bot in await self._actions.bots()
            if bot.name.startswith(current)
        ][:MAX_OPTIONS]

    @join.autocomplete("game")
    @board.autocomplete("game")
    @moves.autocomplete("game")
    @scores.autocomplete("game")
    @undo.autocomplete("game")
    @resign.autocomplete("game")
    @back.autocomplete("game")
    @rematch.autocomplete("game")
    async def _games(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest the user's games from the bot's own file, which is fast enough for suggestions."""
        games = [seat.game for seat in self._bot.storage.seats_of(interaction.user.id)]
        return [app_commands.Choice(name=game, value=game) for game in games if game.startswith(current)][:MAX_OPTIONS]

    async def _run_in_game(
        self, interaction: Interaction, game: str | None, do: GameCommand, *, public: bool = False
    ) -> None:
        person = person_from(interaction)

        async def make() -> Screen:
            channel_game = self._actions.game_in_channel(interaction.channel_id or 0, person.user, game)
            return await do(channel_game, person)

        await self._bot.respond(interaction, make, public=public)
