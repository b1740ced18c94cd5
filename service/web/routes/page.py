"""What is served as files, and the cards that chats show for a link to a game.

The web page is built by `clients/page`, the documentation and the clients' packages by `tools/site`.

The documentation explains every problem's `type`. These pages are for people; the API documents describe the index
alone.

A card says who plays, how it stands, and shows the board. Its words are the Open Graph protocol's (ogp.me), with that
of Twitter which asks for a large picture. A card names the host of its request, as pictures need an absolute URL.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from html import escape

from aiohttp import hdrs, web

from schemas.problems import PROBLEM_TYPES
from schemas.service import ServiceIndex
from service.drawing.game_picture import board_size
from service.drawing.scene import MAX_REGION_SIDE, BoardOptions, Region, bounding_region, make_scene, parse_cell
from service.engine.view import build_view
from service.games.errors import NoSuchGame, TileSetMissing
from service.games.ports import StoredGame, StoreUnavailable
from service.games.queries import load_for_reader
from service.games.repository import Context, open_game
from service.i18n import ENGLISH, Language, describe_hidden_game, describe_status, get_translator, title_game
from service.release import REVISION, VERSION
from service.web import responses
from service.web.app import CONTEXT, LIMITS, REST, App, Handler, HttpRequest
from service.web.headers import PreferredLanguage, add_vary, prefers_media_type, service_url, set_content_language
from service.web.images import drawing_code_digest
from service.web.parsing import JSON
from service.web.problems import NoSuchPath
from service.web.response_heads import CSP, PAGE_HEADERS, WholeResponse
from service.web.routing import Id, Request, ResponseSpec, Route

WIDTH = 1000
"""In pixels: large enough for a large card, small enough for WhatsApp, which ignores pictures of more than 300 KB."""
ICON, ICON_SIZE = "icon-512.png", "512"
PATIENCE_S = 1
"""How long the page waits for the game of its card: whoever opens it does not need one."""


async def load_card(request: HttpRequest, game: str, language: Language) -> str:
    """Return a link's card as elements for a head: of a public game, or one that says nothing of any game.

    The latter stands for a private game and for no game alike, and for one that cannot be read now, or not soon.
    """
    context, url = request.app[CONTEXT], service_url(request)
    if url is None:
        return ""
    try:
        async with asyncio.timeout(PATIENCE_S):
            record = await load_for_reader(context, game, None)
        card = _make_card(context, record, language, url)
    except (NoSuchGame, StoreUnavailable, TileSetMissing, TimeoutError):  # the page says so
        card = _make_plain_card(language, url)
    return _format_card(card)


def _format_card(card: Mapping[str, str]) -> str:
    return "".join(f'<meta property="{name}" content="{escape(text)}" />' for name, text in card.items())


def _make_card(context: Context, record: StoredGame, language: Language, url: str) -> dict[str, str]:
    index, game = open_game(context.tilesets, record)
    translator, tileset = get_translator(language), context.tilesets.get(game.tileset).tileset
    names = [player.name for player in game.players if player.name is not None]
    view, status = build_view(index, game), describe_status(translator, index, game)
    region = _shown_region(bounding_region(map(parse_cell, view.board)))
    shown = "fit" if region is None else ",".join(map(str, region))
    width, height = board_size(make_scene(view, tileset, []), BoardOptions(WIDTH, region, sidebar=True))
    return {
        "og:type": "website",
        "og:title": title_game(translator, names),
        "og:description": status,
        "og:url": f"{url}/games/{game.id}",
        "og:image": f"{url}/v1/games/{game.id}/board.png?side=true&width={WIDTH}&region={shown}&v={game.version}",
        "og:image:type": "image/png",
        "og:image:width": str(width),
        "og:image:height": str(height),
        "og:image:alt": status,
        "twitter:card": "summary_large_image",
    }


def _make_plain_card(language: Language, url: str) -> dict[str, str]:
    """Return a card without the game's address, which would tell one card from another."""
    translator = get_translator(language)
    return {
        "og:type": "website",
        "og:title": title_game(translator, ()),
        "og:description": describe_hidden_game(translator),
        "og:image": f"{url}/{ICON}",
        "og:image:type": "image/png",
        "og:image:width": ICON_SIZE,
        "og:image:height": ICON_SIZE,
        "twitter:card": "summary",
    }


