"""Every method of the clients sends the request of its operation, with all that its caller and its client say."""

import inspect
import json
from pathlib import Path
from typing import Any, get_origin

import msgspec
import pytest
from aiohttp import web

from schemas.problems import problem
from service.web.assembly import ROUTES
from service.web.routing import Route
from south_seas import ApiKeyClient, Client, NotFoundError, models
from tests.clients.scripted_service import JsonObject, ScriptedService, problem_response
from tests.clients.test_typescript import run_script
from tools.openapi.code_samples import CALLS, PATH_VALUES, TILE_SET

OPERATIONS = {route.operation_id: route for route in ROUTES if route.operation_id in CALLS}

SETTINGS = {"token": "token", "creator_key": "creator", "api_key": "key", "language": "fr"}

OPTIONS = {"key": "again", "include_legal_moves": True, "if_match": '"9-ab"', "return_game": True, "seat": 4}
"""What the methods take by these names, of those that create, join or act."""

HEADERS = ("Accept-Language", "Api-Key", "Authorization", "Creator-Key", "Idempotency-Key", "If-Match", "Prefer")


class Sample:
    """Reads the call of a sample."""

    def __getattr__(self, method: str) -> Any:
        """Return what returns the method and its arguments."""
        return lambda *args, **kwargs: (method, args, kwargs)


def call_sample(target: Any, operation: str) -> Any:
    """Call the method of an operation in Python with the arguments of its sample."""
    names = {"target": target, "token": SETTINGS["token"], **vars(models)}
    return eval(f"target.{CALLS[operation].python}", names)  # noqa: S307  the project's own


def make_client(script: ScriptedService, route: Route) -> Client | ApiKeyClient:
    """Return the client that has the method of an operation, with all settings."""
    script.responses.append(problem_response(problem("not_found", "no")))
    if route.access == "key":
        return ApiKeyClient(script.url, SETTINGS["api_key"])
    return Client(script.url, **SETTINGS)


def sent_headers(request: web.Request) -> dict[str, str]:
    """Return the headers of a request that its client chooses."""
    return {name: request.headers[name] for name in HEADERS if request.headers.get(name, "*") != "*"}


async def sent_body(request: web.Request) -> JsonObject:
    """Return the members of a request's body that are not null."""
    body = await request.json() if request.body_exists else {}
    return {name: value for name, value in body.items() if value is not None}


@pytest.mark.parametrize("operation", CALLS)
async def test_a_method_sends_all_that_its_caller_and_its_client_say(script: ScriptedService, operation: str) -> None:
    """The value of each parameter of a query is its name here."""
    route, (method, args, kwargs) = OPERATIONS[operation], call_sample(Sample(), operation)
    taken, said = route.decoder, dict[str, Any]()
    query = {} if taken.query is None else dict.fromkeys(taken.query.__struct_fields__)
    async with make_client(script, route) as client:
        call = inspect.signature(getattr(client, method)).bind(*args, **kwargs)
        for name, parameter in call.signature.parameters.items():
            if name == "options":
                (options,) = parameter.annotation.__args__
                call.arguments[name] = {one: OPTIONS[one] for one in options.__annotations__}
                said |= call.arguments[name]
            elif parameter.kind is parameter.VAR_KEYWORD:
                call.arguments[name] = {one: one for one in query}
                said |= call.arguments[name]
            elif name in {*query, "seed"}:
                call.arguments[name] = said[name] = name
        with pytest.raises(NotFoundError):
            await getattr(client, method)(*call.args, **call.kwargs)
    (request,) = script.requests
    assert type_name(call.signature.return_annotation) == type_name(route.content)
    assert (request.method, request.path) == (route.method, route.path.format_map(path_values(route)))
    assert dict(request.query) == {one: "legal_moves" if one == "include" else said[one] for one in query}
    headers = {"Authorization": "Bearer token", "Accept-Language": "fr"} if route.access != "key" else {}
    headers |= {"Api-Key": "key"} if taken.takes_api_key else {}
    headers |= {"Creator-Key": "creator"} if "creator_key" in taken.headers else {}
    headers |= {"If-Match": '"9-ab"', "Prefer": "return=representation"} if "prefers_game" in taken.headers else {}
    sent = sent_headers(request)
    if route.method == "POST":
        headers["Idempotency-Key"] = said.get("key", sent["Idempotency-Key"])
    assert sent == headers
    document = next((msgspec.to_builtins(one) for one in args if isinstance(one, msgspec.Struct)), {})
    fields = {} if taken.body is None else taken.body.type.__struct_fields__
    document |= {name: said[name] for name in fields if name in said} | ({"move": args[1]} if method == "act" else {})
    assert await sent_body(request) == document
    assert request.body_exists or taken.body is None or taken.is_body_optional


def type_name(kind: Any) -> str:
    """Return the name of a response's type, which is the same in the clients."""
    return getattr(get_origin(kind) or kind, "__name__", "").replace("str", "bytes")


def path_values(route: Route) -> dict[str, str]:
    """Return the parameters of an operation's path in its sample."""
    return PATH_VALUES | ({"id": TILE_SET} if route.path.startswith("/v1/tilesets") else {})


async def test_typescript_sends_what_python_does(script: ScriptedService, node: str, built: Path) -> None:
    """By the samples of all operations."""
    calls = [(OPERATIONS[operation].access == "key", call.typescript) for operation, call in CALLS.items()]
    for operation in CALLS:
        async with make_client(script, OPERATIONS[operation]) as client:
            with pytest.raises(NotFoundError):
                await call_sample(client, operation)
    script.responses.extend(problem_response(problem("not_found", "no")) for _ in CALLS)
    await run_script("samples.mjs", node, built, script.url, json.dumps(SETTINGS), json.dumps(calls))
    sent = [await describe(request) for request in script.requests]
    assert sent[len(CALLS) :] == sent[: len(CALLS)]


async def describe(request: web.Request) -> tuple[Any, ...]:
    """Return what both clients send: in TypeScript tiles and ships have URLs, and the sample of `act` no `If-Match`."""
    headers = {} if request.path.endswith((".png", ".svg")) else sent_headers(request) | {"If-Match": ""}
    headers |= {"Idempotency-Key": ""} if "Idempotency-Key" in headers else {}
    query = {name: "true" if value == "1" else value for name, value in request.query.items()}
    return request.method, request.path, query, headers, await sent_body(request)
