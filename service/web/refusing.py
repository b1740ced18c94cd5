"""Around every handler: what it refuses becomes a problem, and OPTIONS is answered for every path."""

from aiohttp import web
from aiohttp.typedefs import Handler

from service.web.problems import REFUSALS, allow_header, http_problem, refusal_response

ALLOWED_HEADERS = (
    "Accept, Authorization, Content-Type, Creator-Key, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer"
)
PREFLIGHT_MAX_AGE_S = 7200


@web.middleware
async def refusing(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer what the handler raises as a problem."""
    try:
        return await handler(request)
    except REFUSALS as error:
        return refusal_response(error)
    except web.HTTPMethodNotAllowed as error:
        return _options(error) if request.method == "OPTIONS" else http_problem(error)
    except web.HTTPException as error:
        return http_problem(error)


async def expecting(request: web.Request) -> None:
    """Tell a client that waits for it to send its body; any other Expect is ignored (RFC 9110, 10.1.1)."""
    if request.headers["Expect"].lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer itself has not begun


def _options(error: web.HTTPMethodNotAllowed) -> web.Response:
    """What a path answers, also for a browser that asks before a request to another origin (a preflight)."""
    allow = allow_header(error.allowed_methods)
    return web.Response(
        status=204,
        headers={
            "Allow": allow,
            "Access-Control-Allow-Methods": allow,
            "Access-Control-Allow-Headers": ALLOWED_HEADERS,
            "Access-Control-Max-Age": str(PREFLIGHT_MAX_AGE_S),
        },
    )
