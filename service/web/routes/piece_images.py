"""`GET /v1/tilesets/{id}/tiles/{tile}.svg`, `.png` and the same for ships. Source: R8.5."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web

from schemas.tileset import Ship, Tile
from schemas.vocabulary import ID, SHIP_ID
from service.web.app_keys import CONTEXT
from service.web.errors import NoSuchPiece
from service.web.images.jobs import DrawingJob, ImageFormat, ShipJob, TileJob
from service.web.images.queries import MAX_WIDTH_PX, PieceQuery, TileQuery
from service.web.images.responses import CACHE_ONE_DAY, ImageRequest, image_response, image_responses
from service.web.parsing import get_path_id, read_query
from service.web.routing import GAME_ID, Handler, Query, Route


def _tile_route(image_format: ImageFormat) -> Route:
    return _piece_route(image_format, "tile", ID, TileQuery)(_tile_handler(image_format))


def _ship_route(image_format: ImageFormat) -> Route:
    return _piece_route(image_format, "ship", SHIP_ID, PieceQuery)(_ship_handler(image_format))


def _piece_route(image_format: ImageFormat, name: str, pattern: str, query: type[Query]) -> Callable[[Handler], Route]:
    return Route(
        "GET",
        f"/v1/tilesets/{GAME_ID}/{name}s/{{{name}:{pattern}}}.{image_format}",
        operation_id=f"read{name.title()}{image_format.title()}",
        summary=f"Read a {name} as {image_format.upper()}",
        tag="tile sets",
        query=query,
        headers=("If-None-Match",),
        responses=image_responses(image_format),
        problems=("not_found",),
    )


def _tile_handler(image_format: ImageFormat) -> Handler:
    async def read_tile(request: web.Request) -> web.Response:
        """Return a picture of a tile.

        In the SVG, 100 units wide, each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y`
        for the centre of an islander on it. Each group of fish is a group with `data-group`.
        """
        query = read_query(request, TileQuery)
        loaded = request.app[CONTEXT].tilesets.get(get_path_id(request))
        tile = _get_piece(loaded.tileset.tiles, request.match_info["tile"])
        job = TileJob(tile, query.rotation, query.theme, min(query.width, MAX_WIDTH_PX), image_format)
        return await image_response(
            request, ImageRequest(f"{loaded.hash} {job}", image_format, job.width, CACHE_ONE_DAY), _job_factory(job)
        )

    return read_tile


def _ship_handler(image_format: ImageFormat) -> Handler:
    async def read_ship(request: web.Request) -> web.Response:
        """Return a picture of a ship: its points and its cost.

        A question mark is a ware of any kind; wares with the same letter must be of the same kind (R6.3).
        """
        query = read_query(request, PieceQuery)
        loaded = request.app[CONTEXT].tilesets.get(get_path_id(request))
        ship = _get_piece(loaded.tileset.ships, request.match_info["ship"])
        job = ShipJob(ship, query.theme, min(query.width, MAX_WIDTH_PX), image_format)
        return await image_response(
            request, ImageRequest(f"{loaded.hash} {job}", image_format, job.width, CACHE_ONE_DAY), _job_factory(job)
        )

    return read_ship


Piece = TypeVar("Piece", Tile, Ship)


def _job_factory(job: DrawingJob) -> Callable[[], Awaitable[DrawingJob]]:
    """Return a factory for a job that is ready."""

    async def make() -> DrawingJob:
        return job

    return make


def _get_piece(pieces: tuple[Piece, ...], name: str) -> Piece:
    """Return the piece with this id. Raises NoSuchPiece."""
    for piece in pieces:
        if piece.id == name:
            return piece
    raise NoSuchPiece(name)


ROUTES = (_tile_route("svg"), _tile_route("png"), _ship_route("svg"), _ship_route("png"))
