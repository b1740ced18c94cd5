"""`/v1/games` and `/v1/games/{id}`: create, list, read and abort games, and create rematches."""

from collections.abc import Iterator
from functools import partial
from typing import TypeVar

import msgspec
from aiohttp import web

from schemas.game import GameView
from schemas.lobby import Created, CreateGame, Games, Rematch, Rematched
from service.engine import build_view
from service.games.commands.abort import abort_game
from service.games.commands.create import create
from service.games.commands.rematch import RematchRequest, rematch
from service.games.idempotency import ReplayableResult
from service.games.queries.lobby import list_games
from service.telemetry.metrics import API_KEY_GAMES
from service.web.api_keys import authenticate_api_key
from service.web.app_keys import API_KEY, CONTEXT
from service.web.headers.bearer_tokens import parse_bearer_token
from service.web.headers.negotiation import negotiate_language, set_moves_language
from service.web.parsing import (
    get_path_id,
    parse_creator_key,
    parse_idempotency_key,
    parse_if_match,
    read_body,
    read_optional_body,
    read_query,
)
from service.web.ratelimit.client_charge import (
    ClientCharge,
    charge_loaded_games,
    charge_open_game,
    hash_client,
    trust_issued_tokens,
)
from service.web.responses import (
    cacheable_response,
    game_etag,
    json_response,
    link_next_page,
    mark_replayed,
)
from service.web.routes.game_responses import (
    GAME_NOT_MODIFIED,
    GameListQuery,
    IncludeQuery,
    game_read_route,
    includes_legal_moves,
    state_response,
)
from service.web.routing import GAME_ID, ResponseSpec, Route

NewGame = TypeVar("NewGame", Created, Rematched)

CREATE_DECODER = msgspec.json.Decoder(CreateGame)
REMATCH_DECODER = msgspec.json.Decoder(Rematch)


def issued_tokens(created: Created) -> Iterator[str]:
    """Yield every token of a new game: the owner's, the spectators' and those of the seats."""
    yield created.owner_token
    yield created.spectator_token
    yield from (seat.token for seat in created.seats)


@Route(
    "POST",
    "/v1/games",
    operation_id="createGame",
    summary="Create a game",
    tag="games",
    body=CREATE_DECODER,
    query=IncludeQuery,
    takes_api_key=True,
    creates="game",
    headers=("Idempotency-Key-secret", "Creator-Key", "Accept-Language"),
    responses=(
        ResponseSpec(
            201,
            "The new game and its tokens.",
            Created,
            ("ETag", "Location", "Content-Language", "Idempotent-Replayed"),
            examples=("created",),
        ),
    ),
    problems=("unauthorized", "key_reused", "unknown_tileset", "unknown_bot", "conflict", "store_unavailable"),
    examples=("create", "create_private"),
)
async def create_game(request: web.Request) -> web.Response:
    """Create a game of 2 to 5 seats: named players, bots, and open seats for others to join.

    Only `players` is required. The game starts when no seat is open. The tokens are returned only here. The owner token
    acts for every seat filled at creation and manages the game, a seat token acts for its seat, and the spectator token
    reads. With an `Idempotency-Key`, a retry returns the same game and the same tokens.
    With an `Api-Key`, the game counts against the key's quotas, and `GET /v1/keys/me/games` lists it.
    """
    api_key = await authenticate_api_key(request)
    body = await read_body(request, CREATE_DECODER)
    include_moves = includes_legal_moves(request)
    key = parse_idempotency_key(request)
    creator = parse_creator_key(request)
    if any(player.open for player in body.players):
        await charge_open_game(request)
    result = await create(
        request.app[CONTEXT],
        body,
        key=key,
        include_moves=include_moves,
        creator=creator,
        api_key=None if api_key is None else api_key.name,
        client=hash_client(request),
        language=negotiate_language(request),
        charge=ClientCharge.of_request(request, api_key),
    )
    trust_issued_tokens(request, issued_tokens(result.response))
    response = _created_response(request, result, private=body.visibility == "private", secret=True)
    return set_moves_language(response, result.response.legal_moves)


