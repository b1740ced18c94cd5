"""`POST /v1/games/{id}/actions`, and the command handling that undo, resign and return share with it.

Source: api.md, "Acting".
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web

from schemas.commands import Act, ActionResult, SeatCommand
from schemas.diffs import Diff
from service.games.commands.act import act
from service.games.commands.active_game import CommandRequest, CommandResult
from service.games.context import Context
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import get_client_address
from service.web.languages import negotiate_language, set_moves_language
from service.web.parsing import (
    PREFER_REPRESENTATION,
    get_path_id,
    parse_bearer_token,
    parse_idempotency_key,
    parse_if_match,
    prefers_representation,
    read_body,
    read_query,
)
from service.web.ratelimit.bot_charges import BotCharge
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.responses import game_etag, json_response, mark_replayed
from service.web.routes.queries import IncludeQuery
from service.web.routing import GAME_ID, ResponseSpec, Route

Body = TypeVar("Body")

ACT_DECODER = msgspec.json.Decoder(Act)
FOR_SEAT_DECODER = msgspec.json.Decoder(SeatCommand)

COMMAND_HEADERS = ("If-Match", "Idempotency-Key", "Prefer", "Accept-Language")
RESPONSE_HEADERS = ("ETag", "Preference-Applied", "Content-Language", "Idempotent-Replayed")
ACTION_RESPONSES = (
    ResponseSpec(
        200,
        "The diffs of the action, and the next decision.",
        ActionResult[Diff],
        RESPONSE_HEADERS,
        examples=("acted",),
    ),
)
COMMAND_PROBLEMS = ("wrong_seat", "not_found", "not_active", "conflict", "version_mismatch", "key_reused")
"""The problem codes that every command of an active game may return."""


async def run_command(
    request: web.Request, body: Body, execute: Callable[[Context, str, CommandRequest[Body]], Awaitable[CommandResult]]
) -> web.Response:
    """Run a command with the request's body, headers and query, and return its response."""
    include = read_query(request, IncludeQuery).include if request.query_string else None
    include_game = prefers_representation(request)
    expected, key, token = parse_if_match(request), parse_idempotency_key(request), parse_bearer_token(request)
    language = negotiate_language(request)
    command_request = CommandRequest(
        body,
        token,
        expected,
        key,
        include is not None,
        include_game=include_game,
        language=language,
        bot_charge=BotCharge(request.app[RATE_LIMITER], request.app[CONTEXT].bots, get_client_address(request)),
    )
    command_result = await execute(request.app[CONTEXT], get_path_id(request), command_request)
    result = command_result.response
    response = json_response(command_result.encode(), etag=game_etag(result.version, result.digest), private=True)
    if command_result.replayed:
        mark_replayed(response, replayed=True)
    if result.legal_moves is not None:
        set_moves_language(response, result.legal_moves)
    if include_game:
        response.headers["Preference-Applied"] = PREFER_REPRESENTATION
    return response


command_route = partial(Route, "POST", tag="playing", access="required", query=IncludeQuery, headers=COMMAND_HEADERS)
seat_command_route = partial(command_route, body=FOR_SEAT_DECODER, is_body_optional=True, examples=("for_seat",))


@command_route(
    "/v1/games/" + GAME_ID + "/actions",
    operation_id="act",
    summary="Act",
    body=ACT_DECODER,
    responses=ACTION_RESPONSES,
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "illegal_move", "list_too_long"),
    examples=("act_move", "act_action", "act_actions"),
)
async def post_action(request: web.Request) -> web.Response:
    """Perform one action, one legal move by its id, or a list of actions, all or none.

    Bots reply in the same commit. Checks run in this order: shape, token, completed idempotency key, `not_active`,
    `If-Match`, seat, rule. Without `If-Match` the service retries version conflicts. In a list, no action may follow
    one that reveals hidden information. `version` and `ETag` are those of the commit's last version. If a bot plays for
    the seat, the problem is `replaced`: return to the seat first. An action after the deadline is accepted until the
    time-out has been applied.
    """
    return await run_command(request, await read_body(request, ACT_DECODER), act)


ROUTES = (post_action,)
