"""What follows from a game's state: `GET /v1/games/{id}/scores`, `/features`, `/tiles` and `/legal-moves`."""

from typing import Annotated, Literal

from aiohttp import web
from msgspec import Meta

from schemas.base import Query
from schemas.commands import LegalMoves
from schemas.scores import BoardFeatures, Scores, TilesLeft
from schemas.vocabulary import Int32
from service.games.ports.game_store import GameRecord
from service.games.queries.games import compute_scores, count_tiles_left, list_features
from service.games.queries.legal_moves import MoveFilter, list_legal_moves
from service.games.repository import decode_with_index
from service.web.app_keys import CONTEXT
from service.web.routes.game_responses import (
    LocalizedRead,
    NextPage,
    game_read_route,
    localized_response,
    state_response,
)
from service.web.routing import GameRead

MovesCursor = Annotated[str, Meta(pattern=r"^[0-9]{1,6}(?!\n)$", description="The `next_cursor` of the previous page.")]
"""The number of moves or cells before the page."""


class FeaturesQuery(Query, frozen=True):
    """Which features; without both, all."""

    x: Annotated[Int32, Meta(description="Only features on tiles at this x.")] | None = None
    y: Annotated[Int32, Meta(description="Only features on tiles at this y.")] | None = None


class FeaturesRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for features."""

    query: FeaturesQuery = FeaturesQuery()


class LegalMovesQuery(Query, frozen=True):
    """Filters of the legal moves; without any, the list is complete."""

    stage: (
        Annotated[
            Literal["cell"], Meta(description="`cell` returns the cells that have moves, and the moves without one.")
        ]
        | None
    ) = None
    x: Annotated[Int32, Meta(description="Only moves at this x.")] | None = None
    y: Annotated[Int32, Meta(description="Only moves at this y.")] | None = None
    q: (
        Annotated[str, Meta(max_length=100, description="Only moves whose text contains this; case is ignored.")] | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="The maximum number of rows per page.")] | None = None
    cursor: MovesCursor | None = None
    effects: Annotated[
        bool, Meta(description="Whether each move says what it would cause, and what its feature and the ships lack.")
    ] = False


class LegalMovesRead(LocalizedRead, frozen=True, kw_only=True):
    """A request for legal moves."""

    query: LegalMovesQuery = LegalMovesQuery()


@game_read_route(
    "/v1/games/{id}/scores", "readScores", "Read the scores", Scores, "The points now, and if the game ended now."
)
async def read_scores(request: web.Request, params: GameRead) -> web.Response:
    """Return each player's points now and if the game ended now (R8.3), and each islander's value (R8.4)."""
    return await state_response(request, params, compute_scores)


@game_read_route(
    "/v1/games/{id}/features",
    "readFeatures",
    "Read the features",
    BoardFeatures,
    "The features, and what each is worth.",
)
async def read_features(request: web.Request, asked: FeaturesRead) -> web.Response:
    """Return the features of a tile, or of the board: who is there, what each is worth so far and what it lacks (R8.4).

    The texts are in the language of `Accept-Language`.
    """

    async def build(loaded: GameRecord) -> tuple[BoardFeatures, NextPage]:
        index, game = decode_with_index(request.app[CONTEXT].tilesets, loaded)
        return list_features(index, game, asked.language, asked.query.x, asked.query.y), ("cursor", None)

    return await localized_response(request, asked, build)


@game_read_route(
    "/v1/games/{id}/tiles", "readTiles", "Read the tiles left", TilesLeft, "The number of tiles in the bag, by type."
)
async def read_tiles(request: web.Request, params: LocalizedRead) -> web.Response:
    """Return the number of tiles of each type in the bag (R8.1), not counting the drawn tile.

    The tiles' names are in the language of `Accept-Language`.
    """

    async def build(loaded: GameRecord) -> tuple[TilesLeft, NextPage]:
        tiles = count_tiles_left(*decode_with_index(request.app[CONTEXT].tilesets, loaded), params.language)
        return tiles, ("cursor", None)

    return await localized_response(request, params, build)


@game_read_route("/v1/games/{id}/legal-moves", "readLegalMoves", "Read the legal moves", LegalMoves, "The legal moves.")
async def read_legal_moves(request: web.Request, params: LegalMovesRead) -> web.Response:
    """Return every move that is legal now; any other move is rejected.

    If nobody has to decide, `seat` and `phase` are null and `moves` is empty. For menus of 25 rows, request
    `stage=cell` first: `cells` has every cell with moves, and `moves` those without a cell, such as passing or
    delivering. Then request `x` and `y` of the chosen cell. With `limit` and `cursor`, a page has that many cells and
    moves together. Or search with `q`. With `effects=1` each move has the events that it would cause, and `ships` says
    what each ship costs and what the player lacks; the list then takes up to ten times as long to make, which the
    limit of the client's time counts. The texts are in the language of `Accept-Language`.
    """
    query = params.query
    move_filter = MoveFilter(query.stage, query.x, query.y, query.q, query.limit, query.cursor, query.effects)

    async def build(loaded: GameRecord) -> tuple[LegalMoves, NextPage]:
        index, game = decode_with_index(request.app[CONTEXT].tilesets, loaded)
        moves = list_legal_moves(index, game, move_filter, params.language)
        return moves, ("cursor", moves.next_cursor)

    return await localized_response(request, params, build)


ROUTES = (read_scores, read_features, read_tiles, read_legal_moves)
