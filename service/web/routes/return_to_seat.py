"""Taking a seat back from the bot that replaced its player. Source: api.md, "Acting"."""

from aiohttp import web

from service.games.commands.resign import return_to_seat
from service.web.parsing import read_optional_body
from service.web.routes.actions import DONE, FOR_SEAT, REFUSED, of_seat, perform
from service.web.routing import GAME_ID


@of_seat(
    "/v1/games/" + GAME_ID + "/return",
    operation="returnToSeat",
    summary="Take a seat back from a bot",
    replies=DONE,
    problems=(*REFUSED, "not_replaced", "resigned"),
)
async def post_return(request: web.Request) -> web.Response:
    """Takes a seat back from the bot that stands in since a time-out, with the event `player_returned`.

    Everything but the body is as with actions.
    """
    return await perform(request, await read_optional_body(request, FOR_SEAT), return_to_seat)


ROUTES = (post_return,)
