"""`GET /` and the files of the web page, which `clients/page` builds into `static/page`."""

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from aiohttp import web
from aiohttp.typedefs import Handler

from schemas.service import ServiceIndex
from service.web.headers.negotiation import add_vary, prefers_media_type
from service.web.parsing import JSON
from service.web.responses import CACHE_IMMUTABLE, CACHE_PUBLIC, cacheable_response
from service.web.routing import Request, ResponseSpec, Route
from service.web.static_assets import Asset, make_asset, static_response

HTML = "text/html"
UNHASHED_FILES = ("favicon.svg", "manifest.webmanifest")
"""Files whose names have no content hash, so that they must be revalidated."""

MEDIA_TYPES = {
    "html": HTML,
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}

SERVICE_INDEX = ServiceIndex(
    name="south-seas",
    openapi="/openapi.json",
    asyncapi="/asyncapi.json",
    games="/v1/games",
    tilesets="/v1/tilesets",
    websocket="/v1/ws",
)


@cache
def built_files() -> dict[str, Asset]:
    """Load every built file, by its path below `/`."""
    built = resources.files("service.web").joinpath("static", "page")
    assets = {name: _load_asset(built / name) for name in ("index.html", *UNHASHED_FILES)}
    return assets | {f"assets/{entry.name}": _load_asset(entry) for entry in (built / "assets").iterdir()}


def _load_asset(entry: Traversable) -> Asset:
    return make_asset(MEDIA_TYPES[entry.name.rpartition(".")[2]], entry.read_bytes())


@Route(
    "GET",
    "/",
    "readIndex",
    "Read the index, or open the web page",
    tag="service",
    responses=(
        ResponseSpec(200, "The entry points of the API.", ServiceIndex, ("ETag",)),
        ResponseSpec(200, "The web page.", str, media_type=HTML),
    ),
)
async def read_index(request: web.Request, _: Request) -> web.Response:
    """Return the entry points of the API, or the web page to a client that prefers `text/html`."""
    if prefers_media_type(request, HTML, JSON):
        response = static_response(request, built_files()["index.html"], CACHE_PUBLIC)
    else:
        response = cacheable_response(request, SERVICE_INDEX)
    return add_vary(response, "Accept")


def _file_handler(path: str, caching: str) -> Handler:
    """Return a handler for one file, or for every file of a folder if `path` ends with a slash."""

    async def send_file(request: web.Request) -> web.StreamResponse:
        file = built_files().get(path + request.match_info.get("file", ""))
        if file is None:
            raise web.HTTPNotFound
        return static_response(request, file, caching)

    return send_file


def add_file_routes(app: web.Application) -> None:
    """Add the routes of the page's files; they are not part of the API, so the OpenAPI document omits them."""
    handlers = {"/assets/{file}": _file_handler("assets/", CACHE_IMMUTABLE)} | {
        f"/{name}": _file_handler(name, CACHE_PUBLIC) for name in UNHASHED_FILES
    }
    for path, handler in handlers.items():
        app.router.add_get(path, handler)


ROUTES = (read_index,)
