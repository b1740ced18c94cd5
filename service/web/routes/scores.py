"""The scores of a game. Source: api.md, "Asking without moving"."""

from aiohttp import web

from schemas.scores import Scores
from service.games.queries.games import compute_scores
from service.web.routes.game_responses import NOTHING_NEW, reading, told_in_state
from service.web.routing import GAME_ID, ResponseSpec


@reading(
    "/v1/games/" + GAME_ID + "/scores",
    operation="readScores",
    summary="Read the scores",
    tag="playing",
    replies=(
        ResponseSpec(200, "Points now, and if the game ended now.", Scores, ("ETag",), examples=("scores",)),
        NOTHING_NEW,
    ),
)
async def read_scores(request: web.Request) -> web.Response:
    """Everybody's points now and if the game ended now (R8.3), and what each islander would bring (R8.4)."""
    return await told_in_state(request, compute_scores)


ROUTES = (read_scores,)
