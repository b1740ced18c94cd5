"""`GET /v1/games/{id}/scores`. Source: api.md, "Asking without moving"."""

from aiohttp import web

from schemas.scores import Scores
from service.games.queries.games import compute_scores
from service.web.routes.game_responses import GAME_NOT_MODIFIED, game_read_route, state_response
from service.web.routing import GAME_ID, ResponseSpec


@game_read_route(
    "/v1/games/" + GAME_ID + "/scores",
    operation_id="readScores",
    summary="Read the scores",
    tag="playing",
    responses=(
        ResponseSpec(200, "The points now, and if the game ended now.", Scores, ("ETag",), examples=("scores",)),
        GAME_NOT_MODIFIED,
    ),
)
async def read_scores(request: web.Request) -> web.Response:
    """Return each player's points now and if the game ended now (R8.3), and each islander's value (R8.4)."""
    return await state_response(request, compute_scores)


ROUTES = (read_scores,)
