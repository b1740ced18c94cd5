"""`GET /v1/games/{id}/tiles`: the tiles left in the bag. Source: api.md, "Asking without moving"."""

from aiohttp import web

from schemas.scores import TilesLeft
from service.games.queries.games import count_tiles_left
from service.web.routes.game_responses import GAME_NOT_MODIFIED, game_read_route, state_response
from service.web.routing import GAME_ID, ResponseSpec


@game_read_route(
    "/v1/games/" + GAME_ID + "/tiles",
    operation_id="readTiles",
    summary="Read the tiles left",
    tag="playing",
    responses=(
        ResponseSpec(200, "The number of tiles in the bag, by type.", TilesLeft, ("ETag",), examples=("tiles",)),
        GAME_NOT_MODIFIED,
    ),
)
async def read_tiles(request: web.Request) -> web.Response:
    """Return the number of tiles of each type in the bag (R8.1), not counting the drawn tile."""
    return await state_response(request, count_tiles_left)


ROUTES = (read_tiles,)
