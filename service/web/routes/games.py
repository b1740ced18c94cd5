"""`/v1/games` and `/v1/games/{id}`: create, list, read and abort games, create rematches, and list the bots."""

from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from aiohttp import web

from schemas.bots import BotList
from schemas.commands import IncludeQuery, LegalMoves
from schemas.game import GameView
from schemas.lobby import Created, CreateGame, Games, Rematch, Rematched
from service.engine import build_view
from service.games.api_key import ApiKey
from service.games.bots.priority import hash_creator
from service.games.commands.create import create
from service.games.commands.rematch import RematchRequest, rematch
from service.games.commands.resign import abort_game
from service.games.idempotency import ReplayableResult
from service.games.queries.lobby import list_games
from service.i18n import ENGLISH
from service.telemetry.metrics import API_KEY_GAMES
from service.web.app_keys import CONTEXT
from service.web.client_ip import get_site_network
from service.web.connections.protocol import get_connection
from service.web.headers.fields import CreatorKey, IdempotencyKey, IfMatch, PreferredLanguage, SecretIdempotencyKey
from service.web.ratelimit.charge import charge_loaded_games
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.responses import cacheable_response, game_etag, json_response, link_next_page, mark_replayed
from service.web.routes.game_responses import GameListQuery, state_response
from service.web.routing import GameCommand, GameRead, Request, Route

NewGame = TypeVar("NewGame", Created, Rematched)


class Creation(Request, frozen=True, kw_only=True):
    """A request for a new game."""

    api_key: ApiKey | None
    body: CreateGame
    query: IncludeQuery = IncludeQuery()
    idempotency_key: SecretIdempotencyKey = None
    creator_key: CreatorKey = None
    language: PreferredLanguage = ENGLISH


class RematchCreation(GameCommand, frozen=True, kw_only=True):
    """A request for a game with the same players."""

    api_key: ApiKey | None
    body: Rematch = Rematch()
    idempotency_key: IdempotencyKey = None


class GameList(Request, frozen=True, kw_only=True):
    """A request for a list of games."""

    query: GameListQuery = GameListQuery()


class ConditionalCommand(GameCommand, frozen=True, kw_only=True):
    """A change that a game's version may be a condition of."""

    if_match: IfMatch = None


games_route = partial(Route, tag="games")


def hash_client(request: web.Request) -> bytes:
    """Return the hash that stands for the client in a game that it creates: of its address, or its IPv6 /48 network."""
    return hash_creator(get_site_network(get_connection(request).address))


def issued_tokens(created: Created) -> Iterator[str]:
    """Yield every token of a new game: the owner's, the spectators' and those of the seats."""
    yield created.owner_token
    yield created.spectator_token
    yield from (seat.token for seat in created.seats)


@games_route(
    "POST",
    "/v1/games",
    "createGame",
    "Create a game",
    Created,
    "The new game and its tokens.",
    headers=("ETag", "Location"),
    problems=("unknown_tileset", "unknown_bot", "conflict"),
    creates="game",
)
async def create_game(request: web.Request, params: Creation) -> web.Response:
    """Create a game of 2 to 5 seats: named players, bots, and open seats for others to join.

    Only `players` is required. The game starts when no seat is open. The tokens are returned only here. The owner token
    acts for every seat filled at creation and manages the game, a seat token acts for its seat, and the spectator token
    reads. With an `Idempotency-Key`, a retry returns the same game and the same tokens.
    With an `Api-Key`, the game counts against the key's quotas, and `GET /v1/keys/me/games` lists it.
    """
    body, api_key, charge = params.body, params.api_key, params.charge
    if any(player.open for player in body.players):
        await charge.charge_open_game()
    result = await create(
        request.app[CONTEXT],
        body,
        key=params.idempotency_key,
        include_moves=params.query.include is not None,
        creator=params.creator_key,
        api_key=None if api_key is None else api_key.name,
        client=hash_client(request),
        language=params.language,
        charge=charge,
    )
    request.app[RATE_LIMITER].trust_tokens(issued_tokens(result.response))
    private, moves = body.visibility == "private", result.response.legal_moves
    return _created_response(params, result, private=private, secret=True, moves=moves)


