"""The links of the OpenAPI document, generated from the routes' declarations.

A response that contains the id of a game, webhook, tile or ship links to every route of that resource. A response with
legal moves links to the action. Links have parameters only: generators of clients reject other members.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from schemas.commands import Act, ActionResult, LegalMoves
from schemas.diffs import Diff
from schemas.lobby import Created, Games, Joined, Rematched
from schemas.tileset import TileSet, TileSets
from schemas.webhooks import WebhookCreated, Webhooks
from service.web.routing import ResponseSpec, Route
from tools.openapi.components import Schema

__all__ = ["LINK_REF", "make_links", "make_response_links"]

LINK_REF = "#/components/links/"

GAME_PATH = "/v1/games/{id}"
WEBHOOK_PATH = GAME_PATH + "/webhooks/{hook}"
TILESET_PATH = "/v1/tilesets/{id}"

_PATH_PARAMETER = re.compile(r"\{(\w+)\}")


class NamedResource(NamedTuple):
    """A resource in a response: its path, and the JSON pointer to its id in the response."""

    path: str
    pointer: str

    @property
    def parameters(self) -> list[str]:
        """Return the names of the path's parameters."""
        return _PATH_PARAMETER.findall(self.path)


NAMED_RESOURCES: Mapping[Any, tuple[NamedResource, ...]] = {
    Created: (NamedResource(GAME_PATH, "/game/id"),),
    Rematched: (NamedResource(GAME_PATH, "/game/id"),),
    Joined: (NamedResource(GAME_PATH, "/game/id"),),
    Games: (NamedResource(GAME_PATH, "/games/0/id"),),
    WebhookCreated: (NamedResource(WEBHOOK_PATH, "/id"),),
    Webhooks: (NamedResource(WEBHOOK_PATH, "/webhooks/0/id"),),
    TileSets: (NamedResource(TILESET_PATH, "/tilesets/0/id"),),
    TileSet: (
        NamedResource(TILESET_PATH + "/tiles/{tile}", "/tiles/0/id"),
        NamedResource(TILESET_PATH + "/ships/{ship}", "/ships/0/id"),
    ),
}

RESPONSES_WITH_MOVES = (LegalMoves, ActionResult[Diff])
"""Responses with legal moves of the game that the path names."""


def make_links(routes: Iterable[Route]) -> dict[str, Schema]:
    """Return all links by name, for the document's components."""
    routes = [*routes]
    contents = dict.fromkeys(reply.content for route in routes for reply in route.responses)
    return {name: link for content in contents for name, link in _links_after(content, routes)}


def make_response_links(reply: ResponseSpec, routes: Iterable[Route]) -> dict[str, Schema]:
    """Return the links of one response, as references."""
    return {name: {"$ref": LINK_REF + name} for name, _ in _links_after(reply.content, [*routes])}


def _links_after(content: Any, routes: list[Route]) -> Iterator[tuple[str, Schema]]:
    """Yield the links of a response with this content, each with its name."""
    for resource in NAMED_RESOURCES.get(content, ()):
        for route in routes:
            if route.path.startswith(resource.path) and route.path_parameters == resource.parameters:
                yield f"{content.__name__}.{route.operation_id}", _resource_link(route, resource)
    if content in RESPONSES_WITH_MOVES:
        for route in routes:
            if (body := route.decoder.body) is not None and body.type is Act:
                yield f"{_content_name(content)}.{route.operation_id}", _action_link(route)


def _resource_link(route: Route, resource: NamedResource) -> Schema:
    *known, new = resource.parameters
    parameters = {f"path.{name}": f"$request.path.{name}" for name in known}
    parameters[f"path.{new}"] = f"$response.body#{resource.pointer}"
    return {"operationId": route.operation_id, "parameters": parameters, "description": f"{route.summary}."}


def _action_link(route: Route) -> Schema:
    return {
        "operationId": route.operation_id,
        "parameters": {f"path.{name}": f"$request.path.{name}" for name in route.path_parameters},
        "description": f"{route.summary}: perform one of the legal moves.",
    }


def _content_name(content: Any) -> str:
    return str(getattr(content, "__origin__", content).__name__)
