"""Responses of the routes that read one game: entity tag, 304 and language."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from aiohttp import web
from msgspec import Meta

from schemas.base import Query
from schemas.vocabulary import GameCursor, Status
from service.engine import Game, TileSetIndex
from service.games.ports.game_store import GameRecord
from service.games.queries.games import load_for_reader
from service.games.repository import decode_with_index
from service.i18n import ENGLISH
from service.web.app_keys import CONTEXT
from service.web.headers.fields import PreferredLanguage
from service.web.headers.negotiation import localized_etag, set_content_language
from service.web.responses import game_etag, json_response, link_next_page, not_modified_response
from service.web.routing import GameRead, Route

__all__ = [
    "GameListQuery",
    "LocalizedRead",
    "NextPage",
    "game_read_route",
    "localized_response",
    "state_response",
]


class GameListQuery(Query, frozen=True):
    """Filters and page of a list of games."""

    status: Annotated[Status, Meta(description="Only games with this status.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=100, description="The maximum number of games per page.")] = 50
    cursor: GameCursor | None = None


class LocalizedRead(GameRead, frozen=True, kw_only=True):
    """A request that reads a game in words."""

    language: PreferredLanguage = ENGLISH


game_read_route = partial(Route, "GET", tag="playing")


async def state_response(
    request: web.Request, params: GameRead, build: Callable[[TileSetIndex, Game], Any]
) -> web.Response:
    """Return what `build` makes of the game's state, or 304 if the client's copy is current."""
    context = request.app[CONTEXT]
    record, private = await load_for_reader(context, params.id, params.token)
    tag = game_etag(*record.revision)
    return not_modified_response(request, tag, private=private) or json_response(
        build(*decode_with_index(context.tilesets, record)), etag=tag, private=private
    )


NextPage = tuple[str, str | int | None]
"""The query parameter of the next page, and its value; None on the last page."""


async def localized_response(
    request: web.Request, params: LocalizedRead, build: Callable[[GameRecord], Awaitable[tuple[Any, NextPage]]]
) -> web.Response:
    """Return the page that `build` makes of the game in the client's language, or 304 if its copy is current."""
    record, private = await load_for_reader(request.app[CONTEXT], params.id, params.token)
    tag = localized_etag(game_etag(*record.revision), params.language)
    response = not_modified_response(request, tag, private=private)
    if response is None:
        content, next_page = await build(record)
        response = link_next_page(request, json_response(content, etag=tag, private=private), *next_page)
    return set_content_language(response, params.language)
