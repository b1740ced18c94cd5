"""What a user asked for and cannot have; the bot says it in their language."""


class Unanswered(Exception):
    """Something that a phrase answers; `key` is the phrase's."""

    key: str


class NoTable(Unanswered):
    """There is no such game here."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class NotSeated(Unanswered):
    """The user does not sit at this table."""

    key = "unseated"


class AlreadySeated(Unanswered):
    """The user sits at this table already."""

    key = "already"
