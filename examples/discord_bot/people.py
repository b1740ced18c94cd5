"""Discord users as players."""

import unicodedata
from typing import Any

import discord

from examples.discord_bot.games import Person
from examples.discord_bot.phrases import language_of
from schemas.player_names import FORBIDDEN_CATEGORIES, INVISIBLE_CHARACTERS, MAX_NAME_LENGTH, is_visible


def person_from(interaction: discord.Interaction[Any]) -> Person:
    """Return the user of an interaction."""
    user = interaction.user
    return Person(user.id, player_name(user.display_name), language_of(interaction.locale.value))


def player_name(name: str) -> str:
    r"""Return a display name as a valid player name: 1 to 32 characters, one visible, no control or format ones.

    >>> player_name("Zo\u200de\n"), player_name("\u3164")
    ('Zoe', '?')
    """
    allowed = "".join(
        character
        for character in unicodedata.normalize("NFC", name)
        if character not in INVISIBLE_CHARACTERS and unicodedata.category(character) not in FORBIDDEN_CATEGORIES
    )
    short = allowed.strip()[:MAX_NAME_LENGTH].strip()
    return short if any(map(is_visible, short)) else "?"
