"""The API key of a request, for handlers."""

from aiohttp import web

from service.games.api_keys.key import ApiKey
from service.games.errors import ApiKeyRejected
from service.web.app_keys import API_KEY, API_KEYS
from service.web.parsing import parse_api_key

__all__ = ["authenticate_api_key", "require_api_key"]


async def authenticate_api_key(request: web.Request) -> ApiKey | None:
    """Return the API key of a request; None if it has none. Raises ApiKeyRejected, Malformed, StoreUnavailable.

    The rate limiter has authenticated it already, unless rate limits are off.
    """
    if (key := request.get(API_KEY)) is None and (secret := parse_api_key(request)) is not None:
        request[API_KEY] = key = await request.app[API_KEYS].authenticate(secret)
    return key


async def require_api_key(request: web.Request) -> ApiKey:
    """Return the API key of a request. Raises what `authenticate_api_key` does."""
    key = await authenticate_api_key(request)
    if key is None:
        raise ApiKeyRejected("send the API key in the header Api-Key")
    return key
