"""`Expect: 100-continue` (RFC 9110, 10.1.1): a client sends its body only once the request is accepted without it.

aiohttp would answer before any handler runs, so it does not get to see the header.
"""

from collections.abc import Callable
from typing import Any

from aiohttp import HttpVersion11, hdrs, web

from service.games.errors import Unauthorized
from service.games.queries.games import load_for_reader
from service.web.app_keys import CONTEXT, EXPECTS_CONTINUE, TOKEN_HANDLERS
from service.web.headers.bearer_tokens import parse_bearer_token

RequestFactory = Callable[..., web.BaseRequest]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def without_expectations(make_request: RequestFactory) -> RequestFactory:
    """Return a factory of requests that have no Expect; `EXPECTS_CONTINUE` says whether one expects 100 Continue.

    HTTP/1.0 has no interim responses, and any other expectation is ignored.
    """

    def make(*parts: Any) -> web.BaseRequest:
        request = make_request(*parts)
        if hdrs.EXPECT not in request.headers:
            return request
        headers = request.headers.copy()
        expectations = headers.popall(hdrs.EXPECT)
        request = request.clone(headers=headers)
        request[EXPECTS_CONTINUE] = request.version >= HttpVersion11 and "100-continue" in map(str.lower, expectations)
        return request

    return make


async def continue_if_expected(request: web.Request) -> None:
    """Send 100 Continue to a client that waits for it.

    Call it when only the body is missing. Raises Unauthorized or NoSuchGame if the request would be rejected for its
    token.
    """
    if not request.get(EXPECTS_CONTINUE, False) or request.content.total_bytes:
        return
    token = parse_bearer_token(request)
    if token is None and request.match_info.handler in request.app[TOKEN_HANDLERS]:
        raise Unauthorized(missing=True)
    if (game := request.match_info.get("id")) is not None:
        await load_for_reader(request.app[CONTEXT], game, token)
    request[EXPECTS_CONTINUE] = False
    await request.writer.write(CONTINUE)
    request.writer.output_size = 0  # so that aiohttp counts only the final response
