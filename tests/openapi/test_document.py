"""The API documents are valid, complete, served, linked, and as strict as the service."""

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from yarl import URL

from schemas.base import RequestModel
from schemas.problems import PROBLEM_TYPES
from service.web.assembly import ROUTES
from service.web.responses import EXAMPLE_URL
from tests.openapi.validation import validate_component
from tests.web.app_server import Client
from tests.web.http_game import TWO_PLAYERS, HTTPGame, bearer_header, check_problem, create_game
from tools.openapi import generate
from tools.openapi.asyncapi import make_asyncapi
from tools.openapi.document import UPGRADE_PROBLEMS, make_openapi
from tools.openapi.named_types import ENUMERATIONS

NAMES = ("openapi.json", "asyncapi.json")

DOCUMENT = make_openapi()
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]


def read_published(name: str) -> bytes:
    """Return the bytes of a document in `schemas/`."""
    return resources.files("schemas").joinpath(name).read_bytes()


def test_the_index_is_a_page_for_browsers() -> None:
    assert {*DOCUMENT["paths"]["/"]["get"]["responses"]["200"]["content"]} == {"application/json", "text/html"}


@pytest.mark.parametrize("name", NAMES)
async def test_the_stored_documents_are_served(client: Client, name: str) -> None:
    response = await client.get(f"/{name}")
    url = str(client.make_url("")).encode()
    body = (await response.read()).replace(url, EXAMPLE_URL)
    assert body.replace(url.split(b"/")[2], b"127.0.0.1:8080") == read_published(name)


def test_the_generator_writes_both_documents_and_detects_stale_ones(tmp_path: Path) -> None:
    run = CliRunner()
    assert run.invoke(generate.main, [str(tmp_path), "--check"]).exit_code == 1
    assert run.invoke(generate.main, [str(tmp_path)]).exit_code == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == sorted(NAMES)
    assert run.invoke(generate.main, [str(tmp_path), "--check"]).exit_code == 0
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == read_published(name)
    (tmp_path / "openapi.json").write_bytes(b"{}")
    stale = run.invoke(generate.main, [str(tmp_path), "--check"])
    assert (stale.exit_code, stale.output) == (1, "openapi.json: not up to date; run `make schemas`\n")


def test_the_openapi_document_is_valid() -> None:
    from openapi_spec_validator import validate  # noqa: PLC0415  it compiles grammars for seconds

    validate(DOCUMENT)


