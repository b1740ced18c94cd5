"""The tiles left in the bag of a game. Source: api.md, "Asking without moving"."""

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
        ResponseSpec(200, "How many of each type are in the bag.", TilesLeft, ("ETag",), examples=("tiles",)),
        GAME_NOT_MODIFIED,
    ),
)
async def read_tiles(request: web.Request) -> web.Response:
    """How many tiles of each type are still in the bag (R8.1); the drawn tile is not in it any more."""
    return await state_response(request, count_tiles_left)


ROUTES = (read_tiles,)
