"""The API key of a request, and responses that depend on it, for handlers."""

from typing import Any

from aiohttp import web

from service.games.api_key import ApiKey
from service.games.errors import ApiKeyRejected
from service.web.app_keys import API_KEY, API_KEYS
from service.web.headers.bearer_tokens import API_KEY_HEADER, parse_api_key
from service.web.headers.negotiation import add_vary
from service.web.responses import cacheable_response

__all__ = ["authenticate_api_key", "cacheable_key_response", "require_api_key"]


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


def cacheable_key_response(request: web.Request, value: Any) -> web.Response:
    """Return a JSON response that depends on the API key, or 304 if the client's copy is current."""
    return add_vary(cacheable_response(request, value, private=True), API_KEY_HEADER)
