"""Query parameters that several routes share."""

from typing import Annotated, Literal

from aiohttp import web
from msgspec import Meta

from schemas.vocabulary import GameCursor, Status
from service.web.parsing import read_query
from service.web.routing import Query

__all__ = ["GameListQuery", "IncludeQuery", "includes_legal_moves"]


class IncludeQuery(Query, frozen=True):
    """Optional parts of a response."""

    include: (
        Annotated[Literal["legal_moves"], Meta(description="Adds the next legal moves to the response.")] | None
    ) = None


def includes_legal_moves(request: web.Request) -> bool:
    """Return whether the query asks for the next legal moves. Raises Malformed."""
    return bool(request.query_string) and read_query(request, IncludeQuery).include is not None


class GameListQuery(Query, frozen=True):
    """Filters and page of a list of games."""

    status: Annotated[Status, Meta(description="Only games with this status.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of games per page.")] = 50
    cursor: GameCursor | None = None
