"""Discord users as players."""

from typing import Any

import discord

from examples.discord_bot.games import Person
from examples.discord_bot.names import player_name
from examples.discord_bot.phrases import language_of


def person_from(interaction: discord.Interaction[Any]) -> Person:
    """Return the user of an interaction."""
    user = interaction.user
    return Person(user.id, player_name(user.display_name), language_of(interaction.locale.value))
