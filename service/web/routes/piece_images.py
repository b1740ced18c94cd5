"""`GET /v1/tilesets/{id}/tiles/{tile}.svg`, `.png` and the same for ships. Source: R8.5."""

from collections.abc import Iterator
from typing import TypeVar

from aiohttp import web

from schemas.tileset import Ship, Tile
from schemas.vocabulary import ID, SHIP_ID
from service.games.errors import NoSuchTileSet
from service.i18n import Language, get_translator, tile_names
from service.i18n.board_lines import ship_label
from service.web.app_keys import CONTEXT
from service.web.errors import NoSuchPiece
from service.web.headers.negotiation import negotiate_language
from service.web.images.jobs import ImageFormat, ShipJob, TileJob
from service.web.images.queries import MAX_WIDTH_PX, PieceQuery, TileQuery
from service.web.images.responses import (
    CACHE_ONE_DAY,
    ImageRequest,
    image_response,
    image_responses,
    parse_image_format,
)
from service.web.parsing import get_path_id, read_query
from service.web.routing import GAME_ID, Handler, Query, Route

FORMATS: tuple[ImageFormat, ...] = ("svg", "png")

Piece = TypeVar("Piece", Tile, Ship)


async def read_tile(request: web.Request) -> web.Response:
    """Return a picture of a tile.

    In the SVG, 100 units wide, each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y`
    for the centre of an islander on it. Each group of fish is a group with `data-group`. Its `aria-label` is the
    tile's name in the language of `Accept-Language`.
    """
    query = read_query(request, TileQuery)
    loaded = request.app[CONTEXT].tilesets.get(get_path_id(request), NoSuchTileSet)
    tile = _get_piece(loaded.tileset.tiles, request.match_info["tile"])
    width, image_format = min(query.width, MAX_WIDTH_PX), parse_image_format(request)
    language, label = None, ""
    if image_format == "svg":
        language = negotiate_language(request)
        label = tile_names(language, loaded.index)[loaded.index.tile_numbers[tile.id]].full
    job = TileJob(tile, query.rotation, query.theme, width, image_format, label)
    return await _piece_response(request, loaded.hash, job, language)


async def read_ship(request: web.Request) -> web.Response:
    """Return a picture of a ship: its points and its cost.

    A question mark is a ware of any kind; wares with the same letter must be of the same kind (R6.3). The SVG's
    `aria-label` says points and cost in the language of `Accept-Language`.
    """
    query = read_query(request, PieceQuery)
    loaded = request.app[CONTEXT].tilesets.get(get_path_id(request), NoSuchTileSet)
    ship = _get_piece(loaded.tileset.ships, request.match_info["ship"])
    width, image_format = min(query.width, MAX_WIDTH_PX), parse_image_format(request)
    language, label = None, ""
    if image_format == "svg":
        language = negotiate_language(request)
        label = ship_label(get_translator(language), ship)
    job = ShipJob(ship, query.theme, width, image_format, label)
    return await _piece_response(request, loaded.hash, job, language)


async def _piece_response(
    request: web.Request, tileset_hash: str, job: TileJob | ShipJob, language: Language | None
) -> web.Response:
    async def make_job() -> TileJob | ShipJob:
        return job

    subject = f"{tileset_hash} {job}"
    return await image_response(
        request, ImageRequest(subject, job.image_format, job.width, CACHE_ONE_DAY, make_job, language)
    )


def _get_piece(pieces: tuple[Piece, ...], name: str) -> Piece:
    """Return the piece with this id. Raises NoSuchPiece."""
    for piece in pieces:
        if piece.id == name:
            return piece
    raise NoSuchPiece(name)


def _piece_routes(name: str, pattern: str, query: type[Query], handler: Handler) -> Iterator[Route]:
    """Yield the routes of a kind of piece, one for each format; an SVG contains its label."""
    for image_format in FORMATS:
        has_words = image_format == "svg"
        yield Route(
            "GET",
            f"/v1/tilesets/{GAME_ID}/{name}s/{{{name}:{pattern}}}.{image_format}",
            operation_id=f"read{name.title()}{image_format.title()}",
            summary=f"Read a {name} as {image_format.upper()}",
            tag="tile sets",
            query=query,
            headers=("If-None-Match", "Accept-Language") if has_words else ("If-None-Match",),
            responses=image_responses(image_format, has_words=has_words),
            problems=("not_found",),
            handler=handler,
        )


ROUTES = (*_piece_routes("tile", ID, TileQuery, read_tile), *_piece_routes("ship", SHIP_ID, PieceQuery, read_ship))
