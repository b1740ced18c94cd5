"""`POST /v1/games/{id}/resign`. Source: api.md, "Acting"."""

from aiohttp import web

from schemas.commands import ActionResult
from schemas.diffs import Diff
from service.games.commands.resign import resign_seat
from service.web.parsing import read_optional_body
from service.web.routes.actions import (
    COMMAND_PROBLEMS,
    FOR_SEAT_DECODER,
    RESPONSE_HEADERS,
    run_command,
    seat_command_route,
)
from service.web.routing import GAME_ID, ResponseSpec

RESPONSES = (
    ResponseSpec(200, "The diffs of the resignation.", ActionResult[Diff], RESPONSE_HEADERS, examples=("resigned",)),
)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/resign",
    operation_id="resign",
    summary="Resign",
    responses=RESPONSES,
    problems=(*COMMAND_PROBLEMS, "resigned"),
)
async def post_resign(request: web.Request) -> web.Response:
    """Resign from the game permanently, at any time, with the event `player_resigned`.

    The player's islanders return to the supply. Wares and ships still count, but the player cannot win. The turn passes
    to the next player; a tile that was drawn and not placed returns to the top of the bag. When one player is left, the
    game ends with the reason `resigned`, and that player wins. Headers, query and response are those of
    `POST /v1/games/{id}/actions`.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), resign_seat)


ROUTES = (post_resign,)
