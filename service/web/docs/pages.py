"""The pages and the search index, rendered on first use and cached."""

from functools import cache
from typing import Any

import msgspec

from service.web.docs import contents
from service.web.docs.assets import static_url
from service.web.docs.contents import CONTENTS, HTTP, MESSAGES, load_source, page_path
from service.web.docs.layout import render_layout
from service.web.docs.markdown import RenderedPage, render_fragment, render_page
from service.web.docs.message_reference import render_reference
from service.web.docs.search import Section, operation_sections, page_sections
from service.web.routes.api_documents import load_document
from service.web.static_assets import Asset, make_asset

__all__ = ["load_page", "load_search_index"]

VIEWER = """<h1>HTTP API</h1>
{introduction}<p>The machine-readable document is OpenAPI 3.1: <a href="/openapi.json">/openapi.json</a>.
<a href="{messages}">WebSocket messages</a> have a page of their own. <b>Try it out</b> calls this service.</p>
<noscript><p>The list of operations needs JavaScript; the document does not.</p></noscript>
<div id="viewer"></div>
"""


@cache
def load_page(name: str) -> Asset:
    """Return a page by one of the names of NAMES."""
    return make_asset("text/html", render_layout(name, _render(name), _viewer_head() if name == HTTP else ""))


@cache
def load_search_index() -> Asset:
    """Return the sections of all pages as JSON, for the search in the browser."""
    sections: list[Section] = []
    for chapter in CONTENTS.values():
        for name, title in chapter.items():
            sections += page_sections(page_path(name), title, _render(name).body)
    sections += operation_sections(page_path(HTTP), _load_document("openapi.json"))
    return make_asset("application/json", msgspec.json.encode(sections))


@cache
def _render(name: str) -> RenderedPage:
    match name:
        case contents.HTTP:
            introduction = render_fragment(_load_document("openapi.json")["info"]["description"])
            body = VIEWER.format(introduction=introduction, messages=page_path(MESSAGES))
            return RenderedPage("HTTP API", body, ())
        case contents.MESSAGES:
            return render_reference(_load_document("asyncapi.json"))
        case _:
            return render_page(load_source(name))


def _load_document(name: str) -> dict[str, Any]:
    return msgspec.json.decode(load_document(name).body, type=dict[str, Any])


def _viewer_head() -> str:
    """Return what the viewer loads; the site's styles come last and override the viewer's."""
    return f"""<link rel="stylesheet" href="{static_url("swagger-ui/swagger-ui.css")}">
<link rel="stylesheet" href="{static_url("viewer.css")}">
<script defer src="{static_url("swagger-ui/swagger-ui-bundle.js")}"></script>
<script defer src="{static_url("viewer.js")}"></script>
"""
