"""Query parameters that several routes share."""

from typing import Annotated, Literal

from msgspec import Meta

from schemas.vocabulary import Count, Status
from service.games.queries import games
from service.web.routing import Query

__all__ = ["GameListQuery", "IncludeQuery", "LogQuery"]


class IncludeQuery(Query, frozen=True):
    """What an answer holds besides."""

    include: (
        Annotated[Literal["legal_moves"], Meta(description="Puts the next legal moves into the answer.")] | None
    ) = None


class GameListQuery(Query, frozen=True):
    """Which games are listed."""

    status: Annotated[Status, Meta(description="Only games of this status.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100, description="Games in one answer.")] = 50
    cursor: Annotated[str, Meta(max_length=200, description="`next_cursor` of the answer before.")] | None = None


class LogQuery(Query, frozen=True):
    """Which part of the log."""

    since: Annotated[Count, Meta(description="Only versions after this one.")] = 0
    limit: Annotated[int, Meta(ge=1, le=games.MAX_DIFFS, description="Diffs in one answer.")] = 100
