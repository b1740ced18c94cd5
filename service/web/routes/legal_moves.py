"""Legal moves, whole or in parts for small menus. Source: api.md, "Legal moves"."""

from typing import Annotated, Literal

from aiohttp import web
from msgspec import Meta

from schemas.acting import LegalMoves
from schemas.vocabulary import Int32
from service.games.i18n import Language
from service.games.ports import GameRecord
from service.games.queries.games import MoveFilter, decode_with_tables, list_legal_moves
from service.web.app_keys import CONTEXT
from service.web.parsing import read_query
from service.web.routes.game_responses import GAME_NOT_MODIFIED, localized_response
from service.web.routing import GAME_ID, Query, ResponseSpec, Route


class LegalMovesQuery(Query, frozen=True):
    """Which legal moves are told; without any of these all are."""

    stage: (
        Annotated[Literal["cell"], Meta(description="`cell` answers the cells that have moves, and no moves.")] | None
    ) = None
    x: Annotated[Int32, Meta(description="Only moves at this x.")] | None = None
    y: Annotated[Int32, Meta(description="Only moves at this y.")] | None = None
    q: (
        Annotated[str, Meta(max_length=100, description="Only moves with this in their text, in capitals or not.")]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="Moves or cells in one answer.")] | None = None
    cursor: Annotated[str, Meta(max_length=200, description="`next_cursor` of the answer before.")] | None = None


@Route(
    "GET",
    "/v1/games/" + GAME_ID + "/legal-moves",
    operation_id="readLegalMoves",
    summary="Read the legal moves",
    tag="playing",
    access="reads",
    query=LegalMovesQuery,
    headers=("If-None-Match", "Accept-Language"),
    responses=(
        ResponseSpec(
            200,
            "Everything that is accepted now.",
            LegalMoves,
            ("ETag", "Content-Language"),
            examples=("legal_moves", "legal_cells"),
        ),
        GAME_NOT_MODIFIED,
    ),
    problems=("not_found",),
)
async def read_legal_moves(request: web.Request) -> web.Response:
    """Every move that is accepted now; what is not listed is refused.

    `seat` and `phase` are null and `moves` empty where nobody decides. For menus of 25 rows: `stage=cell` first, then
    `x` and `y` of the chosen cell, or `q`, and pages with `limit` and `cursor`. The texts are in the language asked for
    in `Accept-Language`.
    """
    query = read_query(request, LegalMovesQuery)
    move_filter = MoveFilter(query.stage, query.x, query.y, query.q, query.limit, query.cursor)

    async def build(loaded: GameRecord, language: Language) -> LegalMoves:
        return list_legal_moves(*decode_with_tables(request.app[CONTEXT], loaded), move_filter, language)

    return await localized_response(request, build)


ROUTES = (read_legal_moves,)
