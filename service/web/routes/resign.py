"""Resigning. Source: api.md, "Acting"."""

from aiohttp import web

from schemas.acting import ActionResult
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

RESPONSES = (ResponseSpec(200, "What followed.", ActionResult[Diff], RESPONSE_HEADERS, examples=("resigned",)),)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/resign",
    operation_id="resign",
    summary="Resign",
    responses=RESPONSES,
    problems=(*COMMAND_PROBLEMS, "resigned"),
)
async def post_resign(request: web.Request) -> web.Response:
    """Gives up for good, on turn or not, with the event `player_resigned`.

    The player's islanders go home, wares and ships stay and count, but the player cannot win. The turn passes on; a
    tile that was drawn and not placed goes back on top of the bag. With one player left the game ends (`resigned`), and
    that player has won. Everything but the body is as with actions.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), resign_seat)


ROUTES = (post_resign,)
