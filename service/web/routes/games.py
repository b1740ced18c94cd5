"""`/v1/games` and `/v1/games/{id}`: create, list, read and abort games, create rematches, and list the bots.

`/v1/games/{id}/seats`: join a game, remove a player, replace a seat's token; `/v1/seats/me/games`: their games.

Responses of the routes that read one game: entity tag, 304 and language.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any, ClassVar, TypeVar

from aiohttp import web
from msgspec import Meta
from msgspec.structs import replace

from schemas.bots import BotList
from schemas.commands import LegalMoves
from schemas.game import GameView
from schemas.lobby import Created, GameListQuery, Games, Joined, MyGameListQuery, MyGames, Rematched, SeatToken
from service.engine import Game, TileSetIndex, build_view
from service.games import queries
from service.games.api_key import ApiKey
from service.games.commands import play, seats
from service.games.commands.create import CreationRequest, RematchRequest, create, rematch
from service.games.commands.execute import GameRequest
from service.games.idempotency import ReplayableResult
from service.games.lifecycle import hash_creator
from service.games.ports import StoredGame
from service.games.repository import open_game
from service.i18n import ENGLISH
from service.telemetry.metrics import API_KEY_GAMES
from service.web import headers, responses
from service.web.app import CONTEXT, HttpRequest
from service.web.charge import Charge
from service.web.connection import get_connection
from service.web.rate_limiter import RATE_LIMITER, charge_loaded_games
from service.web.routing import Access, GameRead, Id, Request, Route


class LocalizedRead(GameRead, frozen=True, kw_only=True):
    """A request that reads a game in words."""

    language: headers.PreferredLanguage = ENGLISH


game_read_route = partial(Route, "GET", tag="playing")


NextPage = tuple[str, str | int | None]
"""The query parameter of the next page, and its value; None on the last page."""


async def state_response(
    request: HttpRequest, params: GameRead, build: Callable[[TileSetIndex, Game], Any]
) -> web.Response:
    """Return what `build` makes of the game's state, as `record_response` does; it may have a `next_cursor`."""

    async def build_page(record: StoredGame) -> tuple[Any, NextPage]:
        content = build(*open_game(request.app[CONTEXT].tilesets, record))
        return content, ("cursor", getattr(content, "next_cursor", None))

    return await record_response(request, params, build_page)


async def record_response(
    request: HttpRequest, params: GameRead, build: Callable[[StoredGame], Awaitable[tuple[Any, NextPage]]]
) -> web.Response:
    """Return the page that `build` makes of the stored game, or 304 if the client's copy is current.

    That of a LocalizedRead has the client's language.
    """
    record = await queries.load_for_reader(request.app[CONTEXT], params.id, params.token)
    private, language = record.is_private, params.language if isinstance(params, LocalizedRead) else None
    tag = responses.revision_etag(record.revision)
    if language not in {None, ENGLISH}:  # strong tags must differ where the bytes do; `If-Match` accepts each
        tag = f'{tag[:-1]}-{language}"'
    response = responses.not_modified_response(request, tag, private=private)
    if response is None:
        content, next_page = await build(record)
        response = responses.link_next_page(
            request, responses.json_response(content, etag=tag, private=private), *next_page
        )
    return response if language is None else headers.set_content_language(response, language)


NewGame = TypeVar("NewGame", Created, Rematched)


class Creation(CreationRequest, frozen=True, kw_only=True):
    """A request for a new game."""

    access: ClassVar[Access] = "none"
    charge: Charge
    api_key: ApiKey | None
    idempotency_key: headers.SecretIdempotencyKey = None
    creator_key: headers.CreatorKey = None
    language: headers.PreferredLanguage = ENGLISH


class RematchCreation(RematchRequest, frozen=True, kw_only=True):
    """A request for a game with the same players."""

    access: ClassVar[Access] = "required"
    id: Id
    api_key: ApiKey | None
    idempotency_key: headers.IdempotencyKey = None


class GameList(Request, frozen=True, kw_only=True):
    """A request for a list of games."""

    query: GameListQuery = GameListQuery()


class Abortion(GameRequest, frozen=True, kw_only=True):
    """A request to abort a game."""

    access: ClassVar[Access] = "required"
    id: Id
    if_match: headers.IfMatch = None


games_route = partial(Route, tag="games")


def hash_client(request: HttpRequest) -> bytes:
    """Return the hash that stands for the client in a game that it creates: of its address, or its IPv6 /48 network."""
    return hash_creator(get_connection(request).charge.account.site.client)


