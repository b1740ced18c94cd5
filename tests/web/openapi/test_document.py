"""The API documents are valid, complete, served, and equal to the files in `schemas/`."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from schemas.base import RequestModel
from schemas.problems import PROBLEM_TYPES
from service.web.openapi import generate
from service.web.openapi.document import UPGRADE_PROBLEMS, make_openapi
from service.web.routes.registry import ROUTES
from tests.web.app_server import Client

NAMES = ("openapi.json", "asyncapi.json")

DOCUMENT = make_openapi()


def read_published(name: str) -> bytes:
    """Return the bytes of a document in `schemas/`."""
    return resources.files("schemas").joinpath(name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
async def test_the_stored_documents_are_current_and_served(client: Client, name: str) -> None:
    assert read_published(name) == generate.format_document(generate.DOCUMENTS[name]())
    response = await client.get(f"/{name}")
    assert await response.read() == read_published(name)
    again = await client.get(f"/{name}", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status == 304


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
    validate(DOCUMENT)


def test_every_route_is_documented() -> None:
    described = {(method.upper(), path) for path, item in DOCUMENT["paths"].items() for method in item}
    assert described == {(route.method, route.openapi_path) for route in ROUTES}
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
    for code, example in DOCUMENT["components"]["examples"].items():
        assert_valid("Problem", example["value"])
        assert example["value"]["code"] == code


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
                assert_valid(content["schema"]["$ref"].rpartition("/")[2], example["value"])
                displayed += 1
    assert displayed > 12


def test_response_schemas_are_open_and_complete() -> None:
    requests = {
        "Act",
        "ActionRequest",
        "CreateGame",
        "SeatCommand",
        "JoinGame",
        "RegisterWebhook",
        "Rematch",
        "ReplaceToken",
        "SeatRequest",
        "WaresRequest",
        "WebhookChallengeAnswer",
    }
    assert requests == {struct.__name__ for struct in RequestModel.__subclasses__()} & set(schemas())
    for name, schema in schemas().items():
        if name in requests:
            assert schema["additionalProperties"] is False
            continue
        assert "additionalProperties" not in schema
        assert schema.get("required", []) == list(schema["properties"])
        for enum in re.findall(r'"enum": (\[[^]]*\])', json.dumps(schema)):
            assert set(json.loads(enum)) <= {"n", "e", "s", "w"}


def test_request_schemas_accept_null() -> None:
    for name in ("Act", "ActionRequest", "CreateGame", "JoinGame", "SeatRequest"):
        schema = schemas()[name]
        for field, member in schema["properties"].items():
            if field not in schema.get("required", []):
                assert {"type": "null"} in member["anyOf"]
                assert member["default"] is None


def test_schemas_are_named_after_structs_and_references_are_resolvable() -> None:
    for name in schemas():
        assert re.fullmatch("[A-Z][A-Za-z]*", name)
    for kind, name in re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(DOCUMENT)):
        assert name in DOCUMENT["components"][kind]


def operations() -> list[dict[str, Any]]:
    """Return every operation."""
    return [operation for item in DOCUMENT["paths"].values() for operation in item.values()]


def schemas() -> dict[str, Any]:
    """Return every schema by name."""
    named: dict[str, Any] = DOCUMENT["components"]["schemas"]
    return named


def assert_valid(name: str, value: Any) -> None:
    """Check that a value matches a schema."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(value)