def _created_response(
    params: Creation | RematchCreation,
    result: ReplayableResult[NewGame],
    *,
    private: bool,
    secret: bool,
    moves: LegalMoves | None = None,
) -> web.Response:
    """Return the response to the creation of a game; `secret` says whether it contains tokens."""
    created, version, replayed = result
    if params.api_key is not None and not replayed:
        API_KEY_GAMES.labels(params.api_key.name).inc()
    response = json_response(
        created,
        status=201,
        etag=game_etag(version, created.digest),
        private=private,
        secret=secret,
        location=f"/v1/games/{created.game.id}",
        moves=moves,
    )
    return mark_replayed(response, replayed=replayed)


@games_route(
    "GET",
    "/v1/games",
    "listGames",
    "List public games",
    Games,
    "Public games, newest first.",
    problems=("store_unavailable",),
)
async def list_public_games(request: web.Request, params: GameList) -> web.Response:
    """List public games, newest first, without `board` and `discarded`; `next_cursor` is null on the last page."""
    query = params.query
    page, loaded_count = await list_games(request.app[CONTEXT], query.status, query.limit, query.cursor)
    charge_loaded_games(request, loaded_count)
    return link_next_page(request, cacheable_response(request, page), "cursor", page.next_cursor)


@games_route("GET", "/v1/games/{id}", "readGame", "Read a game", GameView, "GAME, the same for every reader.")
async def read_game(request: web.Request, params: GameRead) -> web.Response:
    """Return the public state of a game. It never contains the order of the bag or of the ship pile."""
    return await state_response(request, params, build_view)


delete_route = partial(games_route, "DELETE")
DELETE_PROBLEMS = ("not_active", "conflict")


@delete_route(
    "/v1/games/{id}",
    "abortGame",
    "Abort a game",
    GameView,
    "The aborted game.",
    problems=("not_owner", *DELETE_PROBLEMS),
)
async def delete_game(request: web.Request, params: ConditionalCommand) -> web.Response:
    """Abort a game that is not finished, with the owner token.

    The request can be repeated; for a finished game the problem is `not_active`. An aborted game stays readable.
    """
    aborted, digest = await abort_game(request.app[CONTEXT], params.id, token=params.token, if_match=params.if_match)
    return json_response(aborted, etag=game_etag(aborted.version, digest), private=True)


@games_route(
    "POST",
    "/v1/games/{id}/rematch",
    "createRematch",
    "Create a rematch",
    Rematched,
    "The rematch.",
    headers=("ETag", "Location"),
    problems=("not_owner", "not_over", "conflict"),
    creates="game",
)
async def create_rematch(request: web.Request, params: RematchCreation) -> web.Response:
    """Create a game with the same players and the next first seat, after a game that is over.

    The owner and every player may. The new game has `previous_game`; the old one gets `next_game`, as a new version
    with the event `rematch_created`. All tokens of the game before are valid in the rematch too: the owner token, the
    spectator token, and the latest token of each seat. Open seats are open again, and players who resigned or were
    replaced by a bot play again. A game has one rematch: a second request is `conflict`, with its id in `next_game`.
    With an `Idempotency-Key`, a retry returns the same game. The rematch is a game of the request's `Api-Key`, else of
    the one of the game before.
    """
    api_key = params.api_key
    rematch_request = RematchRequest(
        params.body,
        params.token,
        params.idempotency_key,
        client=hash_client(request),
        api_key=None if api_key is None else api_key.name,
        charge=params.charge,
    )
    result = await rematch(request.app[CONTEXT], params.id, rematch_request)
    return _created_response(params, result, private=True, secret=False)


@games_route("GET", "/v1/bots", "listBots", "List the bots", BotList, "All bots, by name.")
async def list_bots(request: web.Request, _: Request) -> web.Response:
    """List the bots that can fill a seat of a new game: the built-in ones and the installed plugins."""
    return cacheable_response(request, BotList(bots=request.app[CONTEXT].bots.list_bots()))


ROUTES = (list_public_games, create_game, read_game, delete_game, create_rematch, list_bots)
