"""`GET /v1/tilesets`, `GET /v1/tilesets/{id}`, and pictures of tiles and ships. Source of the pictures: R8.5."""

from functools import partial
from typing import Annotated, ClassVar, TypeVar

from aiohttp import web
from msgspec import Meta

from schemas.base import Query
from schemas.tileset import Ship, Tile, TileSet, TileSets
from schemas.vocabulary import ID, SHIP_ID
from service.drawing.palette import THEMES
from service.drawing.ships import ship_svg
from service.drawing.tile import tile_svg
from service.games.errors import NoSuchTileSet, suggest
from service.i18n import ENGLISH, Language, get_translator, tile_names
from service.i18n.events import ship_label
from service.web import images, responses
from service.web.app import CONTEXT, HttpRequest
from service.web.headers import PreferredLanguage
from service.web.problems import NoSuchPiece
from service.web.renderer import DrawingJob, ImageFormat
from service.web.routing import Id, Request, Route

Piece = TypeVar("Piece", Tile, Ship)


class TileSetRead(Request, frozen=True, kw_only=True):
    """A request about a tile set."""

    id: Id


class PieceQuery(Query, frozen=True):
    """Options of a picture of a ship; an SVG has no fixed size."""

    width: images.Width = 400
    theme: images.ThemeParameter = "light"


class TileQuery(PieceQuery, frozen=True):
    """Options of a picture of a tile."""

    rotation: Annotated[int, Meta(ge=0, le=3, description="Quarter turns clockwise.")] = 0


class TilesQuery(Query, frozen=True):
    """Options of the picture of all tiles."""

    theme: images.ThemeParameter = "light"
    drawing: (
        Annotated[
            str,
            Meta(
                description="The digest of the service's drawings, which its page names. A picture with the current "
                "one never changes."
            ),
        ]
        | None
    ) = None


class TilesRead(TileSetRead, frozen=True, kw_only=True):
    """A request for the picture of all tiles."""

    query: TilesQuery = TilesQuery()


class TilePng(TileSetRead, frozen=True, kw_only=True):
    """A request for a picture of a tile, which has no words."""

    image_format: ClassVar[ImageFormat] = "png"
    tile: Annotated[str, Meta(pattern=f"^{ID}$", description="The id of a tile type.", examples=["junction-4"])]
    query: TileQuery = TileQuery()
    language: Language | None = None


class TileSvg(TilePng, frozen=True, kw_only=True):
    """A request for a picture of a tile, with its name."""

    image_format: ClassVar[ImageFormat] = "svg"
    language: PreferredLanguage = ENGLISH


class ShipPng(TileSetRead, frozen=True, kw_only=True):
    """A request for a picture of a ship, which has no words."""

    image_format: ClassVar[ImageFormat] = "png"
    ship: Annotated[str, Meta(pattern=f"^{SHIP_ID}$", description="A ship's id.", examples=["s16"])]
    query: PieceQuery = PieceQuery()
    language: Language | None = None


class ShipSvg(ShipPng, frozen=True, kw_only=True):
    """A request for a picture of a ship, with its points and cost in words."""

    image_format: ClassVar[ImageFormat] = "svg"
    language: PreferredLanguage = ENGLISH


@Route("GET", "/v1/tilesets", "List the tile sets", TileSets, "All tile sets, complete.", tag="tile sets")
async def list_tile_sets(request: HttpRequest, _: Request) -> web.Response:
    """List the tile sets that games can be played with: their tiles, with segments, and their ships."""
    catalogue = request.app[CONTEXT].tilesets
    tag = responses.content_etag("".join(loaded.hash for loaded in catalogue).encode())
    return responses.not_modified_response(request, tag) or responses.json_response(
        TileSets(tilesets=[loaded.tileset for loaded in catalogue]), etag=tag
    )


@Route(
    "GET",
    "/v1/tilesets/{id}",
    "Read a tile set",
    TileSet,
    "The tile set.",
    headers=("ETag", "Cache-Control"),
    tag="tile sets",
)
async def read_tile_set(request: HttpRequest, params: TileSetRead) -> web.Response:
    """Return one tile set. The response for an id never changes, so it can be cached forever.

    `SET` in a game's commitment is the SHA-256 of this response in RFC 8785 form.
    """
    loaded = request.app[CONTEXT].tilesets.get(params.id, NoSuchTileSet)
    tag = f'"{loaded.hash}"'
    response = responses.not_modified_response(request, tag) or responses.json_response(loaded.response, etag=tag)
    response.headers["Cache-Control"] = responses.CACHE_IMMUTABLE
    return response