def _created_response(
    request: web.Request, result: ReplayableResult[NewGame], *, private: bool, secret: bool
) -> web.Response:
    """Return the response to the creation of a game; `secret` says whether it contains tokens."""
    created, version, replayed = result
    if (api_key := request.get(API_KEY)) is not None and not replayed:
        API_KEY_GAMES.labels(api_key.name).inc()
    response = json_response(
        created,
        status=201,
        etag=game_etag(version, created.digest),
        private=private,
        secret=secret,
        location=f"/v1/games/{created.game.id}",
    )
    return mark_replayed(response, replayed=replayed)


@Route(
    "GET",
    "/v1/games",
    operation_id="listGames",
    summary="List public games",
    tag="games",
    query=GameListQuery,
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "Public games, newest first.", Games, ("ETag", "Link")),
        ResponseSpec(304, "The page has not changed.", headers=("ETag", "Link")),
    ),
    problems=("store_unavailable",),
)
async def list_public_games(request: web.Request) -> web.Response:
    """List public games, newest first, without `board` and `discarded`; `next_cursor` is null on the last page."""
    query = read_query(request, GameListQuery)
    page, loaded_count = await list_games(request.app[CONTEXT], query.status, query.limit, query.cursor)
    charge_loaded_games(request, loaded_count)
    return link_next_page(request, cacheable_response(request, page), "cursor", page.next_cursor)


@game_read_route(
    "/v1/games/" + GAME_ID,
    operation_id="readGame",
    summary="Read a game",
    tag="games",
    responses=(
        ResponseSpec(200, "GAME, the same for every reader.", GameView, ("ETag",), examples=("game",)),
        GAME_NOT_MODIFIED,
    ),
)
async def read_game(request: web.Request) -> web.Response:
    """Return the public state of a game. It never contains the order of the bag or of the ship pile."""
    return await state_response(request, build_view)


delete_route = partial(Route, "DELETE", tag="games", access="required", headers=("If-Match",))
DELETE_PROBLEMS = ("not_found", "not_active", "version_mismatch", "conflict")


@delete_route(
    "/v1/games/" + GAME_ID,
    operation_id="abortGame",
    summary="Abort a game",
    responses=(ResponseSpec(200, "The aborted game.", GameView, ("ETag",)),),
    problems=("not_owner", *DELETE_PROBLEMS),
)
async def delete_game(request: web.Request) -> web.Response:
    """Abort a game that is not finished, with the owner token.

    The request can be repeated; for a finished game the problem is `not_active`. An aborted game stays readable.
    """
    expected = parse_if_match(request)
    aborted, digest = await abort_game(
        request.app[CONTEXT], get_path_id(request), token=parse_bearer_token(request), if_match=expected
    )
    return json_response(aborted, etag=game_etag(aborted.version, digest), private=True)


@Route(
    "POST",
    "/v1/games/" + GAME_ID + "/rematch",
    operation_id="createRematch",
    summary="Create a rematch",
    tag="games",
    access="required",
    body=REMATCH_DECODER,
    is_body_optional=True,
    takes_api_key=True,
    creates="game",
    headers=("Idempotency-Key",),
    responses=(ResponseSpec(201, "The rematch.", Rematched, ("ETag", "Location", "Idempotent-Replayed")),),
    problems=("not_owner", "not_found", "not_over", "conflict", "key_reused"),
    examples=("rematch",),
)
async def create_rematch(request: web.Request) -> web.Response:
    """Create a game with the same players and the next first seat, after a game that is over.

    The owner and every player may. The new game has `previous_game`; the old one gets `next_game`, as a new version
    with the event `rematch_created`. All tokens of the game before are valid in the rematch too: the owner token, the
    spectator token, and the latest token of each seat. Open seats are open again, and players who resigned or were
    replaced by a bot play again. A game has one rematch: a second request is `conflict`, with its id in `next_game`.
    With an `Idempotency-Key`, a retry returns the same game. The rematch is a game of the request's `Api-Key`, else of
    the one of the game before.
    """
    api_key = await authenticate_api_key(request)
    body = await read_optional_body(request, REMATCH_DECODER)
    rematch_request = RematchRequest(
        body,
        parse_bearer_token(request),
        parse_idempotency_key(request),
        client=hash_client(request),
        api_key=None if api_key is None else api_key.name,
        charge=ClientCharge.of_request(request, api_key),
    )
    result = await rematch(request.app[CONTEXT], get_path_id(request), rematch_request)
    return _created_response(request, result, private=True, secret=False)


ROUTES = (list_public_games, create_game, read_game, delete_game, create_rematch)
