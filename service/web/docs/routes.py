"""`GET /docs`, its pages and what they load, and `GET /problems/{slug}`, where the `type` of every problem leads.

These are for people, so they are in no document that describes the service.
"""

import asyncio

from aiohttp import web

from schemas.problems import KINDS
from service.web.docs.assets import SHIPPED, answer, shipped
from service.web.docs.contents import INDEX, NAMES, path_of
from service.web.error_handling import expecting
from service.web.responses import PUBLIC
from service.web.static_assets import Asset

__all__ = ["set_up"]


def set_up(app: web.Application) -> None:
    """Add the pages to an application."""
    for path, handler in {
        "/docs": read_page,
        "/docs/{page:[^/]*}": read_page,
        "/docs/static/{name:.+}": read_static,
        "/problems/{slug}": to_problem,
    }.items():
        for method in ("GET", "HEAD"):
            app.router.add_route(method, path, handler, expect_handler=expecting)


async def read_page(request: web.Request) -> web.Response:
    """A page; the overview has no address but `/docs`."""
    name = request.match_info.get("page")
    if name in ("", INDEX):
        return _elsewhere(path_of(INDEX))
    name = name or INDEX
    if name not in NAMES:
        raise web.HTTPNotFound
    return answer(request, await asyncio.to_thread(_page, name))


async def read_static(request: web.Request) -> web.Response:
    """A file that pages load."""
    name = request.match_info["name"]
    if name not in SHIPPED:
        raise web.HTTPNotFound
    return answer(request, await asyncio.to_thread(shipped, name))


async def to_problem(request: web.Request) -> web.Response:
    """What a kind of problem means, and what to do about it."""
    code = request.match_info["slug"].replace("-", "_")
    if code not in KINDS:
        raise web.HTTPNotFound
    return _elsewhere(f"{path_of('problems')}#{code}")


def _elsewhere(path: str) -> web.Response:
    return web.Response(status=302, headers={"Location": path, "Cache-Control": PUBLIC})


def _page(name: str) -> Asset:
    # What reads Markdown is loaded with the first page: it is a twentieth of what starting would take.
    from service.web.docs.pages import page  # noqa: PLC0415

    return page(name)
