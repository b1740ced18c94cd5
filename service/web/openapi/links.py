"""What can be asked next with what an answer names: the OpenAPI document's links, made of the routes' declarations.

An answer names games, webhooks, tiles and ships; every route below one of them can be asked with it. Where an answer
holds legal moves, the first can be done.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from schemas.acting import Act, ActionResult, LegalMoves
from schemas.diffs import Diff
from schemas.lobby import Created, Games, Joined
from schemas.tileset import TileSet, TileSets
from schemas.webhooks import WebhookCreated, Webhooks
from service.web.openapi.components import Schema
from service.web.routing import ResponseSpec, Route

__all__ = ["LINKS", "links", "links_of"]

LINKS = "#/components/links/"

GAME = "/v1/games/{id}"
WEBHOOK = GAME + "/webhooks/{hook}"
TILESET = "/v1/tilesets/{id}"

_NAME = re.compile(r"\{(\w+)\}")


class Named(NamedTuple):
    """What an answer names: the path of the thing, and where in the answer the last name in it stands."""

    path: str
    pointer: str

    @property
    def names(self) -> list[str]:
        """The names in the path."""
        return _NAME.findall(self.path)


NAMED: Mapping[Any, tuple[Named, ...]] = {
    Created: (Named(GAME, "/game/id"),),
    Joined: (Named(GAME, "/game/id"),),
    Games: (Named(GAME, "/games/0/id"),),
    WebhookCreated: (Named(WEBHOOK, "/id"),),
    Webhooks: (Named(WEBHOOK, "/webhooks/0/id"),),
    TileSets: (Named(TILESET, "/tilesets/0/id"),),
    TileSet: (Named(TILESET + "/tiles/{tile}", "/tiles/0/id"), Named(TILESET + "/ships/{ship}", "/ships/0/id")),
}

MOVES: Mapping[Any, str] = {
    LegalMoves: "/moves/0/id",
    ActionResult[Diff]: "/legal_moves/moves/0/id",
}
"""Where the first legal move stands in an answer; the game is that of the path."""


def links(routes: Iterable[Route]) -> dict[str, Schema]:
    """All links by their names, for the document's components."""
    routes = [*routes]
    contents = dict.fromkeys(reply.content for route in routes for reply in route.responses)
    return {name: link for content in contents for name, link in _after(content, routes)}


def links_of(reply: ResponseSpec, routes: Iterable[Route]) -> dict[str, Schema]:
    """The links of one answer, as references."""
    return {name: {"$ref": LINKS + name} for name, _ in _after(reply.content, [*routes])}


def _after(content: Any, routes: list[Route]) -> Iterator[tuple[str, Schema]]:
    """What can be asked next after an answer with this content."""
    for named in NAMED.get(content, ()):
        for route in routes:
            if route.openapi_path.startswith(named.path) and route.path_parameters == named.names:
                yield f"{content.__name__}.{route.operation_id}", _asked(route, named)
    if (pointer := MOVES.get(content)) is not None:
        for route in routes:
            if route.body is not None and route.body.type is Act:
                yield f"{_name(content)}.{route.operation_id}", _moved(route, pointer)


def _asked(route: Route, named: Named) -> Schema:
    *known, new = named.names
    parameters = {f"path.{name}": f"$request.path.{name}" for name in known}
    parameters[f"path.{new}"] = f"$response.body#{named.pointer}"
    return {"operationId": route.operation_id, "parameters": parameters, "description": f"{route.summary}."}


def _moved(route: Route, pointer: str) -> Schema:
    return {
        "operationId": route.operation_id,
        "parameters": {f"path.{name}": f"$request.path.{name}" for name in route.path_parameters},
        "requestBody": {"move": f"$response.body#{pointer}"},
        "description": f"{route.summary}: do the first of the legal moves.",
    }


def _name(content: Any) -> str:
    return str(getattr(content, "__origin__", content).__name__)
