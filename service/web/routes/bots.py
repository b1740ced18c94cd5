"""`GET /v1/bots`."""

from aiohttp import web

from schemas.bots import BotList
from service.web.app_keys import CONTEXT
from service.web.responses import cacheable_response
from service.web.routing import ResponseSpec, Route


@Route(
    "GET",
    "/v1/bots",
    operation_id="listBots",
    summary="List the bots",
    tag="games",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "All bots, by name.", BotList, ("ETag",)),
        ResponseSpec(304, "The bots have not changed.", headers=("ETag",)),
    ),
)
async def list_bots(request: web.Request) -> web.Response:
    """List the bots that can fill a seat of a new game: the built-in ones and the installed plugins."""
    return cacheable_response(request, BotList(bots=request.app[CONTEXT].bots.list_bots()))


ROUTES = (list_bots,)
