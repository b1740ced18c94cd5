"""Validation of every response in tests against the OpenAPI document: status, headers, media type and body."""

import re
from functools import cache
from types import SimpleNamespace
from typing import Any

from aiohttp import ClientResponse, ClientSession, TraceConfig, TraceRequestEndParams
from jsonschema_rs import Draft202012Validator

from tools.openapi.document import make_openapi

PROBLEM = "application/problem+json"

SECRETS = ("owner_token", "spectator_token", "token", "secret")
"""Members of responses that contain secrets."""


def validate_responses() -> TraceConfig:
    """Return a trace config that makes a client session fail on responses that differ from the document."""
    trace = TraceConfig()
    trace.on_request_end.append(_on_request_end)
    return trace


async def _on_request_end(session: ClientSession, context: SimpleNamespace, params: TraceRequestEndParams) -> None:
    del session, context
    if params.method != "OPTIONS" and params.response.status != 101:
        await validate_response(params.method, params.url.raw_path, params.response)


async def validate_response(method: str, path: str, response: ClientResponse) -> None:
    """Check that a response matches the document."""
    documented = _get_operation(method, path)
    where = f"{method} {path} {response.status}"
    if documented is None:
        assert response.content_type == PROBLEM, where
        validate_component("Problem", await response.json(content_type=PROBLEM))
        return
    assert str(response.status) in documented["responses"], where
    answer = documented["responses"][str(response.status)]
    for name, reference in answer.get("headers", {}).items():
        header = _component("headers", reference)
        if header.get("required"):
            assert name in response.headers, f"{where} {name}"
            assert re.search(header["schema"].get("pattern", ""), response.headers[name]), f"{where} {name}"
    if "content" not in answer:
        assert await response.read() == b"", where
        return
    assert response.content_type in answer["content"], where
    if not response.content_type.endswith("json") or method == "HEAD":
        return
    schema = answer["content"][response.content_type]["schema"]
    body = await response.json(content_type=response.content_type)
    if isinstance(body, dict) and any(body.get(name) for name in SECRETS):
        assert response.headers["Cache-Control"] == "no-store", where
    if "$ref" in schema:
        validate_component(schema["$ref"].rpartition("/")[2], body)
    if response.content_type == PROBLEM:
        assert body["code"] in answer["content"][PROBLEM]["examples"], f"{where} {body}"


@cache
def _document() -> dict[str, Any]:
    return make_openapi()


@cache
def _paths() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    return [
        (re.compile(re.sub(r"\\\{\w+\\\}", "[a-z0-9-]{1,32}", re.escape(path))), operations)
        for path, operations in _document()["paths"].items()
    ]


def _get_operation(method: str, path: str) -> Any:
    """Return the operation of a path and method, or None."""
    operation_name = "get" if method == "HEAD" else method.lower()
    for pattern, operations in _paths():
        if pattern.fullmatch(path):
            return operations.get(operation_name)
    return None


def _component(kind: str, reference: dict[str, str]) -> Any:
    return _document()["components"][kind][reference["$ref"].rpartition("/")[2]]


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = {"$ref": f"#/components/schemas/{name}", "components": _document()["components"]}
    return Draft202012Validator(schema)


def validate_component(name: str, body: Any) -> None:
    """Check that a value matches a schema of the document."""
    _validator(name).validate(body)
