"""Pictures of tiles and ships. Source: R8.5."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web

from schemas.tileset import Ship, Tile
from schemas.vocabulary import ID, SHIP_ID
from service.web.app_keys import CONTEXT
from service.web.errors import NoSuchPiece
from service.web.images.jobs import Form, Job, ShipJob, TileJob
from service.web.images.queries import MOST_PIXELS, PieceQuery, TileQuery
from service.web.images.responses import A_DAY, Picture, replies, send
from service.web.parsing import get_path_id, read_query
from service.web.routing import GAME_ID, Handler, Query, Route


def _tile(form: Form) -> Route:
    return _piece(form, "tile", ID, TileQuery)(_tile_handler(form))


def _ship(form: Form) -> Route:
    return _piece(form, "ship", SHIP_ID, PieceQuery)(_ship_handler(form))


def _piece(form: Form, name: str, pattern: str, query: type[Query]) -> Callable[[Handler], Route]:
    return Route(
        "GET",
        f"/v1/tilesets/{GAME_ID}/{name}s/{{{name}:{pattern}}}.{form}",
        operation=f"read{name.title()}{form.title()}",
        summary=f"Read a {name} as {form.upper()}",
        tag="tile sets",
        query=query,
        headers=("If-None-Match",),
        replies=replies(form),
        problems=("not_found",),
    )


def _tile_handler(form: Form) -> Handler:
    async def read_tile(request: web.Request) -> web.Response:
        """A tile of a set.

        In SVG each segment is a group with `data-segment`, `data-kind` and, as `data-x` and `data-y`, the middle of an
        islander there; the picture is 100 units wide. Each group of fish is a group with `data-group`.
        """
        asked = read_query(request, TileQuery)
        loaded = request.app[CONTEXT].tilesets.get(get_path_id(request))
        tile = _found(loaded.tileset.tiles, request.match_info["tile"])
        job = TileJob(tile, asked.rotation, asked.theme, min(asked.width, MOST_PIXELS), form)
        return await send(request, Picture(f"{loaded.hash} {job}", form, job.width, A_DAY), _made(job))

    return read_tile


def _ship_handler(form: Form) -> Handler:
    async def read_ship(request: web.Request) -> web.Response:
        """A ship's token: its points, and the wares that it asks for.

        A question mark is a ware of any kind; letters are groups of identical wares, one letter being one kind (R6.3).
        """
        asked = read_query(request, PieceQuery)
        loaded = request.app[CONTEXT].tilesets.get(get_path_id(request))
        ship = _found(loaded.tileset.ships, request.match_info["ship"])
        job = ShipJob(ship, asked.theme, min(asked.width, MOST_PIXELS), form)
        return await send(request, Picture(f"{loaded.hash} {job}", form, job.width, A_DAY), _made(job))

    return read_ship


Piece = TypeVar("Piece", Tile, Ship)


def _made(job: Job) -> Callable[[], Awaitable[Job]]:
    """A job that waits for nothing."""

    async def make() -> Job:
        return job

    return make


def _found(pieces: tuple[Piece, ...], name: str) -> Piece:
    """The piece with an id. Raises NoSuchPiece."""
    for piece in pieces:
        if piece.id == name:
            return piece
    raise NoSuchPiece(name)


ROUTES = (_tile("svg"), _tile("png"), _ship("svg"), _ship("png"))
