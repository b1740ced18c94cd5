"""`GET /v1/tilesets` and `GET /v1/tilesets/{id}`."""

from aiohttp import web

from schemas.tileset import TileSet, TileSets
from service.games.errors import NoSuchTileSet
from service.web.app_keys import CONTEXT
from service.web.parsing import get_path_id
from service.web.responses import CACHE_IMMUTABLE, content_etag, json_response, not_modified_response
from service.web.routing import GAME_ID, ResponseSpec, Route


@Route(
    "GET",
    "/v1/tilesets",
    operation_id="listTileSets",
    summary="List the tile sets",
    tag="tile sets",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "All tile sets, complete.", TileSets, ("ETag",)),
        ResponseSpec(304, "The tile sets have not changed.", headers=("ETag",)),
    ),
)
async def list_tilesets(request: web.Request) -> web.Response:
    """List the tile sets that games can be played with: their tiles, with segments, and their ships."""
    catalogue = request.app[CONTEXT].tilesets
    tag = content_etag("".join(loaded.hash for loaded in catalogue).encode())
    return not_modified_response(request, tag) or json_response(
        TileSets(tilesets=[loaded.tileset for loaded in catalogue]),
        etag=tag,
    )


@Route(
    "GET",
    "/v1/tilesets/" + GAME_ID,
    operation_id="readTileSet",
    summary="Read a tile set",
    tag="tile sets",
    headers=("If-None-Match",),
    responses=(
        ResponseSpec(200, "The tile set.", TileSet, ("ETag", "Cache-Control")),
        ResponseSpec(304, "The tile set has not changed; it never does.", headers=("ETag", "Cache-Control")),
    ),
    problems=("not_found",),
)
async def read_tileset(request: web.Request) -> web.Response:
    """Return one tile set. The response for an id never changes, so it can be cached forever.

    `SET` in a game's commitment is the SHA-256 of this response in RFC 8785 form.
    """
    loaded = request.app[CONTEXT].tilesets.get(get_path_id(request), NoSuchTileSet)
    tag = f'"{loaded.hash}"'
    response = not_modified_response(request, tag) or json_response(loaded.response, etag=tag)
    response.headers["Cache-Control"] = CACHE_IMMUTABLE
    return response


ROUTES = (list_tilesets, read_tileset)
