"""The pages for people and their order. Each is a file of `docs/`, but for the two that are made of a document."""

from functools import cache
from importlib import resources

__all__ = ["CONTENTS", "HTTP", "INDEX", "NAMES", "SOCKET", "path_of", "source"]

INDEX = "index"
"""The page at /docs itself."""

HTTP = "api"
"""The OpenAPI document in a viewer."""

SOCKET = "socket"
"""The AsyncAPI document as a page."""


CONTENTS = {
    "Begin": {
        INDEX: "Overview",
        "first-game": "A first game",
        "bot-in-40-lines": "A bot in 40 lines",
        "phone-app": "A phone app's life",
        "chat-bot": "A chat bot",
    },
    "Reference": {
        HTTP: "HTTP",
        SOCKET: "WebSocket",
        "problems": "Problems",
        "clients": "Client libraries",
    },
    "The game": {
        "rules": "The rules",
        "absent": "Undo, time-outs, resigning",
        "rematch": "Rematch, my games",
        "pictures": "Pictures",
        "texts": "Texts in three languages",
        "tileset": "Tile sets",
    },
    "Around it": {
        "webhooks": "Webhooks",
        "bots": "Bots inside the service",
        "performance": "How fast, and why",
    },
    "Running it": {
        "operating": "Operating it",
        "observing": "Seen from outside",
        "keeping": "How long games are kept",
        "durability": "What is never lost",
        "chaos": "Chaos",
        "scaling": "How much of what",
        "threat-model": "Threat model",
    },
}
"""Pages that belong together: each by its name in addresses, with its name in the navigation."""

NAMES = tuple(name for pages in CONTENTS.values() for name in pages)


def path_of(name: str) -> str:
    """The address of a page.

    >>> path_of("index"), path_of("rules")
    ('/docs', '/docs/rules')
    """
    return "/docs" if name == INDEX else f"/docs/{name}"


@cache
def source(name: str) -> str:
    """What the page of a name is written as, in Markdown. `sources` is a link to the project's `docs/`."""
    return resources.files(__package__).joinpath("sources", f"{name}.md").read_text(encoding="utf-8")
