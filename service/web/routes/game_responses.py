"""What the routes that read one game share: its entity tag, 304, and the reader's language."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import web

from service.engine import Game, TileSetIndex
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.games import decode_with_tables, load_for_reader
from service.web.app_keys import CONTEXT
from service.web.languages import localized_etag, negotiate_language, set_content_language
from service.web.parsing import get_path_id, parse_bearer_token
from service.web.responses import game_etag, json_response, not_modified_response
from service.web.routing import ResponseSpec, Route

__all__ = ["NOTHING_NEW", "reading", "told_in_state", "told_in_words"]

NOTHING_NEW = ResponseSpec(304, "The game has not changed since.", headers=("ETag",))

reading = partial(Route, "GET", access="reads", headers=("If-None-Match",), problems=("not_found",))


async def told_in_state(request: web.Request, tell: Callable[[TileSetIndex, Game], Any]) -> web.Response:
    """What a game's state says, unless the client has it already."""
    context = request.app[CONTEXT]
    loaded, private = await load_for_reader(context, get_path_id(request), parse_bearer_token(request))
    tag = game_etag(loaded.version, loaded.digest)
    return not_modified_response(request, tag, private=private) or json_response(
        tell(*decode_with_tables(context, loaded)), etag=tag, private=private
    )


async def told_in_words(request: web.Request, tell: Callable[[GameRecord, Language], Awaitable[Any]]) -> web.Response:
    """What is said of a game in the reader's language, unless the client has it already."""
    loaded, private = await load_for_reader(request.app[CONTEXT], get_path_id(request), parse_bearer_token(request))
    language = negotiate_language(request)
    tag = localized_etag(game_etag(loaded.version, loaded.digest), language)
    response = not_modified_response(request, tag, private=private)
    if response is None:
        response = json_response(await tell(loaded, language), etag=tag, private=private)
    return set_content_language(response, language)
