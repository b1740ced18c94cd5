"""What the routes that read one game share: its entity tag, 304, and the reader's language."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import web

from service.engine import Game, Tables
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.games import decode_with_tables, load_for_reader
from service.web.app_keys import CONTEXT
from service.web.languages import in_language, language_of, variant
from service.web.parsing import bearer, path_id
from service.web.responses import answer, etag, not_modified
from service.web.routing import Reply, Route

__all__ = ["NOTHING_NEW", "reading", "told_in_state", "told_in_words"]

NOTHING_NEW = Reply(304, "The game has not changed since.", headers=("ETag",))

reading = partial(Route, "GET", access="reads", headers=("If-None-Match",), problems=("not_found",))


async def told_in_state(request: web.Request, tell: Callable[[Tables, Game], Any]) -> web.Response:
    """What a game's state says, unless the client has it already."""
    context = request.app[CONTEXT]
    loaded, private = await load_for_reader(context, path_id(request), bearer(request))
    tag = etag(loaded.version, loaded.digest)
    return not_modified(request, tag, private=private) or answer(
        tell(*decode_with_tables(context, loaded)), tag=tag, private=private
    )


async def told_in_words(request: web.Request, tell: Callable[[GameRecord, Language], Awaitable[Any]]) -> web.Response:
    """What is said of a game in the reader's language, unless the client has it already."""
    loaded, private = await load_for_reader(request.app[CONTEXT], path_id(request), bearer(request))
    language = language_of(request)
    tag = variant(etag(loaded.version, loaded.digest), language)
    response = not_modified(request, tag, private=private)
    if response is None:
        response = answer(await tell(loaded, language), tag=tag, private=private)
    return in_language(response, language)