def _shown_region(board: Region) -> Region | None:
    """Return a board's region, but at least as wide as it is high: of a higher picture chats show a part.

    Return None, which is all of the board, if that is larger than a picture's region may be.
    """
    if max(board.columns, board.rows) > MAX_REGION_SIDE:
        return None
    missing = max(0, board.rows - board.columns)
    return board._replace(west=board.west - missing // 2, east=board.east + missing - missing // 2)


HTML = "text/html"
INDEX = "index.html"
PAGE, SITE, CLIENTS = "page", "docs", "clients"
"""Folders of what is built: the page, the documentation, and the packages of the client libraries."""
UNHASHED_FILES = ("apple-touch-icon.png", "favicon.svg", "icon-192.png", ICON, "service_worker.js")
"""Files of the page whose names have no content hash, so that they must be revalidated."""

_DAMAGED_LINK = re.compile(r"/*([A-Za-z0-9-]{1,32})(?![A-Za-z0-9-])[^#]*(#[\w.~&=-]*)?", re.ASCII)
"""After `/games/`: a game's id, perhaps in capitals or with more before or after it, and an escaped fragment."""

_CARD_READER = re.compile("bot\\b|externalhit|whatsapp|preview", re.IGNORECASE)
"""In the User-Agent of chats and networks that show a card for a link."""

_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)

SERVICE_INDEX = ServiceIndex(
    name="south-seas",
    version=VERSION,
    revision=REVISION,
    openapi="/openapi.json",
    asyncapi="/asyncapi.json",
    games="/v1/games",
    tilesets="/v1/tilesets",
    websocket="/v1/ws",
    docs="/docs/",
    clients="/clients/",
)


class PageRead(Request, frozen=True, kw_only=True):
    """A request for the web page."""

    language: PreferredLanguage = ENGLISH


@Route(
    "GET",
    "/",
    "Read the index, or open the web page",
    ServiceIndex,
    "The entry points of the API.",
    others=(ResponseSpec(200, "The web page.", str, media_type=HTML),),
    tag="service",
)
async def read_index(request: HttpRequest, params: PageRead) -> web.Response:
    """Return the entry points of the API, or the web page to a client that prefers `text/html` or shows cards of links.

    The latter accepts anything, as programs do.
    """
    url = service_url(request)
    if url is not None and _CARD_READER.search(request.headers.get(hdrs.USER_AGENT, "")):
        card = _format_card(_make_plain_card(params.language, url) | {"og:url": f"{url}/"})
        response = page_response(request, params.language, responses.CACHE_PRIVATE, "./", card)
    elif prefers_media_type(request, HTML, JSON):
        response = page_response(request, params.language, responses.CACHE_PUBLIC, "./")
    else:
        response = responses.cacheable_response(request, SERVICE_INDEX)
    return add_vary(add_vary(response, "Accept"), "User-Agent")


class GamePageRead(PageRead, frozen=True, kw_only=True):
    """A request for a game's page."""

    id: Id


@Route("GET", "/games/{id}", "Open a game's page", str, "The web page.", tag="service", media_type=HTML)
async def read_game_page(request: HttpRequest, params: GamePageRead) -> web.Response:
    """Return the web page, whatever the client accepts: what shows a card for the link asks for `*/*`, if for anything.

    A private game has the page that an unknown one has. Its token is in the fragment, which no client sends.
    """
    card = await load_card(request, params.id, params.language)
    return page_response(request, params.language, responses.CACHE_PRIVATE, "../", card)


def page_response(request: HttpRequest, language: Language, caching: str, root: str, card: str = "") -> web.Response:
    """Return the web page in a language, with a card in its head; `root` leads from its path to the service's."""
    head = f'<meta name="drawing" content="{drawing_code_digest()}" />{card}</head>'
    if request.base_path:  # its address may lack the slash at the end
        root = f"{request.base_path}/"
    html = responses.load_file(PAGE, f"index.{language}.html").body.replace(b'="./', f'="{root}'.encode())
    page = responses.make_asset(HTML, html.replace(b"</head>", head.encode()))
    ancestors = " ".join(request.app[LIMITS].frame_ancestors) or "'none'"
    policy = PAGE_HEADERS[CSP].replace("frame-ancestors 'none'", f"frame-ancestors {ancestors}")
    response = responses.static_response(request, page, caching, {**PAGE_HEADERS, CSP: policy})
    return set_content_language(response, language)


