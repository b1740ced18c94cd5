"""Games that wait for me, whichever they are."""

from typing import Annotated

from aiohttp import web
from msgspec import Meta

from schemas.lobby import ExternalUser, MyGames
from service.games.queries.games import MAX_GAMES_SCANNED
from service.games.queries.my_games import MyGamesQuery, collect_my_games
from service.web.app_keys import CONTEXT
from service.web.parsing import parse_bearer_tokens, read_query
from service.web.ratelimit import costs
from service.web.ratelimit.request_charges import charge_request, refund_request
from service.web.responses import json_response
from service.web.routes.queries import GameListQuery
from service.web.routing import ResponseSpec, Route


class MyGameListQuery(GameListQuery, frozen=True):
    """Which of my games are told."""

    external_user: Annotated[ExternalUser, Meta(description="Only seats of whom the creator calls so.")] | None = None
    waiting: Annotated[bool, Meta(description="Only games that wait for a seat of mine, or only others.")] | None = None


@Route(
    "GET",
    "/v1/seats/me/games",
    operation_id="myGames",
    summary="List games of mine",
    tag="games",
    access="required",
    query=MyGameListQuery,
    responses=(ResponseSpec(200, "Games of mine, newest first.", MyGames, examples=("my_games",)),),
)
async def list_my_games(request: web.Request) -> web.Response:
    """The games of whoever shows these tokens, newest first; `waiting` says whether a game waits for one of my seats.

    `Authorization` takes up to 100 tokens, as `Bearer TOKEN, TOKEN`: of seats, or of owners, who act for the seats that
    they filled. Whoever creates games for others, as a chat bot, shows the `Creator-Key` instead that it sent with
    them, which finds all games and seats that came with it, or with `external_user` those of one person. Of several
    secrets those that nobody knows (any more) find nothing; where nobody knows any, it is `unauthorized`.
    """
    query = read_query(request, MyGameListQuery)
    games_query = MyGamesQuery(query.external_user, query.waiting, query.status, query.limit, query.cursor)
    tokens = parse_bearer_tokens(request)
    charged = MAX_GAMES_SCANNED // costs.LISTED_GAMES_PER_TOKEN
    await charge_request(request, charged + len(tokens) // costs.ACCESS_TOKENS_PER_TOKEN)
    page, loaded_count = await collect_my_games(request.app[CONTEXT], tokens, games_query)
    refund_request(
        request, charged - loaded_count // costs.LISTED_GAMES_PER_TOKEN
    )  # of those that are looked at, few may be told
    return json_response(page, private=True)


ROUTES = (list_my_games,)
