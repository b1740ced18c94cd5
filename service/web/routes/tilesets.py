"""The tile sets that games can be played with. Source: api.md, "Tile sets"."""

from hashlib import sha256

from aiohttp import web

from schemas.tileset import TileSet, TileSets
from service.web.app_keys import CONTEXT
from service.web.parsing import path_id
from service.web.responses import IMMUTABLE, answer, not_modified
from service.web.routing import GAME_ID, Reply, Route


@Route(
    "GET",
    "/v1/tilesets",
    operation="listTileSets",
    summary="List the tile sets",
    tag="tile sets",
    headers=("If-None-Match",),
    replies=(
        Reply(200, "Every tile set, whole.", TileSets, ("ETag",)),
        Reply(304, "Nothing has changed.", headers=("ETag",)),
    ),
)
async def list_tilesets(request: web.Request) -> web.Response:
    """Every tile set that a game can be played with: its tiles with their segments, and its ships."""
    catalogue = request.app[CONTEXT].tilesets
    tag = f'"{sha256("".join(loaded.hash for loaded in catalogue).encode()).hexdigest()[:32]}"'
    return not_modified(request, tag) or answer(
        TileSets(tilesets=[loaded.tileset for loaded in catalogue]),
        tag=tag,
    )


@Route(
    "GET",
    "/v1/tilesets/" + GAME_ID,
    operation="readTileSet",
    summary="Read a tile set",
    tag="tile sets",
    headers=("If-None-Match",),
    replies=(
        Reply(200, "The tile set.", TileSet, ("ETag", "Cache-Control")),
        Reply(304, "Nothing has changed, as nothing ever does.", headers=("ETag", "Cache-Control")),
    ),
    problems=("not_found",),
)
async def read_tileset(request: web.Request) -> web.Response:
    """One tile set. Its answer never changes under its id, so keep it as long as you like.

    `SET` of a game's commitment is the SHA-256 of this answer in RFC 8785 form.
    """
    loaded = request.app[CONTEXT].tilesets.get(path_id(request))
    tag = f'"{loaded.hash}"'
    response = not_modified(request, tag) or answer(loaded.response, tag=tag)
    response.headers["Cache-Control"] = IMMUTABLE
    return response


ROUTES = (list_tilesets, read_tileset)
