"""Taking a seat back from the bot that replaced its player. Source: api.md, "Acting"."""

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
    """Takes a seat back from the bot that stands in since a time-out, with the event `player_returned`.

    Everything but the body is as with actions.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), return_to_seat)


ROUTES = (post_return,)
