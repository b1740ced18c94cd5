"""The static files that the documentation pages load."""

from functools import cache
from importlib import resources

from aiohttp import web

from service.web.responses import CACHE_IMMUTABLE, CACHE_PUBLIC
from service.web.static_assets import Asset, make_asset, static_response

__all__ = ["CONTENT_TYPES", "asset_response", "load_static", "static_url"]

CONTENT_TYPES = {
    "docs.css": "text/css",
    "docs.js": "text/javascript",
    "viewer.css": "text/css",
    "viewer.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "minisearch/minisearch.js": "text/javascript",
    "minisearch/LICENSE": "text/plain",
    "swagger-ui/swagger-ui.css": "text/css",
    "swagger-ui/swagger-ui-bundle.js": "text/javascript",
    "swagger-ui/LICENSE": "text/plain",
    "swagger-ui/NOTICE": "text/plain",
    "swagger-ui/swagger-ui-bundle.js.LICENSE.txt": "text/plain",
    "pictures/board.png": "image/png",
    "pictures/tiles.png": "image/png",
    "pictures/ships.png": "image/png",
}
"""The files by name: those of `static/`, and the pictures beside the Markdown sources."""


@cache
def load_static(name: str) -> Asset:
    """Return one of the files of CONTENT_TYPES."""
    folder = "sources" if name.startswith("pictures/") else "static"
    body = resources.files(__package__).joinpath(folder, *name.split("/")).read_bytes()
    return make_asset(CONTENT_TYPES[name], body)


def static_url(name: str) -> str:
    """Return the URL of a file with the digest of its content, so that browsers may cache it forever."""
    return f"/docs/static/{name}?v={load_static(name).digest}"


def asset_response(request: web.Request, asset: Asset) -> web.Response:
    """Return the response to a GET; it is immutable if the URL has the digest of the content."""
    return static_response(request, asset, CACHE_IMMUTABLE if request.query.get("v") == asset.digest else CACHE_PUBLIC)
