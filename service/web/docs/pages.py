"""The pages, made when the first reader asks and kept."""

from functools import cache
from typing import Any

import msgspec

from service.web.docs.assets import kept
from service.web.docs.contents import HTTP, SOCKET, path_of, source
from service.web.docs.frame import framed
from service.web.docs.markdown import Rendered, fragment, render
from service.web.docs.socket import rendered
from service.web.routes.api_documents import document
from service.web.static_assets import Asset, asset

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
    if name == HTTP:
        introduction = fragment(_document("openapi.json")["info"]["description"])
        body = VIEWER.format(introduction=introduction, socket=path_of(SOCKET))
        return asset("text/html", framed(name, Rendered("HTTP", body, ()), _viewer_head()))
    read = rendered(_document("asyncapi.json")) if name == SOCKET else render(source(name))
    return asset("text/html", framed(name, read))


def _document(name: str) -> dict[str, Any]:
    return msgspec.json.decode(document(name).body, type=dict[str, Any])


def _viewer_head() -> str:
    """What the viewer loads; its styles come before the ones that fit them to these pages."""
    return f"""<link rel="stylesheet" href="{kept("swagger-ui/swagger-ui.css")}">
<link rel="stylesheet" href="{kept("viewer.css")}">
<script defer src="{kept("swagger-ui/swagger-ui-bundle.js")}"></script>
<script defer src="{kept("viewer.js")}"></script>
"""
