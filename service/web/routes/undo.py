"""`POST /v1/games/{id}/undo`. Source: api.md, "Acting"."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from aiohttp import web

from schemas.commands import ActionResult
from schemas.diffs import Diff
from service.games.commands.undo import undo
from service.web.parsing import read_optional_body
from service.web.ratelimit import costs
from service.web.ratelimit.request_charges import acquire_replay_slot
from service.web.routes.actions import (
    COMMAND_PROBLEMS,
    FOR_SEAT_DECODER,
    RESPONSE_HEADERS,
    run_command,
    seat_command_route,
)
from service.web.routing import GAME_ID, ResponseSpec

RESPONSES = (
    ResponseSpec(200, "The diff that undoes the action.", ActionResult[Diff], RESPONSE_HEADERS, examples=("undone",)),
)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/undo",
    operation_id="undo",
    summary="Take a move back",
    responses=RESPONSES,
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "nothing_to_undo"),
)
async def post_undo(request: web.Request) -> web.Response:
    """Undo the last action of the deciding seat, as a new version with the event `move_undone`.

    Each request undoes one action; `turn.undoable` is the number left. Only a seat's own actions of this turn can be
    undone, and only until hidden information (a tile, a ship) is revealed or another seat acts. The deadline does not
    change. Headers, query and response are those of `POST /v1/games/{id}/actions`.
    """

    def limit_replay(versions: int) -> AbstractAsyncContextManager[None]:
        return acquire_replay_slot(request, versions // costs.REPLAYED_VERSIONS_PER_TOKEN)

    return await run_command(
        request, await read_optional_body(request, FOR_SEAT_DECODER), partial(undo, replaying=limit_replay)
    )


ROUTES = (post_undo,)
