"""`/v1/keys/me`: what the holder of an API key may see: the key's quotas and its games."""

from functools import partial

from aiohttp import web

from schemas.api_keys import ApiKeyView
from schemas.lobby import Games
from service.games.queries.api_key_games import ApiKeyGamesQuery, list_api_key_games
from service.games.timestamps import timestamp
from service.web.api_keys import cacheable_key_response, require_api_key
from service.web.app_keys import CONTEXT
from service.web.parsing import read_query
from service.web.ratelimit.client_charge import charge_loaded_games
from service.web.responses import link_next_page
from service.web.routes.game_responses import GameListQuery
from service.web.routing import ResponseSpec, Route

api_key_route = partial(Route, tag="API keys", access="key")


@api_key_route(
    "GET",
    "/v1/keys/me",
    operation_id="readApiKey",
    summary="Read the API key",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The key, without its secrets.", ApiKeyView, ("ETag",), examples=("api_key",)),
        ResponseSpec(304, "The key has not changed.", headers=("ETag",)),
    ),
)
async def read_api_key(request: web.Request) -> web.Response:
    """Return the name and the quotas of the API key in the header `Api-Key`, and when its secrets expire."""
    key = await require_api_key(request)
    quotas = key.quotas
    view = ApiKeyView(
        name=key.name,
        created_at=timestamp(key.created_at),
        games_per_hour=quotas.games_per_hour,
        requests_per_minute=quotas.requests_per_minute,
        bot_turns_per_hour=quotas.bot_turns_per_hour,
        rotated_at=timestamp(key.secrets[0].created_at),
        previous_secret_expires_at=next(
            (timestamp(one.expires_at) for one in key.secrets[1:] if one.expires_at is not None), None
        ),
    )
    return cacheable_key_response(request, view)


@api_key_route(
    "GET",
    "/v1/keys/me/games",
    operation_id="listApiKeyGames",
    summary="List the API key's games",
    query=GameListQuery,
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The games, newest first.", Games, ("ETag", "Link")),
        ResponseSpec(304, "The page has not changed.", headers=("ETag", "Link")),
    ),
)
async def list_games_of_api_key(request: web.Request) -> web.Response:
    """List the games that were created with the API key, newest first, private ones too.

    The games come without `board` and `discarded`; `next_cursor` is null on the last page. The tokens are not listed:
    they are stored only as hashes.
    """
    key = await require_api_key(request)
    query = read_query(request, GameListQuery)
    wanted = ApiKeyGamesQuery(key.name, query.status, query.limit, query.cursor)
    page, loaded_count = await list_api_key_games(request.app[CONTEXT], wanted)
    charge_loaded_games(request, loaded_count)
    return link_next_page(request, cacheable_key_response(request, page), "cursor", page.next_cursor)


ROUTES = (read_api_key, list_games_of_api_key)