@games_route(
    "POST",
    "/v1/games",
    "Create a game",
    Created,
    "The new game and its tokens.",
    headers=("ETag", "Location"),
    problems=("unknown_tileset", "unknown_bot", "conflict"),
    creates="game",
)
async def create_game(request: HttpRequest, params: Creation) -> web.Response:
    """Create a game of 2 to 5 seats: named players, bots, and open seats for others to join.

    Only `players` is required. The game starts when no seat is open. The tokens are returned only here. The owner token
    acts for every seat filled at creation and manages the game, a seat token acts for its seat, and the spectator token
    reads. With an `Idempotency-Key`, a retry returns the same game and the same tokens.
    With an `Api-Key`, the game counts against the key's quotas, and `GET /v1/keys/me/games` lists it.
    """
    body = params.body
    if any(player.open for player in body.players):
        await params.charge.charge_open_game()
    result = await create(request.app[CONTEXT], replace(params, client=hash_client(request)))
    created, private = result.response, body.visibility == "private"
    tokens = (created.owner_token, created.spectator_token, *(seat.token for seat in created.seats))
    request.app[RATE_LIMITER].trust_tokens(tokens)
    return _created_response(params, result, private=private, secret=True, moves=created.legal_moves)


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
    response = responses.json_response(
        created,
        status=201,
        etag=responses.game_etag(version, created.digest),
        private=private,
        secret=secret,
        location=f"/v1/games/{created.game.id}",
        moves=moves,
    )
    return responses.mark_replayed(response, replayed=replayed)


@games_route(
    "GET", "/v1/games", "List public games", Games, "Public games, newest first.", problems=("store_unavailable",)
)
async def list_games(request: HttpRequest, params: GameList) -> web.Response:
    """List public games, newest first, without `board` and `discarded`; `next_cursor` is null on the last page."""
    query = params.query
    page, loaded_count = await queries.list_games(request.app[CONTEXT], query.status, query.limit, query.cursor)
    charge_loaded_games(request, loaded_count)
    return responses.link_next_page(request, responses.cacheable_response(request, page), "cursor", page.next_cursor)


@games_route("GET", "/v1/games/{id}", "Read a game", GameView, "GAME, the same for every reader.")
async def read_game(request: HttpRequest, params: GameRead) -> web.Response:
    """Return the public state of a game. It never contains the order of the bag or of the ship pile."""
    return await state_response(request, params, build_view)


delete_route = partial(games_route, "DELETE")
DELETE_PROBLEMS = ("not_active", "conflict")


@delete_route("/v1/games/{id}", "Abort a game", GameView, "The aborted game.", problems=("not_owner", *DELETE_PROBLEMS))
async def abort_game(request: HttpRequest, params: Abortion) -> web.Response:
    """Abort a game that is not finished, with the owner token.

    The request can be repeated; for a finished game the problem is `not_active`. An aborted game stays readable.
    """
    aborted, digest = await play.abort_game(request.app[CONTEXT], params)
    return responses.json_response(aborted, etag=responses.game_etag(aborted.version, digest), private=True)


@games_route(
    "POST",
    "/v1/games/{id}/rematch",
    "Create a rematch",
    Rematched,
    "The rematch.",
    headers=("ETag", "Location"),
    problems=("not_owner", "not_over", "conflict"),
    creates="game",
)
async def create_rematch(request: HttpRequest, params: RematchCreation) -> web.Response:
    """Create a game with the same players and the next first seat, after a game that is over.

    The owner and every player may. The new game has `previous_game`; the old one gets `next_game`, as a new version
    with the event `rematch_created`. All tokens of the game before are valid in the rematch too: the owner token, the
    spectator token, and the latest token of each seat. Open seats are open again, and players who resigned or were
    replaced by a bot play again. A game has one rematch: a second request is `conflict`, with its id in `next_game`.
    With an `Idempotency-Key`, a retry returns the same game. The rematch is a game of the request's `Api-Key`, else of
    the one of the game before.
    """
    result = await rematch(request.app[CONTEXT], replace(params, client=hash_client(request)))
    return _created_response(params, result, private=True, secret=False)


@games_route("GET", "/v1/bots", "List the bots", BotList, "All bots, by name.")
async def list_bots(request: HttpRequest, _: Request) -> web.Response:
    """List the bots that can fill a seat of a new game: the built-in ones and the installed plugins."""
    return responses.cacheable_response(request, BotList(bots=request.app[CONTEXT].bots.list_bots()))


ROUTES = (list_games, create_game, read_game, abort_game, create_rematch, list_bots)


Seat = Annotated[int, Meta(ge=0, le=4, description="A seat's number.", examples=[1])]


class Joining(seats.JoinRequest, frozen=True, kw_only=True):
    """A request for an open seat."""

    access: ClassVar[Access] = "reads"
    id: Id
    api_key: ApiKey | None
    idempotency_key: headers.SecretIdempotencyKey = None
    creator_key: headers.CreatorKey = None
    language: headers.PreferredLanguage = ENGLISH


