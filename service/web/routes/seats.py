"""`/v1/games/{id}/seats`: join a game, remove a player, replace a seat's token."""

import msgspec
from aiohttp import web

from schemas.game import GameView
from schemas.lobby import Joined, JoinGame, ReplaceToken, SeatToken
from service.games.commands.join import JoinRequest, join
from service.games.commands.seats import remove_player, replace_token
from service.web.api_keys import authenticate_api_key
from service.web.app_keys import CONTEXT
from service.web.headers.bearer_tokens import parse_bearer_token
from service.web.headers.negotiation import negotiate_language, set_moves_language
from service.web.parsing import (
    get_path_id,
    parse_creator_key,
    parse_idempotency_key,
    parse_if_match,
    read_body,
    read_optional_body,
)
from service.web.ratelimit.client_charge import ClientCharge, trust_issued_tokens
from service.web.responses import game_etag, json_response, mark_replayed
from service.web.routes.game_responses import IncludeQuery, includes_legal_moves
from service.web.routes.games import DELETE_PROBLEMS, delete_route
from service.web.routing import GAME_ID, SEAT, ResponseSpec, Route

__all__ = ["ROUTES"]

JOIN_DECODER = msgspec.json.Decoder(JoinGame)
REPLACE_DECODER = msgspec.json.Decoder(ReplaceToken)


@Route(
    "POST",
    "/v1/games/" + GAME_ID + "/seats",
    operation_id="joinGame",
    summary="Take the next open seat",
    tag="games",
    access="reads",
    body=JOIN_DECODER,
    query=IncludeQuery,
    takes_api_key=True,
    headers=("Idempotency-Key-secret", "Creator-Key", "Accept-Language"),
    responses=(
        ResponseSpec(200, "The seat and its token.", Joined, ("ETag", "Content-Language", "Idempotent-Replayed")),
    ),
    problems=("not_found", "no_open_seat", "conflict", "key_reused"),
    examples=("join",),
)
async def join_game(request: web.Request) -> web.Response:
    """Take the next open seat; the game starts when the last one is taken.

    Joining a private game requires its spectator token. A colour that another player has is a `conflict`; without a
    colour, the player gets the first free one. With an `Idempotency-Key`, a retry returns the same seat and token.
    With an `Api-Key`, the request counts against the key's quotas in place of the address's limit on joining.
    """
    api_key = await authenticate_api_key(request)
    body = await read_body(request, JOIN_DECODER)
    include_moves = includes_legal_moves(request)
    key = parse_idempotency_key(request)
    token = parse_bearer_token(request)
    language = negotiate_language(request)
    joiner = JoinRequest(
        token,
        key,
        parse_creator_key(request),
        include_moves=include_moves,
        language=language,
        charge=ClientCharge.of_request(request, api_key),
    )
    joined, version, replayed = await join(request.app[CONTEXT], get_path_id(request), body, joiner)
    trust_issued_tokens(request, (joined.token,))
    response = json_response(joined, etag=game_etag(version, joined.digest), private=token is not None, secret=True)
    return set_moves_language(mark_replayed(response, replayed=replayed), joined.legal_moves)


@delete_route(
    "/v1/games/" + GAME_ID + "/seats/" + SEAT,
    operation_id="removePlayer",
    summary="Remove a player",
    responses=(ResponseSpec(200, "The game, with the seat open.", GameView, ("ETag",)),),
    problems=("wrong_seat", *DELETE_PROBLEMS),
)
async def delete_player(request: web.Request) -> web.Response:
    """Remove a player who joined, with the owner token or the seat's own, while the game waits.

    The event is `player_left`. The seat is open again; its token is revoked, and the webhooks that it registered end.
    The owner can repeat the request: an open seat stays open. A player's token is unknown afterwards. `If-Match` makes
    sure that no other player has taken the seat since. For a game that has started, or a seat that was filled at
    creation, the problem is `conflict`; for a finished or aborted game it is `not_active`.
    """
    view, digest = await remove_player(
        request.app[CONTEXT],
        get_path_id(request),
        _seat_number(request),
        token=parse_bearer_token(request),
        if_match=parse_if_match(request),
    )
    return json_response(view, etag=game_etag(view.version, digest), private=True)


@Route(
    "POST",
    "/v1/games/" + GAME_ID + "/seats/" + SEAT + "/token",
    operation_id="replaceSeatToken",
    summary="Replace a seat's token",
    tag="games",
    access="required",
    body=REPLACE_DECODER,
    is_body_optional=True,
    takes_api_key=True,
    creates="entry",
    headers=("Idempotency-Key-secret",),
    responses=(ResponseSpec(200, "The seat and its new token.", SeatToken, ("Idempotent-Replayed",)),),
    problems=("wrong_seat", "not_found", "conflict", "key_reused"),
)
async def post_seat_token(request: web.Request) -> web.Response:
    """Replace a seat's token, for example after others have seen it; the old one is revoked at once.

    Sockets and event streams that use the old token are closed, and the webhooks that it registered end. The request
    requires the seat token, or the owner token if the seat was filled at creation. The game does not change: there is
    no new version and no event. With an `Idempotency-Key`, a retry with the revoked token returns the same new token.
    """
    await authenticate_api_key(request)
    body = await read_optional_body(request, REPLACE_DECODER)
    replaced, _, replayed = await replace_token(
        request.app[CONTEXT],
        get_path_id(request),
        _seat_number(request),
        body,
        token=parse_bearer_token(request),
        key=parse_idempotency_key(request),
    )
    trust_issued_tokens(request, (replaced.token,))
    return mark_replayed(json_response(replaced, private=True, secret=True), replayed=replayed)


def _seat_number(request: web.Request) -> int:
    return int(request.match_info["seat"])


ROUTES = (join_game, delete_player, post_seat_token)
