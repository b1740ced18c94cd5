"""Discord's people as the table calls them."""

import unicodedata
from typing import Any

import discord

from examples.discord_bot.tables import Person
from examples.discord_bot.words import language_of
from schemas.vocabulary import REFUSED_CATEGORIES

LONGEST = 32


def person_of(interaction: discord.Interaction[Any]) -> Person:
    """Whoever asks."""
    user = interaction.user
    return Person(user.id, table_name(user.display_name), language_of(interaction.locale.value))


def table_name(name: str) -> str:
    r"""A display name as the service takes it: 1 to 32 characters, no control or format ones.

    >>> table_name("Zo\u200de\n")
    'Zoe'
    """
    kept = "".join(character for character in name if unicodedata.category(character) not in REFUSED_CATEGORIES)
    return kept.strip()[:LONGEST].strip() or "?"
