"""Errors that the bot reports in the user's language."""


class BotError(Exception):
    """The base of the bot's errors; `key` is the key of the phrase to show."""

    key: str


class GameNotFound(BotError):
    """The bot does not know the game."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class NotSeated(BotError):
    """The user has no seat in the game."""

    key = "unseated"


class AlreadySeated(BotError):
    """The user already has a seat in the game."""

    key = "already"
