"""The files that the pages of `docs` load."""

from functools import cache
from importlib import resources

from aiohttp import web

from service.web.responses import IMMUTABLE, PUBLIC
from service.web.static_assets import Asset, asset, asset_answer

__all__ = ["SHIPPED", "answer", "kept", "shipped"]

SHIPPED = {
    "docs.css": "text/css",
    "viewer.css": "text/css",
    "viewer.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "swagger-ui/swagger-ui.css": "text/css",
    "swagger-ui/swagger-ui-bundle.js": "text/javascript",
    "swagger-ui/LICENSE": "text/plain",
    "swagger-ui/NOTICE": "text/plain",
    "swagger-ui/swagger-ui-bundle.js.LICENSE.txt": "text/plain",
    "pictures/board.png": "image/png",
    "pictures/tiles.png": "image/png",
    "pictures/ships.png": "image/png",
}
"""What pages load: files of `static/`, and the pictures beside the sources of the pages."""


@cache
def shipped(name: str) -> Asset:
    """What has one of the names of SHIPPED."""
    folder = "sources" if name.startswith("pictures/") else "static"
    body = resources.files(__package__).joinpath(folder, *name.split("/")).read_bytes()
    return asset(SHIPPED[name], body)


def kept(name: str) -> str:
    """The address of a file as of this release: whoever has it need not ask again."""
    return f"/docs/static/{name}?v={shipped(name).digest}"


def answer(request: web.Request, found: Asset) -> web.Response:
    """The answer to a GET: kept for good where the address names what it holds."""
    return asset_answer(request, found, IMMUTABLE if request.query.get("v") == found.digest else PUBLIC)
