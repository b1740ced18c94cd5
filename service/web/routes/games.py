"""Reading a game: GAME, scores, tiles left. Source: api.md, "The game" and "Asking without moving"."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from aiohttp import web

from schemas.game import GameView
from schemas.scores import Scores, TilesLeft
from service.engine import Game, Tables, view
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.games import compute_scores, count_tiles_left, decode_with_tables, load_for_reader
from service.web.app_keys import CONTEXT
from service.web.languages import in_language, language_of, variant
from service.web.parsing import bearer, path_id
from service.web.responses import answer, etag, not_modified
from service.web.routing import GAME_ID, Reply, Route

NOTHING_NEW = Reply(304, "The game has not changed since.", headers=("ETag",))

reading = partial(Route, "GET", access="reads", headers=("If-None-Match",), problems=("not_found",))


@reading(
    "/v1/games/" + GAME_ID,
    operation="readGame",
    summary="Read a game",
    tag="games",
    replies=(Reply(200, "GAME, equal for every reader.", GameView, ("ETag",), examples=("game",)), NOTHING_NEW),
)
async def read_game(request: web.Request) -> web.Response:
    """The whole game as everybody may see it. The order of bag and ship pile appears nowhere."""
    return await _told(request, view)


@reading(
    "/v1/games/" + GAME_ID + "/scores",
    operation="readScores",
    summary="Read the scores",
    tag="playing",
    replies=(
        Reply(200, "Points now, and if the game ended now.", Scores, ("ETag",), examples=("scores",)),
        NOTHING_NEW,
    ),
)
async def read_scores(request: web.Request) -> web.Response:
    """Everybody's points now and if the game ended now (R8.3), and what each islander would bring (R8.4)."""
    return await _told(request, compute_scores)


@reading(
    "/v1/games/" + GAME_ID + "/tiles",
    operation="readTiles",
    summary="Read the tiles left",
    tag="playing",
    replies=(
        Reply(200, "How many of each type are in the bag.", TilesLeft, ("ETag",), examples=("tiles",)),
        NOTHING_NEW,
    ),
)
async def read_tiles(request: web.Request) -> web.Response:
    """How many tiles of each type are still in the bag (R8.1); the drawn tile is not in it any more."""
    return await _told(request, count_tiles_left)


async def _told(request: web.Request, tell: Callable[[Tables, Game], Any]) -> web.Response:
    """What a game's state says, unless the client has it already."""
    context = request.app[CONTEXT]
    loaded, private = await load_for_reader(context, path_id(request), bearer(request))
    tag = etag(loaded.version, loaded.digest)
    return not_modified(request, tag, private=private) or answer(
        tell(*decode_with_tables(context, loaded)), tag=tag, private=private
    )


async def told_in_words(request: web.Request, tell: Callable[[GameRecord, Language], Awaitable[Any]]) -> web.Response:
    """What is said of a game in the reader's language, unless the client has it already."""
    loaded, private = await load_for_reader(request.app[CONTEXT], path_id(request), bearer(request))
    language = language_of(request)
    tag = variant(etag(loaded.version, loaded.digest), language)
    response = not_modified(request, tag, private=private)
    if response is None:
        response = answer(await tell(loaded, language), tag=tag, private=private)
    return in_language(response, language)


ROUTES = (read_game, read_scores, read_tiles)
