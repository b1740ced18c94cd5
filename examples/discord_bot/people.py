"""Discord's people as the table calls them."""

import unicodedata
from typing import Any

import discord

from examples.discord_bot.games import Person
from examples.discord_bot.phrases import language_of
from schemas.player_names import FORBIDDEN_CATEGORIES, INVISIBLE_CHARACTERS, MAX_NAME_LENGTH, is_visible


def person_of(interaction: discord.Interaction[Any]) -> Person:
    """Whoever asks."""
    user = interaction.user
    return Person(user.id, table_name(user.display_name), language_of(interaction.locale.value))


def table_name(name: str) -> str:
    r"""A display name as the service takes it: 1 to 32 characters, one that can be seen, no control or format ones.

    >>> table_name("Zo\u200de\n"), table_name("\u3164")
    ('Zoe', '?')
    """
    kept = "".join(
        character
        for character in unicodedata.normalize("NFC", name)
        if character not in INVISIBLE_CHARACTERS and unicodedata.category(character) not in FORBIDDEN_CATEGORIES
    )
    short = kept.strip()[:MAX_NAME_LENGTH].strip()
    return short if any(map(is_visible, short)) else "?"
