"""The pages, made when the first reader asks and kept."""

from functools import cache
from typing import Any

import msgspec

from service.web.assets import Asset, asset
from service.web.docs.assets import kept
from service.web.docs.contents import HTTP, SOCKET, path_of, source
from service.web.docs.frame import framed
from service.web.docs.markdown import Rendered, fragment, render
from service.web.docs.socket import rendered
from service.web.published import document

__all__ = ["page"]

VIEWER = """<h1>HTTP</h1>
{introduction}<p>All of it as a document for programs, OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a>. What goes
over a WebSocket is <a href="{socket}">on its own page</a>. <b>Try it out</b> asks this very service.</p>
<noscript><p>The operations are shown with JavaScript; the document itself needs none.</p></noscript>
<div id="viewer"></div>
"""


@cache
def page(name: str) -> Asset:
    """A page by one of NAMES."""
    match name:
        case _ if name == HTTP:
            introduction = fragment(_document("openapi.json")["info"]["description"])
            body = VIEWER.format(introduction=introduction, socket=path_of(SOCKET))
            made = framed(name, Rendered("HTTP", body, ()), _viewer_head())
        case _ if name == SOCKET:
            made = framed(name, rendered(_document("asyncapi.json")))
        case _:
            made = framed(name, render(source(name)))
    return asset("text/html", made)


def _document(name: str) -> dict[str, Any]:
    return msgspec.json.decode(document(name).body, type=dict[str, Any])


def _viewer_head() -> str:
    """What the viewer loads; its styles come before the ones that fit them to these pages."""
    styles = "".join(
        f'<link rel="stylesheet" href="{kept(name)}">\n' for name in ("swagger-ui/swagger-ui.css", "viewer.css")
    )
    scripts = "".join(
        f'<script defer src="{kept(name)}"></script>\n' for name in ("swagger-ui/swagger-ui-bundle.js", "viewer.js")
    )
    return styles + scripts
