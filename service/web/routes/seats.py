"""`/v1/games/{id}/seats`: join a game, remove a player, replace a seat's token; `/v1/seats/me/games`: their games."""

from typing import Annotated, ClassVar

from aiohttp import web
from msgspec import Meta

from schemas.commands import IncludeQuery
from schemas.game import GameView
from schemas.lobby import ExternalUser, Joined, JoinGame, MyGames, ReplaceToken, SeatToken
from service.games.api_key import ApiKey
from service.games.commands.join import JoinRequest, join
from service.games.commands.seats import remove_player, replace_token
from service.games.queries.my_games import MyGamesQuery, collect_my_games
from service.i18n import ENGLISH
from service.web.app_keys import CONTEXT
from service.web.headers.fields import CreatorKey, PreferredLanguage, SecretIdempotencyKey
from service.web.ratelimit.charge import charge_loaded_games
from service.web.ratelimit.limiter import RATE_LIMITER
from service.web.responses import cacheable_response, game_etag, json_response, link_next_page, mark_replayed
from service.web.routes.game_responses import GameListQuery
from service.web.routes.games import DELETE_PROBLEMS, ConditionalCommand, delete_route, games_route
from service.web.routing import Access, GameCommand, GameRead, Request

__all__ = ["ROUTES"]

Seat = Annotated[int, Meta(ge=0, le=4, description="A seat's number.", examples=[1])]


class Joining(GameRead, frozen=True, kw_only=True):
    """A request for an open seat."""

    api_key: ApiKey | None
    body: JoinGame
    query: IncludeQuery = IncludeQuery()
    idempotency_key: SecretIdempotencyKey = None
    creator_key: CreatorKey = None
    language: PreferredLanguage = ENGLISH


class Removal(ConditionalCommand, frozen=True, kw_only=True):
    """A request to remove a player."""

    seat: Seat


class TokenReplacement(GameCommand, frozen=True, kw_only=True):
    """A request for another token of a seat."""

    seat: Seat
    api_key: ApiKey | None
    body: ReplaceToken = ReplaceToken()
    idempotency_key: SecretIdempotencyKey = None


class MyGameListQuery(GameListQuery, frozen=True):
    """Filters of a player's own games."""

    external_user: Annotated[ExternalUser, Meta(description="Only seats with this external user id.")] | None = None
    waiting: Annotated[bool, Meta(description="Whether the game waits for one of these seats.")] | None = None


class MyGameList(Request, frozen=True, kw_only=True):
    """A request for the games of tokens."""

    access: ClassVar[Access] = "required"
    query: MyGameListQuery = MyGameListQuery()
    tokens: list[str]


@games_route(
    "POST",
    "/v1/games/{id}/seats",
    "joinGame",
    "Take the next open seat",
    Joined,
    "The seat and its token.",
    problems=("no_open_seat", "conflict"),
)
async def join_game(request: web.Request, params: Joining) -> web.Response:
    """Take the next open seat; the game starts when the last one is taken.

    Joining a private game requires its spectator token. A colour that another player has is a `conflict`; without a
    colour, the player gets the first free one. With an `Idempotency-Key`, a retry returns the same seat and token.
    With an `Api-Key`, the request counts against the key's quotas in place of the address's limit on joining.
    """
    joiner = JoinRequest(
        params.token,
        params.idempotency_key,
        params.creator_key,
        include_moves=params.query.include is not None,
        language=params.language,
        charge=params.charge,
    )
    joined, version, replayed = await join(request.app[CONTEXT], params.id, params.body, joiner)
    request.app[RATE_LIMITER].trust_tokens((joined.token,))
    etag = game_etag(version, joined.digest)
    private = params.token is not None
    response = json_response(joined, etag=etag, private=private, secret=True, moves=joined.legal_moves)
    return mark_replayed(response, replayed=replayed)


@delete_route(
    "/v1/games/{id}/seats/{seat}",
    "removePlayer",
    "Remove a player",
    GameView,
    "The game, with the seat open.",
    problems=("wrong_seat", *DELETE_PROBLEMS),
)
async def delete_player(request: web.Request, params: Removal) -> web.Response:
    """Remove a player who joined, with the owner token or the seat's own, while the game waits.

    The event is `player_left`. The seat is open again; its token is revoked, and the webhooks that it registered end.
    The owner can repeat the request: an open seat stays open. A player's token is unknown afterwards. `If-Match` makes
    sure that no other player has taken the seat since. For a game that has started, or a seat that was filled at
    creation, the problem is `conflict`; for a finished or aborted game it is `not_active`.
    """
    view, digest = await remove_player(
        request.app[CONTEXT], params.id, params.seat, token=params.token, if_match=params.if_match
    )
    return json_response(view, etag=game_etag(view.version, digest), private=True)


@games_route(
    "POST",
    "/v1/games/{id}/seats/{seat}/token",
    "replaceSeatToken",
    "Replace a seat's token",
    SeatToken,
    "The seat and its new token.",
    headers=(),
    problems=("wrong_seat", "conflict"),
    creates="entry",
)
async def post_seat_token(request: web.Request, params: TokenReplacement) -> web.Response:
    """Replace a seat's token, for example after others have seen it; the old one is revoked at once.

    Sockets and event streams that use the old token are closed, and the webhooks that it registered end. The request
    requires the seat token, or the owner token if the seat was filled at creation. The game does not change: there is
    no new version and no event. With an `Idempotency-Key`, a retry with the revoked token returns the same new token.
    """
    replaced, _, replayed = await replace_token(
        request.app[CONTEXT], params.id, params.seat, params.body, token=params.token, key=params.idempotency_key
    )
    request.app[RATE_LIMITER].trust_tokens((replaced.token,))
    return mark_replayed(json_response(replaced, private=True, secret=True), replayed=replayed)


@games_route("GET", "/v1/seats/me/games", "listMyGames", "List my games", MyGames, "The games, newest first.")
async def list_my_games(request: web.Request, params: MyGameList) -> web.Response:
    """List the games of the given tokens, newest first; `waiting` says whether a game waits for one of their seats.

    `Authorization` accepts up to 100 tokens, as `Bearer TOKEN, TOKEN`: seat tokens, or owner tokens, which stand for
    the seats filled at creation. A client that creates games for others, such as a chat bot, sends the `Creator-Key`
    of those games instead. It returns all games and seats that were created with the key, or only those of
    `external_user`. Unknown secrets match no game; if all of them are unknown, the problem is `unauthorized`.
    """
    query = params.query
    wanted = MyGamesQuery(query.external_user, query.waiting, query.status, query.limit, query.cursor)
    page, loaded_count = await collect_my_games(request.app[CONTEXT], params.tokens, wanted)
    charge_loaded_games(request, loaded_count)
    return link_next_page(request, cacheable_response(request, page, private=True), "cursor", page.next_cursor)


ROUTES = (join_game, delete_player, post_seat_token, list_my_games)
