"""Subjects: games, and API keys where they stand for all their games, as in indexes and the store of webhooks."""

__all__ = ["key_of_subject", "subject_of_key"]

_PREFIX = "key."
"""No game's id has a full stop."""


def subject_of_key(name: str) -> str:
    """Return the subject of an API key; that of a game is its id."""
    return _PREFIX + name


def key_of_subject(subject: str) -> str | None:
    """Return the name of the API key that a subject stands for; None for a game.

    >>> key_of_subject(subject_of_key("discord-bot")), key_of_subject("k7m2x9qd4t1w")
    ('discord-bot', None)
    """
    return subject.removeprefix(_PREFIX) if subject.startswith(_PREFIX) else None