def test_every_route_is_documented() -> None:
    described = {(method.upper(), path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert described == {(route.method, route.path) for route in ROUTES}
    for operation in operations():
        assert operation["summary"]
        assert operation["description"]
    identifiers = [operation["operationId"] for operation in operations()]
    assert len(set(identifiers)) == len(identifiers)


def test_every_problem_is_documented_with_an_example() -> None:
    documented: set[str] = set()
    for operation in operations():
        for status, response in operation["responses"].items():
            codes = response.get("content", {}).get("application/problem+json", {}).get("examples", {})
            assert {PROBLEM_TYPES[code].status for code in codes} <= {int(status)}
            documented |= set(codes)
    assert documented == set(PROBLEM_TYPES) - UPGRADE_PROBLEMS
    for code in UPGRADE_PROBLEMS:
        for document in (DOCUMENT, make_asyncapi()):
            assert f"{PROBLEM_TYPES[code].status} `{code}`" in document["info"]["description"]
    for code, example in DOCUMENT["components"]["examples"].items():
        validate_component("Problem", example["value"])
        assert example["value"]["code"] == code


def test_every_post_takes_an_idempotency_key() -> None:
    posts = [item["post"] for item in DOCUMENT["paths"].values() if "post" in item]
    assert posts
    for operation in posts:
        parameters = {parameter.get("$ref", "").rpartition("/")[2] for parameter in operation["parameters"]}
        assert parameters & {"Idempotency-Key", "Idempotency-Key-secret"}, operation["operationId"]
        codes = {status: response.get("headers", {}) for status, response in operation["responses"].items()}
        assert all("Idempotent-Replayed" in headers for status, headers in codes.items() if status.startswith("2"))
        assert "key_reused" in operation["responses"]["422"]["content"]["application/problem+json"]["examples"]


def test_request_headers_have_no_example_values() -> None:
    """Two readers who execute an example would share its idempotency key, and so the tokens of one game."""
    shared = [DOCUMENT["components"]["parameters"].values()]
    own = [
        operation.get("parameters", [])
        for item in (*DOCUMENT["paths"].values(), *DOCUMENT["webhooks"].values())
        for method, operation in item.items()
        if method != "parameters"
    ]
    headers = [one for listed in (*shared, *own) for one in listed if one.get("in") == "header"]
    assert len(headers) >= 8
    for header in headers:
        filled = {"example", "examples"} & header.keys() | {"default", "example", "examples"} & header["schema"].keys()
        assert not filled, header["name"]


def test_every_example_matches_its_schema() -> None:
    displayed = 0
    for operation in operations():
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for body in (*bodies, *operation["responses"].values()):
            content = body.get("content", {}).get("application/json", {})
            for example in content.get("examples", {}).values():
                validate_component(content["schema"]["$ref"].rpartition("/")[2], example["value"])
                displayed += 1
    assert displayed > 12


def subclasses(struct: type) -> set[type]:
    """Return a class and all that are derived from it."""
    return {struct}.union(*map(subclasses, struct.__subclasses__()))


def test_response_schemas_are_open_and_complete() -> None:
    requests = {
        *("Act", "ActionRequest", "CreateGame", "SeatCommand", "JoinGame", "Rematch", "ReplaceToken", "SeatRequest"),
        *("ChangeKeyWebhook", "RegisterKeyWebhook", "RegisterWebhook", "RotateSecret"),
        *("WaresRequest", "WebhookChallengeAnswer"),
    }
    structs = {name: schema for name, schema in SCHEMAS.items() if "properties" in schema and "oneOf" not in schema}
    assert requests == {struct.__name__ for struct in subclasses(RequestModel)} & set(structs)
    for name, schema in structs.items():
        if name in requests:
            assert schema["additionalProperties"] is False
            continue
        assert "additionalProperties" not in schema
        assert schema.get("required", []) == list(schema["properties"])
        assert references(schema) & ENUMERATIONS.keys() <= {"Edge"}


def test_optional_fields_of_requests_may_be_null_and_have_no_default() -> None:
    for name in ("Act", "ActionRequest", "CreateGame", "JoinGame", "SeatRequest", "WaresRequest"):
        schema = SCHEMAS[name]
        for field, member in schema["properties"].items():
            if field not in schema.get("required", []):
                assert "null" in member.get("type", []) or {"type": "null"} in member["anyOf"]
                assert "default" not in member


def test_every_union_is_a_component_with_a_discriminator() -> None:
    unions = {name for name, schema in SCHEMAS.items() if "oneOf" in schema}
    assert unions == {"GameAction", "GameEvent", "PatchOperation", "Segment"}
    for name in unions:
        mapping = SCHEMAS[name]["discriminator"]["mapping"]
        assert [{"$ref": reference} for reference in mapping.values()] == SCHEMAS[name]["oneOf"]
        assert SCHEMAS[name]["unevaluatedProperties"] is True
        for tag, reference in mapping.items():
            struct = SCHEMAS[reference.rpartition("/")[2]]
            assert struct["properties"][SCHEMAS[name]["discriminator"]["propertyName"]]["const"] == tag
    for schema in parts(DOCUMENT):
        assert "oneOf" not in schema or schema in SCHEMAS.values()
        assert "anyOf" not in schema or schema["anyOf"][1:] == [{"type": "null"}]


def test_every_enumeration_is_a_component() -> None:
    enumerations = [schema for schema in parts([DOCUMENT["paths"], SCHEMAS]) if isinstance(schema.get("enum"), list)]
    assert enumerations == [schema for name, schema in SCHEMAS.items() if name in ENUMERATIONS]
    for path in DOCUMENT["paths"].values():
        for parameter in parts(path):
            if parameter.get("in") == "query" and parameter["schema"].get("type") == "integer":
                assert parameter["schema"].get("maximum", 2) > 1, "a flag is a boolean"


def test_patterns_are_re2_and_no_default_is_null() -> None:
    patterns = [schema["pattern"] for schema in parts(DOCUMENT) if isinstance(schema.get("pattern"), str)]
    assert len(patterns) > 20
    assert not [pattern for pattern in patterns if "(?" in pattern]
    assert not [schema for schema in parts(DOCUMENT) if schema.get("default", ...) is None]


def test_pictures_are_binary() -> None:
    for path, item in DOCUMENT["paths"].items():
        for media_type, content in item.get("get", {}).get("responses", {}).get("200", {}).get("content", {}).items():
            if media_type.startswith("image/"):
                assert content["schema"] == {"type": "string", "format": "binary"}, path


def test_requests_to_webhooks_have_a_tag_of_their_own() -> None:
    tags = {tag for item in DOCUMENT["webhooks"].values() for tag in item["post"]["tags"]}
    assert tags == {"callbacks"}
    assert not tags & {tag for operation in operations() for tag in operation["tags"]}
    assert [tag["name"] for tag in DOCUMENT["tags"]].count("callbacks") == 1


def test_schemas_are_named_after_structs_and_references_are_resolvable() -> None:
    for name in SCHEMAS:
        assert re.fullmatch("[A-Z][A-Za-z]*", name)
    for kind, name in re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(DOCUMENT)):
        assert name in DOCUMENT["components"][kind]


def operations() -> list[dict[str, Any]]:
    """Return every operation."""
    return [operation for item in DOCUMENT["paths"].values() for operation in item.values()]


def parts(document: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of the document, examples excepted."""
    match document:
        case dict():
            yield document
            for name, value in document.items():
                if name not in {"example", "examples", "mapping"}:
                    yield from parts(value)
        case list():
            for item in document:
                yield from parts(item)
        case _:
            pass


def references(document: Any) -> set[str]:
    """Return the names of all schemas that a part of the document refers to."""
    return {*re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document))}


LINKS: dict[str, Any] = DOCUMENT["components"]["links"]
OPERATIONS = {route.operation_id: route for route in ROUTES}


def links_of(path: str, method: str, status: str) -> set[str]:
    links = DOCUMENT["paths"][path][method]["responses"][status].get("links", {})
    return {LINKS[link["$ref"].rpartition("/")[2]]["operationId"] for link in links.values()}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_has_every_path_parameter_of_its_operation(name: str) -> None:
    link = LINKS[name]
    wanted = {f"path.{one}" for one in OPERATIONS[link["operationId"]].path_parameters}
    assert (link.keys(), {*link["parameters"]}) == ({"operationId", "parameters", "description"}, wanted)


def test_a_new_game_links_to_every_operation_on_games() -> None:
    of_games = [route for route in ROUTES if route.path.startswith("/v1/games/{id}")]
    below = {route.operation_id for route in of_games if route.path_parameters == ["id"]}
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


SECRET = "6e2f0c9b8d4a7153f0e1d2c3b4a59687"

CASES = {
    ("/v1/games", "cursor"): (
        *("1764091234-k7m2x9qd4t1w", "0-a", "x", "1-A", "-a", "1-", "12345678901-a", "1 a", "\u0661-a"),
    ),
    ("/v1/games/{id}/legal-moves", "cursor"): ("0", "123456", "1234567", "-1", "+1", "1e3", "\u0661", "null"),
    ("/v1/games/{id}/board.svg", "region"): (
        *("fit", "-2,-2,2,2", "0,0,9999,-9999", "Fit", "1,2,3", "1,2,3,4,5", "1, 2,3,4", "+1,2,3,4", "0,0,0,10000"),
        *("0,0,0,\u0661", "fit,", "--1,0,0,0"),
    ),
    ("/v1/games/{id}", "If-None-Match"): (
        *('"17"', 'W/"17"', "*", "", ",", ', "a" , ,W/"b"', "17", '"17', 'w/"17"', '"a" "b"'),
        *("*, *", '*, "a"', '"a",x'),
    ),
    ("/v1/games", "Creator-Key"): (
        *(SECRET, f"{SECRET}==", SECRET[1:], f"{SECRET}===", f"{SECRET} x", SECRET * 6 + "abcdefghi"),
    ),
    ("/v1/games", "Idempotency-Key"): (SECRET, f"{SECRET} {SECRET}", "", SECRET[1:], SECRET * 7 + "a" * 31, SECRET * 8),
}
"""Values by path and parameter."""


def find_parameter(path: str, name: str) -> tuple[str, Any]:
    """Return where a parameter of a path's GET or POST is, and its schema."""
    for operation in DOCUMENT["paths"][path].values():
        for reference in operation.get("parameters", ()):
            parameter = reference
            if "$ref" in reference:
                parameter = DOCUMENT["components"]["parameters"][reference["$ref"].rpartition("/")[2]]
            if parameter["name"] == name:
                return parameter["in"], parameter["schema"]
    raise KeyError(name)


def is_documented(schema: Any, value: str) -> bool:
    is_long_enough = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 1_000)
    return is_long_enough and re.search(schema["pattern"], value) is not None


@pytest.mark.parametrize(
    ("path", "name", "value"), [(path, name, value) for (path, name), values in CASES.items() for value in values]
)
async def test_the_service_takes_what_the_document_says(
    client: Client, http_game: HTTPGame, path: str, name: str, value: str
) -> None:
    place, schema = find_parameter(path, name)
    query, headers = ({name: value}, {}) if place == "query" else ({}, {name: value})
    url = URL(path.replace("{id}", http_game.id)).with_query(query)
    if "Key" in name:
        response = await client.post(path, json={"players": TWO_PLAYERS}, headers=headers)
    else:
        response = await client.get(str(url), headers={**headers, **bearer_header(http_game.owner_token)})
    if is_documented(schema, value):
        assert response.status < 400, await response.text()
    else:
        await check_problem(response, 400, "malformed", name)


@pytest.mark.parametrize("name", NAMES)
def test_no_text_ends_a_comment_of_generated_code(name: str) -> None:
    assert b"*/" not in read_published(name)


def test_a_curl_sample_is_complete() -> None:
    for item in DOCUMENT["paths"].values():
        for operation in item.values():
            (source,) = [sample["source"] for sample in operation["x-codeSamples"] if sample["label"] == "curl"]
            assert "{" not in source.partition("-d ")[0], source
            assert source.startswith("curl "), source
