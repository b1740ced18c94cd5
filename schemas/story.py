"""What happened, in sentences. Source: the events of `schemas.events`, for people to read."""

from schemas.base import ResponseModel
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Language


class StoryLine(ResponseModel):
    """One version of the game: what happened with it, in plain text."""

    version: int
    at: Timestamp
    turn: int | None
    """The turn in which it happened, so that a turn can be told as one paragraph; null before the first."""
    seat: int | None
    """Who acted; null where nobody did."""
    text: str
    """One or more sentences, names as the players wrote them: escape it where your chat reads markup."""


class Story(ResponseModel):
    """The answer to `GET /v1/games/{id}/story`: a part of the log in sentences, and what is waited for now."""

    version: int
    """The game's now."""
    digest: Digest
    """The game's now."""
    language: Language
    lines: list[StoryLine]
    """Oldest first."""
    now: str
    """Whose turn it is and until when, or how the game ended."""