class Removal(seats.RemovalRequest, frozen=True, kw_only=True):
    """A request to remove a player."""

    access: ClassVar[Access] = "required"
    id: Id
    if_match: headers.IfMatch = None
    seat: Seat


class TokenReplacement(seats.ReplacementRequest, frozen=True, kw_only=True):
    """A request for another token of a seat."""

    access: ClassVar[Access] = "required"
    id: Id
    seat: Seat
    api_key: ApiKey | None
    idempotency_key: headers.SecretIdempotencyKey = None
    creator_key: headers.CreatorKey = None


class MyGameList(Request, frozen=True, kw_only=True):
    """A request for the games of tokens."""

    access: ClassVar[Access] = "required"
    query: MyGameListQuery = MyGameListQuery()
    tokens: list[str]


@games_route(
    "POST",
    "/v1/games/{id}/seats",
    "Take the next open seat",
    Joined,
    "The seat and its token.",
    problems=("no_open_seat", "conflict"),
)
async def join_game(request: HttpRequest, params: Joining) -> web.Response:
    """Take the next open seat; the game starts when the last one is taken.

    Joining a private game requires its spectator token. A colour that another player has is a `conflict`; without a
    colour, the player gets the first free one. With an `Idempotency-Key`, a retry returns the same seat and token.
    With an `Api-Key`, the request counts against the key's quotas in place of the address's limit on joining.
    """
    joined, version, replayed = await seats.join(request.app[CONTEXT], params)
    request.app[RATE_LIMITER].trust_tokens((joined.token,))
    etag = responses.game_etag(version, joined.digest)
    private = params.token is not None
    response = responses.json_response(joined, etag=etag, private=private, secret=True, moves=joined.legal_moves)
    return responses.mark_replayed(response, replayed=replayed)


@delete_route(
    "/v1/games/{id}/seats/{seat}",
    "Remove a player",
    GameView,
    "The game, with the seat open.",
    problems=("wrong_seat", *DELETE_PROBLEMS),
)
async def remove_player(request: HttpRequest, params: Removal) -> web.Response:
    """Remove a player who joined, with the owner token or the seat's own, while the game waits.

    The event is `player_left`. The seat is open again; its token is revoked, and the webhooks that it registered end.
    The owner can repeat the request: an open seat stays open. A player's token is unknown afterwards. `If-Match` makes
    sure that no other player has taken the seat since. For a game that has started, or a seat that was filled at
    creation, the problem is `conflict`; for a finished or aborted game it is `not_active`.
    """
    view, digest = await seats.remove_player(request.app[CONTEXT], params)
    return responses.json_response(view, etag=responses.game_etag(view.version, digest), private=True)


@games_route(
    "POST",
    "/v1/games/{id}/seats/{seat}/token",
    "Replace a seat's token",
    SeatToken,
    "The seat and its new token.",
    headers=(),
    problems=("wrong_seat", "conflict"),
    creates="entry",
)
async def replace_seat_token(request: HttpRequest, params: TokenReplacement) -> web.Response:
    """Replace a seat's token, for example after others have seen it; the old one is revoked at once.

    Sockets and event streams that use the old token are closed, and the webhooks that it registered end. The request
    requires the seat token, or the owner token if the seat was filled at creation. The game does not change: there is
    no new version and no event. With an `Idempotency-Key`, a retry with the revoked token returns the same new token.
    """
    replaced, _, replayed = await seats.replace_token(request.app[CONTEXT], params)
    request.app[RATE_LIMITER].trust_tokens((replaced.token,))
    return responses.mark_replayed(responses.json_response(replaced, private=True, secret=True), replayed=replayed)


@games_route("GET", "/v1/seats/me/games", "List my games", MyGames, "The games, newest first.")
async def list_my_games(request: HttpRequest, params: MyGameList) -> web.Response:
    """List the games of the given tokens, newest first; `waiting` says whether a game waits for one of their seats.

    `Authorization` accepts up to 100 tokens, as `Bearer TOKEN, TOKEN`: seat tokens, or owner tokens, which stand for
    the seats filled at creation. A client that creates games for others, such as a chat bot, sends the `Creator-Key`
    of those games instead. It returns all games and seats that were created with the key, or only those of
    `external_user`. Unknown secrets match no game; if all of them are unknown, the problem is `unauthorized`. Those of
    a game that has expired may be known for some minutes more.
    """
    page, loaded_count = await queries.collect_my_games(request.app[CONTEXT], params.tokens, params.query)
    charge_loaded_games(request, loaded_count)
    return responses.link_next_page(
        request, responses.cacheable_response(request, page, private=True), "cursor", page.next_cursor
    )


SEAT_ROUTES = (join_game, remove_player, replace_seat_token, list_my_games)
