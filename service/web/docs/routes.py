"""`GET /docs`, its pages and static files, and `GET /problems/{slug}`, the target of every problem's `type`.

These pages are for people; the API documents do not describe them.
"""

import asyncio

from aiohttp import web

from schemas.problems import PROBLEM_TYPES
from service.web.docs.assets import CONTENT_TYPES, asset_response, load_static
from service.web.docs.contents import INDEX, NAMES, page_path
from service.web.responses import CACHE_PUBLIC
from service.web.static_assets import Asset

__all__ = ["set_up"]


def set_up(app: web.Application) -> None:
    """Add the pages to an application."""
    for path, handler in {
        "/docs": read_page,
        "/docs/search.json": read_search_index,
        "/docs/{page:[^/]*}": read_page,
        "/docs/static/{name:.+}": read_static,
        "/problems/{slug}": redirect_to_problem,
    }.items():
        app.router.add_get(path, handler)


async def read_page(request: web.Request) -> web.Response:
    """Return a page; the overview's only address is `/docs`."""
    name = request.match_info.get("page")
    if name in ("", INDEX):
        return _redirect(page_path(INDEX))
    name = name or INDEX
    if name not in NAMES:
        raise web.HTTPNotFound
    return asset_response(request, await asyncio.to_thread(_load_page, name))


async def read_search_index(request: web.Request) -> web.Response:
    """Return what the search in the browser searches."""
    return asset_response(request, await asyncio.to_thread(_load_search_index))


async def read_static(request: web.Request) -> web.Response:
    """Return a static file."""
    name = request.match_info["name"]
    if name not in CONTENT_TYPES:
        raise web.HTTPNotFound
    return asset_response(request, await asyncio.to_thread(load_static, name))


async def redirect_to_problem(request: web.Request) -> web.Response:
    """Redirect to the explanation of a kind of problem."""
    code = request.match_info["slug"].replace("-", "_")
    if code not in PROBLEM_TYPES:
        raise web.HTTPNotFound
    return _redirect(f"{page_path('problems')}#{code}")


def _redirect(path: str) -> web.Response:
    return web.Response(status=302, headers={"Location": path, "Cache-Control": CACHE_PUBLIC})


# Importing the Markdown parser takes a twentieth of the time to start, so the first page does it.


def _load_page(name: str) -> Asset:
    from service.web.docs.pages import load_page  # noqa: PLC0415

    return load_page(name)


def _load_search_index() -> Asset:
    from service.web.docs.pages import load_search_index  # noqa: PLC0415

    return load_search_index()
