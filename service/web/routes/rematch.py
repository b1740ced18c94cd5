"""`POST /v1/games/{id}/rematch`. Source: api.md, "Creating, joining, starting"."""

import msgspec
from aiohttp import web

from schemas.lobby import Created, Rematch
from service.games.commands.rematch import RematchRequest, rematch
from service.web.app_keys import CONTEXT
from service.web.languages import negotiate_language
from service.web.parsing import get_path_id, parse_bearer_token, parse_idempotency_key, read_optional_body, read_query
from service.web.ratelimit.bot_charges import make_rematch_charge
from service.web.ratelimit.request_charges import hash_client
from service.web.routes.games import created_response
from service.web.routes.queries import IncludeQuery
from service.web.routing import GAME_ID, ResponseSpec, Route

REMATCH_DECODER = msgspec.json.Decoder(Rematch)


@Route(
    "POST",
    "/v1/games/" + GAME_ID + "/rematch",
    operation_id="createRematch",
    summary="Create a rematch",
    tag="games",
    access="required",
    body=REMATCH_DECODER,
    is_body_optional=True,
    query=IncludeQuery,
    headers=("Idempotency-Key-secret", "Accept-Language"),
    responses=(
        ResponseSpec(
            201,
            "The rematch and its tokens.",
            Created,
            ("ETag", "Location", "Content-Language", "Idempotent-Replayed"),
            examples=("created",),
        ),
    ),
    problems=("not_owner", "not_found", "not_over", "conflict", "key_reused"),
    examples=("rematch",),
)
async def create_rematch(request: web.Request) -> web.Response:
    """Create a game with the same players and the next first seat, with the owner token of a finished or aborted game.

    The new game has `previous_game`; the old one gets `next_game`, as a new version with the event `rematch_created`.
    Players who had joined use their tokens in the rematch too. The owner token, the spectator token and the tokens of
    the seats filled at creation are new. Open seats are open again, and players who resigned or were replaced by a bot
    play again. A game has one rematch: a second request is `conflict`, with its id in `next_game`. With an
    `Idempotency-Key`, a retry returns the same game and the same tokens.
    """
    body = await read_optional_body(request, REMATCH_DECODER)
    include = read_query(request, IncludeQuery).include
    key = parse_idempotency_key(request)
    language = negotiate_language(request)
    result = await rematch(
        request.app[CONTEXT],
        get_path_id(request),
        RematchRequest(
            body,
            parse_bearer_token(request),
            key,
            include_moves=include is not None,
            client=hash_client(request),
            language=language,
            charge_bots=make_rematch_charge(request),
        ),
    )
    return created_response(request, result, private=True)


ROUTES = (create_rematch,)
