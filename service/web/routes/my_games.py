"""`GET /v1/seats/me/games`: the games of the seats whose tokens a client has."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta

from schemas.lobby import ExternalUser, MyGames
from service.games.queries.my_games import MyGamesQuery, collect_my_games
from service.web.app_keys import CONTEXT
from service.web.headers.bearer_tokens import parse_bearer_tokens
from service.web.parsing import read_query
from service.web.ratelimit.client_charge import charge_loaded_games
from service.web.responses import cacheable_response, link_next_page
from service.web.routes.game_responses import GameListQuery
from service.web.routing import ResponseSpec, Route


class MyGameListQuery(GameListQuery, frozen=True):
    """Filters of a player's own games."""

    external_user: Annotated[ExternalUser, Meta(description="Only seats with this external user id.")] | None = None
    waiting: Annotated[bool, Meta(description="Whether the game waits for one of these seats.")] | None = None


@Route(
    "GET",
    "/v1/seats/me/games",
    operation_id="listMyGames",
    summary="List my games",
    tag="games",
    access="required",
    query=MyGameListQuery,
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The games, newest first.", MyGames, ("ETag", "Link"), examples=("my_games",)),
        ResponseSpec(304, "The page has not changed.", headers=("ETag", "Link")),
    ),
)
async def list_my_games(request: web.Request) -> web.Response:
    """List the games of the given tokens, newest first; `waiting` says whether a game waits for one of their seats.

    `Authorization` accepts up to 100 tokens, as `Bearer TOKEN, TOKEN`: seat tokens, or owner tokens, which stand for
    the seats filled at creation. A client that creates games for others, such as a chat bot, sends the `Creator-Key`
    of those games instead. It returns all games and seats that were created with the key, or only those of
    `external_user`. Unknown secrets match no game; if all of them are unknown, the problem is `unauthorized`.
    """
    query = read_query(request, MyGameListQuery)
    games_query = MyGamesQuery(query.external_user, query.waiting, query.status, query.limit, query.cursor)
    tokens = parse_bearer_tokens(request)
    page, loaded_count = await collect_my_games(request.app[CONTEXT], tokens, games_query)
    charge_loaded_games(request, loaded_count)
    return link_next_page(request, cacheable_response(request, page, private=True), "cursor", page.next_cursor)


ROUTES = (list_my_games,)
