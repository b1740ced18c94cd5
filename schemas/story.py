"""The story of a game: its events as sentences."""

from schemas.base import ResponseModel
from schemas.game import Timestamp
from schemas.vocabulary import Digest, Language


class StoryLine(ResponseModel):
    """The events of one version, as plain text."""

    version: int
    at: Timestamp
    turn: int | None
    """The turn's number, to group lines into paragraphs; null before the first turn."""
    seat: int | None
    """The seat that acted; null if none did."""
    text: str
    """One or more sentences with players' names unescaped; escape the text for markup."""


class Story(ResponseModel):
    """The response of `GET /v1/games/{id}/story`: a page of the log as sentences, and the current status."""

    version: int
    """The game's current version."""
    digest: Digest
    """The digest of that version."""
    language: Language
    lines: list[StoryLine]
    """Oldest first."""
    now: str
    """Whose turn it is and its deadline, or how the game ended."""
