"""Pages that stand for all others: a change of the renderer by mistake changes them.

`python -m tests.docs.reference_pages` writes them again, after a change that is meant. Look at them first.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from service.web.docs import layout
from service.web.docs.contents import HTTP
from service.web.docs.layout import render_layout
from service.web.docs.markdown import render_page
from service.web.docs.message_reference import render_reference
from service.web.docs.search import operation_sections, page_sections

FOLDER = Path(__file__).with_name("reference")

CONTENTS = {"First & only": {"index": "South Seas", "sample": "A <sample>"}, "Others": {HTTP: "HTTP API"}}

FIELDS: dict[str, Any] = {
    "bounded": {"type": "integer", "minimum": 0, "maximum": 4, "description": "From `0` to 4."},
    "unbounded": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "positive": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
    "least": {"type": "integer", "minimum": 0},
    "most": {"type": "integer", "maximum": 9},
    "nullable": {"type": ["integer", "null"], "minimum": 0, "maximum": 4},
    "text": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "[<>]+", "examples": ["<a>", "b"]},
    "short": {"type": "string", "maxLength": 9, "minLength": 0},
    "long": {"type": "string", "minLength": 3},
    "constant": {"const": "x&y"},
    "one_of_two": {"enum": ["a", 2]},
    "alternatives": {"anyOf": [{"$ref": "#/components/schemas/Empty"}, {"type": "string"}, {"type": "null"}]},
    "either": {"oneOf": [{"type": "boolean"}]},
    "cells": {"type": "array", "items": {"$ref": "#/components/schemas/Cell"}, "minItems": 2, "maxItems": 5},
    "few": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    "list": {"type": "array", "items": {}},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "object": {"type": "object", "additionalProperties": False},
    "any": {},
}


def _refer(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/messages/{name}"} for name in names]


ASYNCAPI: dict[str, Any] = {
    "info": {"description": "What is **sent**."},
    "servers": {"this": {"description": "This service."}},
    "channels": {
        "shared": {
            "address": "/v1/ws",
            "description": "All games.\n\n| code | |\n|---|---|\n| 1000 | Done. |",
            "bindings": {"ws": {}},
        },
        "game": {
            "address": "/v1/games/{id}/<ws>",
            "description": "One game.\n\n| code | |\n|---|---|\n| 4404 | No game. |",
            "bindings": {
                "ws": {"query": {"description": "Where to go on.", "properties": {"since": {"type": "integer"}}}}
            },
        },
    },
    "operations": {
        "ask": {"action": "receive", "messages": _refer("ask"), "reply": {"messages": _refer("reply", "news")}},
        "tell": {"action": "send", "messages": _refer("news")},
    },
    "components": {
        "messages": {
            "ask": {
                "summary": "Asks.",
                "payload": {"$ref": "#/components/schemas/Ask"},
                "examples": [{"payload": {"type": "ask", "id": "1"}}, {"payload": {"type": "ask"}}],
            },
            "reply": {"summary": "Replies.", "payload": {"properties": {}}, "examples": []},
            "news": {"summary": "Comes by itself.", "payload": {"type": "string"}, "examples": []},
        },
        "schemas": {
            "Ask": {"description": "A question, by R5.6.", "properties": FIELDS, "required": ["bounded", "text"]},
            "Empty": {"properties": {}},
            "Text": {"type": "string", "maxLength": 3},
        },
    },
}

OPENAPI: dict[str, Any] = {
    "paths": {
        "/v1/games": {
            "post": {
                "operationId": "createGame",
                "tags": ["games", "more"],
                "summary": "Create.",
                "description": "A game.",
            },
            "parameters": {},
        },
        "/livez": {"get": {"operationId": "live", "tags": ["service"]}},
    }
}


def render_pages() -> Iterator[tuple[str, str]]:
    """Render all pages, without the digests of what they load; yields their file names and contents."""
    sample, messages = render_page((FOLDER / "sample.md").read_text()), render_reference(ASYNCAPI)
    pages = {
        "sample.html": ("sample", sample, "<!-- head -->\n"),
        "messages.html": ("index", messages, ""),
        "short.html": ("other", render_page("# South Seas\n\n## One heading\n\nText."), ""),
    }
    with patch.object(layout, "CONTENTS", CONTENTS):
        for name, page in pages.items():
            yield name, re.sub(r"\?v=\w+", "", render_layout(*page).decode())
    sections = [*page_sections("/docs/sample", "Sample", sample.body), *operation_sections("/docs/api", OPENAPI)]
    yield "search.json", msgspec.json.format(msgspec.json.encode(sections), indent=1).decode() + "\n"


if __name__ == "__main__":
    for name, page in render_pages():
        (FOLDER / name).write_text(page)
