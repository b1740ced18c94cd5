"""The links of the OpenAPI document point to existing operations, with ids that responses contain."""

from typing import Any

import pytest

from service.web.app import ROUTES
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game
from tools.openapi.document import make_openapi

DOCUMENT = make_openapi()
LINKS: dict[str, Any] = DOCUMENT["components"]["links"]
OPERATIONS = {route.operation_id: route for route in ROUTES}


def links_of(path: str, method: str, status: str) -> set[str]:
    links = DOCUMENT["paths"][path][method]["responses"][status].get("links", {})
    return {LINKS[link["$ref"].rpartition("/")[2]]["operationId"] for link in links.values()}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_has_every_path_parameter_of_its_operation(name: str) -> None:
    link = LINKS[name]
    wanted = {f"path.{one}" for one in OPERATIONS[link["operationId"]].path_parameters}
    assert link.keys() == {"operationId", "parameters", "description"}
    assert {*link["parameters"]} == wanted


def test_a_new_game_links_to_every_operation_on_games() -> None:
    below = {
        route.operation_id
        for route in ROUTES
        if route.path.startswith("/v1/games/{id}") and route.path_parameters == ["id"]
    }
    assert {"joinGame", "act", "undo", "resign", "abortGame", "readDiffs", "readBoardSvg", "registerWebhook"} <= below
    for path in ("/v1/games", "/v1/games/{id}/rematch"):
        assert links_of(path, "post", "201") == below
    assert links_of("/v1/games/{id}/seats", "post", "200") == below


def test_legal_moves_link_to_acting_and_webhooks_to_their_operations() -> None:
    assert links_of("/v1/games/{id}/legal-moves", "get", "200") == {"act"}
    assert links_of("/v1/games/{id}/actions", "post", "200") == {"act"}
    hook = {"readWebhook", "deleteWebhook", "retryWebhook", "listDeliveries"}
    assert links_of("/v1/games/{id}/webhooks", "post", "201") == hook


def resolve_pointer(answer: Any, expression: str) -> Any:
    for step in expression.removeprefix("$response.body#/").split("/"):
        answer = answer[int(step)] if step.isdecimal() else answer[step]
    return answer


async def test_responses_contain_what_links_point_to(client: Client) -> None:
    game: HTTPGame = await create_game(client)
    listed = await (await client.get("/v1/games")).json()
    tilesets = await (await client.get("/v1/tilesets")).json()
    first = tilesets["tilesets"][0]
    assert resolve_pointer(game.created, LINKS["Created.readGame"]["parameters"]["path.id"]) == game.id
    assert resolve_pointer(listed, LINKS["Games.readGame"]["parameters"]["path.id"]) == game.id
    assert resolve_pointer(tilesets, LINKS["TileSets.readTileSet"]["parameters"]["path.id"]) == first["id"]
    assert resolve_pointer(first, LINKS["TileSet.readTileSvg"]["parameters"]["path.tile"])
