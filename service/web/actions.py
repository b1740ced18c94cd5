"""Acting. Source: api.md, "Acting"."""

import msgspec
from aiohttp import web

from schemas.acting import Act, Acted
from schemas.diffs import Diff
from service.games.act import ActAsked, act
from service.web.answers import answer, etag
from service.web.asked import (
    REPRESENTATION,
    bearer,
    idempotency_key,
    if_match,
    path_id,
    read_body,
    read_query,
    wants_representation,
)
from service.web.keys import CONTEXT
from service.web.lobby import Including
from service.web.routing import GAME_ID, Reply, route

ACT = msgspec.json.Decoder(Act)


@route(
    "POST",
    "/v1/games/" + GAME_ID + "/actions",
    operation="act",
    summary="Act",
    tag="playing",
    access="required",
    body=ACT,
    query=Including,
    headers=("If-Match", "Idempotency-Key", "Prefer"),
    replies=(Reply(200, "What happened.", Acted[Diff], ("ETag", "Preference-Applied"), examples=("acted",)),),
    problems=(
        "wrong_seat",
        "not_found",
        "not_active",
        "not_your_turn",
        "conflict",
        "version_mismatch",
        "illegal_move",
        "list_too_long",
        "key_reused",
    ),
    examples=("act_move", "act_action", "act_actions"),
)
async def post_action(request: web.Request) -> web.Response:
    """Does one action, a move by its id, or a list of actions, all or none; bots answer in the same commit.

    Checks come in this order: shape, token, answered key, `not_active`, `If-Match`, seat, rule. Without `If-Match` the
    service retries lost races. Nothing in a list may follow an action that reveals something hidden. `version` and
    `ETag` are the commit's last.
    """
    asked = await read_body(request, ACT)
    include = read_query(request, Including).include if request.query_string else None
    expected = if_match(request)
    key = idempotency_key(request)
    token = bearer(request)
    whole = wants_representation(request)
    done = await act(
        request.app[CONTEXT],
        path_id(request),
        ActAsked(asked, token, expected, key, include_moves=include is not None, include_game=whole),
    )
    response = answer(done, tag=etag(done.version, done.digest), private=True)
    if whole:
        response.headers["Preference-Applied"] = REPRESENTATION
    return response


ROUTES = (post_action,)
