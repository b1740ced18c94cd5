"""`/v1/keys/me`: what the holder of an API key may see: the key's quotas and its games."""

from typing import ClassVar

from aiohttp import web

from schemas.api_keys import ApiKeyView
from schemas.lobby import Games
from service.games.api_key import ApiKey
from service.games.queries.lobby import ApiKeyGamesQuery, list_api_key_games
from service.telemetry.clock import timestamp
from service.web.app_keys import CONTEXT
from service.web.headers.bearer_tokens import API_KEY_HEADER
from service.web.headers.negotiation import add_vary
from service.web.ratelimit.charge import charge_loaded_games
from service.web.responses import cacheable_response, link_next_page
from service.web.routes.game_responses import GameListQuery
from service.web.routing import Access, Request, Route


class KeyRead(Request, frozen=True, kw_only=True):
    """A request of an API key's holder."""

    access: ClassVar[Access] = "key"
    api_key: ApiKey


class KeyGameList(KeyRead, frozen=True, kw_only=True):
    """A request for an API key's games."""

    query: GameListQuery = GameListQuery()


@Route(
    "GET", "/v1/keys/me", "readApiKey", "Read the API key", ApiKeyView, "The key, without its secrets.", tag="API keys"
)
async def read_api_key(request: web.Request, params: KeyRead) -> web.Response:
    """Return the name and the quotas of the API key in the header `Api-Key`, and when its secrets expire."""
    key = params.api_key
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
    return add_vary(cacheable_response(request, view, private=True), API_KEY_HEADER)


@Route(
    "GET",
    "/v1/keys/me/games",
    "listApiKeyGames",
    "List the API key's games",
    Games,
    "The games, newest first.",
    tag="API keys",
)
async def list_games_of_api_key(request: web.Request, params: KeyGameList) -> web.Response:
    """List the games that were created with the API key, newest first, private ones too.

    The games come without `board` and `discarded`; `next_cursor` is null on the last page. The tokens are not listed:
    they are stored only as hashes.
    """
    query = params.query
    wanted = ApiKeyGamesQuery(params.api_key.name, query.status, query.limit, query.cursor)
    page, loaded_count = await list_api_key_games(request.app[CONTEXT], wanted)
    charge_loaded_games(request, loaded_count)
    response = add_vary(cacheable_response(request, page, private=True), API_KEY_HEADER)
    return link_next_page(request, response, "cursor", page.next_cursor)


ROUTES = (read_api_key, list_games_of_api_key)
