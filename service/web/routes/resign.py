"""Resigning. Source: api.md, "Acting"."""

from aiohttp import web

from schemas.acting import ActionResult
from schemas.diffs import Diff
from service.games.commands.resign import resign_seat
from service.web.parsing import read_optional_body
from service.web.routes.actions import ANSWERED, FOR_SEAT, REFUSED, of_seat, perform
from service.web.routing import GAME_ID, ResponseSpec

RESIGNED = (ResponseSpec(200, "What followed.", ActionResult[Diff], ANSWERED, examples=("resigned",)),)


@of_seat(
    "/v1/games/" + GAME_ID + "/resign",
    operation="resign",
    summary="Resign",
    replies=RESIGNED,
    problems=(*REFUSED, "resigned"),
)
async def post_resign(request: web.Request) -> web.Response:
    """Gives up for good, on turn or not, with the event `player_resigned`.

    The player's islanders go home, wares and ships stay and count, but the player cannot win. The turn passes on; a
    tile that was drawn and not placed goes back on top of the bag. With one player left the game ends (`resigned`), and
    that player has won. Everything but the body is as with actions.
    """
    return await perform(request, await read_optional_body(request, FOR_SEAT), resign_seat)


ROUTES = (post_resign,)