def add_file_routes(app: App) -> None:
    """Add the routes of the page of each game, of all files, and of the problems' types."""
    read_game_page.register(app)
    handlers: dict[str, Handler] = {
        "/assets/{file}": partial(_send_page_file, "assets/", responses.CACHE_IMMUTABLE),
        "/manifests/{file}": partial(_send_page_file, "manifests/", responses.CACHE_PUBLIC),
    }
    handlers |= {f"/{name}": partial(_send_page_file, name, responses.CACHE_PUBLIC) for name in UNHASHED_FILES}
    handlers["/favicon.ico"] = partial(_send_page_file, "icon-192.png", responses.CACHE_PUBLIC)
    handlers["/games/{path}"] = redirect_to_game
    for folder in (SITE, CLIENTS):
        handlers[f"/{folder}"] = handlers[f"/{folder}/{{path}}"] = partial(read_site, folder)
    handlers["/problems/{slug}"] = redirect_to_problem
    for path, handler in handlers.items():
        app.router.add(("GET", "HEAD"), path, handler, {"path": REST})


async def _send_page_file(path: str, caching: str, request: HttpRequest) -> web.StreamResponse:
    """Return one file of the page, or the one that the request names of the folder `path`."""
    file = responses.load_file(PAGE, path + request.match_info.get("file", ""))
    return responses.static_response(request, file, caching)


async def read_site(folder: str, request: HttpRequest) -> web.Response:
    """Return a page or another file of a folder; a page's only URL ends with a slash, since its links are relative."""
    path, files = request.match_info.get("path"), responses.list_files(folder)
    if path is None or f"{path}/{INDEX}" in files:
        return _redirect(request, str(request.rel_url.with_path(f"{request.path}/", keep_query=True)))
    if path in {"", INDEX} or path.endswith("/"):
        path = f"{path.removesuffix(INDEX)}{INDEX}"
    asset = await asyncio.to_thread(responses.load_file, folder, path)
    return responses.localized_response(request, asset, await asyncio.to_thread(_site_headers))


async def redirect_to_game(request: HttpRequest) -> web.Response:
    """Redirect from a link that was damaged on its way, as in a chat, to the game's page; without an id to the lobby.

    A browser takes the link's fragment along, unless that is in the path.
    """
    found = _DAMAGED_LINK.match(request.match_info["path"])
    return _redirect(request, f"/games/{found[1].lower()}{found[2] or ''}" if found else "/")


async def redirect_to_problem(request: HttpRequest) -> web.Response:
    """Redirect to the explanation of a kind of problem."""
    code = request.match_info["slug"].replace("-", "_")
    if code not in PROBLEM_TYPES:
        raise NoSuchPath
    return _redirect(request, f"/docs/problems/#{code}")


@cache
def _site_headers() -> Mapping[str, str]:
    """Return the headers of every page, which here allow the generator's inline scripts and styles too."""
    pages = [file.read_bytes() for path, file in responses.list_files(SITE).items() if path.endswith(INDEX)]
    scripts = {script for page in pages for script in _INLINE_SCRIPT.findall(page)}
    hashes = sorted(f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in scripts)
    policy = PAGE_HEADERS[CSP].replace("script-src 'self'", " ".join(["script-src 'self'", *hashes]))
    return {**PAGE_HEADERS, CSP: policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")}


def _redirect(request: HttpRequest, path: str) -> web.Response:
    """Redirect to another path, relative to the request's: it is right below any path."""
    relative = "../" * (request.rel_url.raw_path.count("/") - 1) + path[1:] or "./"
    return WholeResponse(status=302, headers={"Location": relative, "Cache-Control": responses.CACHE_PUBLIC})


ROUTES = (read_index,)
