"""`Change`: what a new version of a game is made of."""

import msgspec

from schemas.events import AnyEvent


class Change(msgspec.Struct, frozen=True):
    """What happened in one version of a game."""

    events: list[AnyEvent]
    at: str
    """The time, as a timestamp."""
    seat: int | None = None
    """Who acted, and was the decider; None if nobody did."""
    move: str | None = None
    """The move's id, None without a move."""
    by: str | None = None
    """Who decided for the seat: `owner`, `seat`, `bot` or `clock`."""