@Route(
    "GET",
    "/v1/tilesets/{id}/tiles.svg",
    "Read all tiles as one SVG",
    bytes,
    "The picture.",
    tag="tile sets",
    media_type=images.MEDIA_TYPES["svg"],
    problems=("instance_unavailable",),
)
async def read_tiles_svg(request: HttpRequest, params: TilesRead) -> web.Response:
    """Return all tiles of a set, in every rotation, as the symbols `tile-ID-ROTATION` of one SVG.

    Each symbol is 100 units wide and has the groups that the picture of its tile has.
    """
    loaded, query = request.app[CONTEXT].tilesets.get(params.id, NoSuchTileSet), params.query
    caching = responses.CACHE_IMMUTABLE if query.drawing == images.drawing_code_digest() else responses.CACHE_PUBLIC
    return responses.static_response(
        request, await request.app[images.TILESET_PICTURES].get(loaded, query.theme), caching, {}
    )


async def read_tile(request: HttpRequest, params: TilePng) -> web.Response:
    """Return a picture of a tile.

    In the SVG, 100 units wide, each segment is a group with `data-segment`, `data-kind`, and `data-x` and `data-y`
    for the centre of an islander on it. Each group of fish is a group with `data-group`. Its `aria-label` is the
    tile's name in the language of `Accept-Language`.
    """
    query = params.query
    loaded = request.app[CONTEXT].tilesets.get(params.id, NoSuchTileSet)
    tile = _get_piece(loaded.tileset.tiles, params.tile)
    label = ""
    if params.language is not None:
        label = tile_names(params.language, loaded.index)[loaded.index.tile_numbers[tile.id]].full
    draw = partial(tile_svg, tile, query.rotation, THEMES[query.theme], label=label)
    return await _piece_response(request, params, f"{loaded.hash} tile {tile.id} {query.rotation} {label}", draw)


async def read_ship(request: HttpRequest, params: ShipPng) -> web.Response:
    """Return a picture of a ship: its points and its cost.

    A question mark is a ware of any kind; wares with the same letter must be of the same kind (R6.3). The SVG's
    `aria-label` says points and cost in the language of `Accept-Language`.
    """
    loaded = request.app[CONTEXT].tilesets.get(params.id, NoSuchTileSet)
    ship = _get_piece(loaded.tileset.ships, params.ship)
    label = "" if params.language is None else ship_label(get_translator(params.language), ship)
    draw = partial(ship_svg, ship, THEMES[params.query.theme], label=label)
    return await _piece_response(request, params, f"{loaded.hash} ship {ship.id} {label}", draw)


async def _piece_response(
    request: HttpRequest, params: TilePng | ShipPng, subject: str, draw: "partial[str]"
) -> web.Response:
    """Return a picture that `draw` draws: a PNG in the request's width; an SVG has no fixed size."""
    image_format, width = params.image_format, min(params.query.width, images.MAX_WIDTH_PX)

    async def make_job() -> DrawingJob:
        return DrawingJob(partial(draw, width=width) if image_format == "png" else draw, image_format)

    subject = f"{subject} {params.query.theme} {width}"
    image = images.ImageRequest(subject, image_format, width, images.CACHE_ONE_DAY, make_job, params.language)
    return await images.image_response(request, image)


def _get_piece(pieces: tuple[Piece, ...], name: str) -> Piece:
    """Return the piece with this id. Raises NoSuchPiece."""
    for piece in pieces:
        if piece.id == name:
            return piece
    raise NoSuchPiece(name, suggest(name, [piece.id for piece in pieces]))


def _picture_route(kind: type[TilePng | ShipPng], name: str) -> Route:
    """Return the route of pictures of a kind of piece, in one format."""
    image_format = kind.image_format
    return Route(
        "GET",
        f"/v1/tilesets/{{id}}/{name}s/{{{name}}}.{image_format}",
        f"Read a {name} as {image_format.upper()}",
        bytes,
        "The picture.",
        tag="tile sets",
        operation_id=f"read{name.title()}{image_format.title()}",
        media_type=images.MEDIA_TYPES[image_format],
        problems=("instance_unavailable",),
        request_type=kind,
        handler=read_tile if name == "tile" else read_ship,
    )


ROUTES = (list_tile_sets, read_tile_set)
PICTURE_ROUTES = (
    read_tiles_svg,
    *(_picture_route(kind, "tile") for kind in (TileSvg, TilePng)),
    *(_picture_route(kind, "ship") for kind in (ShipSvg, ShipPng)),
)
