"""Acting, and what undo, resign and return share with it. Source: api.md, "Acting"."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web

from schemas.acting import Act, ActionResult, SeatCommand
from schemas.diffs import Diff
from service.games.commands.act import act
from service.games.commands.execute import CommandRequest, CommandResult
from service.games.context import Context
from service.web.app_keys import CONTEXT
from service.web.connections.limiter import client_address
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
from service.web.ratelimit.bot_charges import make_bot_charge
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.responses import game_etag, json_response, mark_replayed
from service.web.routes.queries import Including
from service.web.routing import GAME_ID, ResponseSpec, Route

B = TypeVar("B")

ACT = msgspec.json.Decoder(Act)
FOR_SEAT = msgspec.json.Decoder(SeatCommand)

HEADERS = ("If-Match", "Idempotency-Key", "Prefer", "Accept-Language")
ANSWERED = ("ETag", "Preference-Applied", "Content-Language", "Idempotent-Replayed")
DONE = (ResponseSpec(200, "What happened.", ActionResult[Diff], ANSWERED, examples=("acted",)),)
REFUSED = ("wrong_seat", "not_found", "not_active", "conflict", "version_mismatch", "key_reused")
"""What every change of an active game may be refused for."""


async def perform(
    request: web.Request, body: B, do: Callable[[Context, str, CommandRequest[B]], Awaitable[CommandResult]]
) -> web.Response:
    """Do what a request with this body asks, with all that its headers and its query ask besides."""
    include = read_query(request, Including).include if request.query_string else None
    whole = prefers_representation(request)
    expected, key, token = parse_if_match(request), parse_idempotency_key(request), parse_bearer_token(request)
    language = negotiate_language(request)
    asked = CommandRequest(
        body,
        token,
        expected,
        key,
        include is not None,
        include_game=whole,
        language=language,
        charge_bots=make_bot_charge(request.app[RATE_LIMITER], request.app[CONTEXT].bots, client_address(request)),
    )
    acted, encoded, replayed = await do(request.app[CONTEXT], get_path_id(request), asked)
    response = json_response(encoded, etag=game_etag(acted.version, acted.digest), private=True)
    mark_replayed(response, replayed=replayed)
    set_moves_language(response, acted.legal_moves)
    if whole:
        response.headers["Preference-Applied"] = PREFER_REPRESENTATION
    return response


command = partial(Route, "POST", tag="playing", access="required", query=Including, headers=HEADERS)
of_seat = partial(command, body=FOR_SEAT, body_optional=True, examples=("for_seat",))


@command(
    "/v1/games/" + GAME_ID + "/actions",
    operation="act",
    summary="Act",
    body=ACT,
    replies=DONE,
    problems=(*REFUSED, "not_your_turn", "replaced", "illegal_move", "list_too_long"),
    examples=("act_move", "act_action", "act_actions"),
)
async def post_action(request: web.Request) -> web.Response:
    """Does one action, a move by its id, or a list of actions, all or none; bots answer in the same commit.

    Checks come in this order: shape, token, answered key, `not_active`, `If-Match`, seat, rule. Without `If-Match` the
    service retries lost races. Nothing in a list may follow an action that reveals something hidden. `version` and
    `ETag` are the commit's last. Where a bot stands in for the seat it is `replaced`: return first. An action after the
    deadline counts as long as the clock has not decided.
    """
    return await perform(request, await read_body(request, ACT), act)


ROUTES = (post_action,)
