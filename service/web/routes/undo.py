"""Taking the last move back. Source: api.md, "Acting"."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from aiohttp import web

from schemas.acting import ActionResult
from schemas.diffs import Diff
from service.games.commands.undo import undo
from service.web.parsing import read_optional_body
from service.web.ratelimit import costs
from service.web.ratelimit.request_charges import replay_slot
from service.web.routes.actions import (
    COMMAND_PROBLEMS,
    FOR_SEAT_DECODER,
    RESPONSE_HEADERS,
    run_command,
    seat_command_route,
)
from service.web.routing import GAME_ID, ResponseSpec

RESPONSES = (ResponseSpec(200, "What is as before.", ActionResult[Diff], RESPONSE_HEADERS, examples=("undone",)),)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/undo",
    operation_id="undo",
    summary="Take a move back",
    responses=RESPONSES,
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "nothing_to_undo"),
)
async def post_undo(request: web.Request) -> web.Response:
    """Takes back the last action of whoever decides now, as one more version with the event `move_undone`.

    Only one's own actions of this turn can be taken back, as long as nothing hidden was revealed since (a tile, a ship)
    and nobody else did anything: `turn.undoable` says how many, one with each request. The deadline stays. Everything
    but the body is as with actions.
    """

    def limit_replay(versions: int) -> AbstractAsyncContextManager[None]:
        return replay_slot(request, versions // costs.REPLAYED_VERSIONS_PER_TOKEN)

    return await run_command(
        request, await read_optional_body(request, FOR_SEAT_DECODER), partial(undo, replaying=limit_replay)
    )


ROUTES = (post_undo,)
