"""`POST /v1/games/{id}/return`. Source: api.md, "Acting"."""

from aiohttp import web

from service.games.commands.resign import return_to_seat
from service.web.parsing import read_optional_body
from service.web.routes.actions import (
    ACTION_RESPONSES,
    COMMAND_PROBLEMS,
    FOR_SEAT_DECODER,
    run_command,
    seat_command_route,
)
from service.web.routing import GAME_ID


@seat_command_route(
    "/v1/games/" + GAME_ID + "/return",
    operation_id="returnToSeat",
    summary="Take a seat back from a bot",
    responses=ACTION_RESPONSES,
    problems=(*COMMAND_PROBLEMS, "not_replaced", "resigned"),
)
async def post_return(request: web.Request) -> web.Response:
    """Take a seat back from the bot that replaced the player after a time-out, with the event `player_returned`.

    Headers, query and response are those of `POST /v1/games/{id}/actions`.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), return_to_seat)


ROUTES = (post_return,)
