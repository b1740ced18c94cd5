"""The commands of a game in play: `POST /v1/games/{id}/actions`, `/undo`, `/resign` and `/return`."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web

from schemas.commands import Act, ActionResult, SeatCommand
from schemas.diffs import Diff
from service.games.commands.act import act
from service.games.commands.active_game import CommandRequest, CommandResult
from service.games.commands.resign import resign_seat, return_to_seat
from service.games.commands.undo import undo
from service.games.context import Context
from service.web.app_keys import CONTEXT
from service.web.headers.bearer_tokens import parse_bearer_token
from service.web.headers.negotiation import negotiate_language, set_moves_language
from service.web.parsing import (
    PREFER_REPRESENTATION,
    get_path_id,
    parse_idempotency_key,
    parse_if_match,
    prefers_representation,
    read_body,
    read_optional_body,
)
from service.web.ratelimit.client_charge import ClientCharge
from service.web.responses import game_etag, json_response, mark_replayed
from service.web.routes.game_responses import IncludeQuery, includes_legal_moves
from service.web.routing import GAME_ID, ResponseSpec, Route

Body = TypeVar("Body")

ACT_DECODER = msgspec.json.Decoder(Act)
FOR_SEAT_DECODER = msgspec.json.Decoder(SeatCommand)

COMMAND_HEADERS = ("If-Match", "Idempotency-Key", "Prefer", "Accept-Language")
RESPONSE_HEADERS = ("ETag", "Preference-Applied", "Content-Language", "Idempotent-Replayed")
COMMAND_PROBLEMS = ("wrong_seat", "not_found", "not_active", "conflict", "version_mismatch", "key_reused")
"""The problem codes that every command of an active game may return."""


async def run_command(
    request: web.Request, body: Body, execute: Callable[[Context, str, CommandRequest[Body]], Awaitable[CommandResult]]
) -> web.Response:
    """Run a command with the request's body, headers and query, and return its response."""
    include_moves = includes_legal_moves(request)
    include_game = prefers_representation(request)
    expected, key, token = parse_if_match(request), parse_idempotency_key(request), parse_bearer_token(request)
    language = negotiate_language(request)
    command_request = CommandRequest(
        body,
        token,
        expected,
        key,
        include_moves,
        include_game=include_game,
        language=language,
        charge=ClientCharge.of_request(request),
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


def _action_responses(description: str, example: str) -> tuple[ResponseSpec, ...]:
    """Return the documented response of a command."""
    return (ResponseSpec(200, description, ActionResult[Diff], RESPONSE_HEADERS, examples=(example,)),)


command_route = partial(Route, "POST", tag="playing", access="required", query=IncludeQuery, headers=COMMAND_HEADERS)
seat_command_route = partial(command_route, body=FOR_SEAT_DECODER, is_body_optional=True, examples=("for_seat",))


@command_route(
    "/v1/games/" + GAME_ID + "/actions",
    operation_id="act",
    summary="Act",
    body=ACT_DECODER,
    responses=_action_responses("The diffs of the action, and the next decision.", "acted"),
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "resigned", "illegal_move", "list_too_long"),
    examples=("act_move", "act_action", "act_actions"),
)
async def post_action(request: web.Request) -> web.Response:
    """Perform one action, one legal move by its id, or a list of actions, all or none.

    The response contains what bots answer at once; later answers of theirs are further versions. Checks run in this
    order: shape, token, completed idempotency key, `not_active`, `If-Match`, seat, rule. Without `If-Match` the action
    is applied to whatever version is current. In a list, no action may follow one that reveals hidden information.
    `version` and `ETag` are those of the last diff. If a bot plays for the seat, the problem is `replaced`: return to
    the seat first. An action after the deadline is accepted until the time-out has been applied.
    """
    return await run_command(request, await read_body(request, ACT_DECODER), act)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/undo",
    operation_id="undo",
    summary="Take a move back",
    responses=_action_responses("The diff that undoes the action.", "undone"),
    problems=(*COMMAND_PROBLEMS, "not_your_turn", "replaced", "resigned", "nothing_to_undo"),
)
async def post_undo(request: web.Request) -> web.Response:
    """Undo the last action of the deciding seat, as a new version with the event `move_undone`.

    Each request undoes one action; `turn.undoable` is the number left. With `If-Match` or an `Idempotency-Key`, a
    repeated request undoes no second one. Only a seat's own actions of this turn can be undone, and only until hidden
    information (a tile, a ship) is revealed or another seat acts. The deadline does not change. Headers, query and
    response are those of `POST /v1/games/{id}/actions`.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), undo)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/resign",
    operation_id="resign",
    summary="Resign",
    responses=_action_responses("The diffs of the resignation.", "resigned"),
    problems=(*COMMAND_PROBLEMS, "resigned"),
)
async def post_resign(request: web.Request) -> web.Response:
    """Resign from the game permanently, at any time, with the event `player_resigned`.

    The player's islanders return to the supply. Wares and ships still count, but the player cannot win. The turn passes
    to the next player; a tile that was drawn and not placed returns to the top of the bag. When one player is left, the
    game ends with the reason `resigned`, and that player wins. With the owner token, `seat` is required. Headers, query
    and response are those of `POST /v1/games/{id}/actions`.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), resign_seat)


@seat_command_route(
    "/v1/games/" + GAME_ID + "/return",
    operation_id="returnToSeat",
    summary="Take a seat back from a bot",
    responses=_action_responses("The diffs of the action, and the next decision.", "acted"),
    problems=(*COMMAND_PROBLEMS, "not_replaced", "resigned"),
)
async def post_return(request: web.Request) -> web.Response:
    """Take a seat back from the bot that replaced the player after a time-out, with the event `player_returned`.

    With the owner token, `seat` is required. Headers, query and response are those of `POST /v1/games/{id}/actions`.
    """
    return await run_command(request, await read_optional_body(request, FOR_SEAT_DECODER), return_to_seat)


ROUTES = (post_action, post_undo, post_resign, post_return)
