"""Errors that the bot reports in the user's language."""


class BotError(Exception):
    """An error of a user; `key` is the key of the phrase to show."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key
