"""`GET /docs`, the documentation site that `tools/site` builds, and `GET /problems/{slug}`, every problem's `type`.

These pages are for people; the API documents do not describe them.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from mimetypes import guess_type

from aiohttp import web

from schemas.problems import PROBLEM_TYPES
from service.web.common_headers import CSP, PAGE_HEADERS
from service.web.responses import CACHE_PUBLIC
from service.web.static_assets import Asset, make_asset, static_response

__all__ = ["add_docs_routes"]

HTML = "text/html"
PAGE = "index.html"

_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def add_docs_routes(app: web.Application) -> None:
    """Add the routes of the site to an application."""
    for path, handler in {
        "/docs": read_file,
        "/docs/{path:.*}": read_file,
        "/problems/{slug}": redirect_to_problem,
    }.items():
        app.router.add_get(path, handler)


async def read_file(request: web.Request) -> web.Response:
    """Return a page or another file of the site; a page's only URL ends with a slash, since its links are relative."""
    path, files = request.match_info.get("path"), list_files()
    if path is None or f"{path}/{PAGE}" in files:
        return _redirect(f"{request.path}/")
    if path in {"", PAGE} or path.endswith("/"):
        path = f"{path.removesuffix(PAGE)}{PAGE}"
    if path not in files:
        raise web.HTTPNotFound
    asset, policy = await asyncio.gather(asyncio.to_thread(load_file, path), asyncio.to_thread(security_headers))
    return static_response(request, asset, CACHE_PUBLIC, policy)


async def redirect_to_problem(request: web.Request) -> web.Response:
    """Redirect to the explanation of a kind of problem."""
    code = request.match_info["slug"].replace("-", "_")
    if code not in PROBLEM_TYPES:
        raise web.HTTPNotFound
    return _redirect(f"/docs/problems/#{code}")


@cache
def list_files() -> Mapping[str, Traversable]:
    """Return the files of the site by their paths below `/docs/`; none if it was not built."""
    site = resources.files("service.web").joinpath("static", "docs")
    return dict(_walk(site, "")) if site.is_dir() else {}


@cache
def load_file(path: str) -> Asset:
    """Load a file of the site."""
    return make_asset(guess_type(path)[0] or "application/octet-stream", list_files()[path].read_bytes())


@cache
def security_headers() -> Mapping[str, str]:
    """Return the headers of every page, which here allow the generator's inline scripts and styles too."""
    pages = [file.read_bytes() for path, file in list_files().items() if path.endswith(PAGE)]
    scripts = {script for page in pages for script in _INLINE_SCRIPT.findall(page)}
    hashes = sorted(f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in scripts)
    policy = PAGE_HEADERS[CSP].replace("script-src 'self'", " ".join(["script-src 'self'", *hashes]))
    return {**PAGE_HEADERS, CSP: policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")}


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    files: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        files += _walk(entry, f"{prefix}{entry.name}/") if entry.is_dir() else [(f"{prefix}{entry.name}", entry)]
    return files


def _redirect(path: str) -> web.Response:
    return web.Response(status=302, headers={"Location": path, "Cache-Control": CACHE_PUBLIC})
