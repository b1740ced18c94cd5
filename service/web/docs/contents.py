"""The table of contents: each page is a file of `docs/`, except the two that are made from API documents."""

from functools import cache
from importlib import resources

__all__ = ["CONTENTS", "HTTP", "INDEX", "MESSAGES", "NAMES", "load_source", "page_path"]

INDEX = "index"
"""The page at /docs."""

HTTP = "api"
"""The page that shows the OpenAPI document in a viewer."""

MESSAGES = "socket"
"""The page that is made from the AsyncAPI document."""


CONTENTS = {
    "Get started": {
        INDEX: "Overview",
        "first-game": "Quick start",
        "how-it-works": "How it works",
        "bot-in-40-lines": "A bot in 40 lines",
    },
    "Guides": {
        "phone-app": "Phone apps",
        "chat-bot": "Chat bots",
        "websocket": "WebSocket",
        "webhooks": "Webhooks",
        "api-keys": "API keys",
        "clients": "Client libraries",
        "bots": "Bots inside the service",
        "self-play": "Self-play",
    },
    "Reference": {
        HTTP: "HTTP API",
        MESSAGES: "WebSocket messages",
        "problems": "Problems",
        "limits": "Limits",
    },
    "The game": {
        "rules": "Rules",
        "absent": "Players: from invitation to rematch",
        "pictures": "Pictures",
        "texts": "Texts in three languages",
        "tileset": "Tile sets",
    },
    "Operations": {
        "operating": "Deploy and operate",
        "observing": "Metrics, traces, logs",
        "keeping": "Retention and archives",
        "durability": "Durability",
        "scaling": "Scaling",
        "chaos": "Chaos tests",
        "threat-model": "Threat model",
        "performance": "Performance",
        "benchmarks": "Benchmarks",
    },
}
"""The chapters of the navigation: the title of each page by its name in URLs."""

NAMES = tuple(name for pages in CONTENTS.values() for name in pages)


def page_path(name: str) -> str:
    """Return the path of a page.

    >>> page_path("index"), page_path("rules")
    ('/docs', '/docs/rules')
    """
    return "/docs" if name == INDEX else f"/docs/{name}"


@cache
def load_source(name: str) -> str:
    """Return the Markdown of a page. `sources` is a link to the project's `docs/`."""
    return resources.files(__package__).joinpath("sources", f"{name}.md").read_text(encoding="utf-8")
