"""Every method of the clients sends the request of its operation, with all that its caller and its client say."""

import inspect
import json
from pathlib import Path
from typing import Any, get_origin
from unittest.mock import Mock

import msgspec
import pytest
from aiohttp import web

from schemas.problems import problem
from service.web.assembly import ROUTES
from service.web.routing import Route
from south_seas import ApiKeyClient, Client, NotFoundError
from tests.clients.scripted_service import ScriptedService, problem_response
from tests.clients.test_typescript import run_script
from tools.openapi.code_samples import CALLS, PATH_VALUES, TILE_SET, make_code_samples

OPERATIONS = {route.operation_id: route for route in ROUTES if route.path.startswith("/v1/")}

SETTINGS: dict[str, Any] = {"token": "token", "creator_key": "creator", "api_key": "key", "language": "fr"}

OPTIONS = {"key": "again", "include_legal_moves": True, "if_match": '"9-ab"', "return_game": True, "seat": 4}
"""What the methods take by these names, of those that create, join or act."""

HEADERS = ("Accept-Language", "Api-Key", "Authorization", "Creator-Key", "Idempotency-Key", "If-Match", "Prefer")


def call_sample(target: Any, operation: str) -> Any:
    """Call the method of an operation in Python with the arguments of its sample."""
    names = {"target": target, "token": SETTINGS["token"]}
    _, python, _ = make_code_samples(OPERATIONS[operation], ())
    exec(python["source"].partition("\n\n")[0], names)  # noqa: S102  the project's own
    return eval(f"target.{CALLS[operation].python}", names)  # noqa: S307  the project's own


def make_client(script: ScriptedService, route: Route) -> Client | ApiKeyClient:
    """Return the client that has the method of an operation, with all settings."""
    script.responses.append(problem_response(problem("not_found", "no")))
    is_host = route.access == "key"
    return ApiKeyClient(script.url, SETTINGS["api_key"]) if is_host else Client(script.url, **SETTINGS)


async def describe(request: web.Request) -> tuple[Any, ...]:
    """Return a request: what is null in its body is absent, and a key that the client made is as any other."""
    headers = {name: request.headers[name] for name in HEADERS if request.headers.get(name, "*") != "*"}
    if len(headers.get("Idempotency-Key", "")) == 2 * 32:
        headers["Idempotency-Key"] = "random"
    body = await request.json() if request.body_exists else {}
    sent = {name: value for name, value in body.items() if value is not None}
    return request.method, request.path, dict(request.query), headers, sent


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_method_sends_all_that_its_caller_and_its_client_say(script: ScriptedService, operation: str) -> None:
    """The value of each parameter of a query is its name here."""
    route, sample, said = OPERATIONS[operation], Mock(), dict[str, Any]()
    taken = route.decoder
    query = {} if taken.query is None else dict.fromkeys(taken.query.__struct_fields__)
    call_sample(sample, operation)
    ((method, args, kwargs),) = sample.mock_calls
    async with make_client(script, route) as client:
        call = inspect.signature(getattr(client, method)).bind(*args, **kwargs)
        for name, parameter in call.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                known = parameter.annotation.__args__[0].__annotations__ if name == "options" else query
                call.arguments[name] = {one: OPTIONS.get(one, one) for one in known}
                said |= call.arguments[name]
            elif name in {*query, "seed"}:
                call.arguments[name] = said[name] = name
        with pytest.raises(NotFoundError):
            await getattr(client, method)(*call.args, **call.kwargs)
    result, content = (get_origin(one) or one for one in (call.signature.return_annotation, route.content))
    assert result is content or result.__name__ == content.__name__ or (result, content) == (bytes, str)
    headers = {} if route.access == "key" else {"Authorization": "Bearer token", "Accept-Language": "fr"}
    headers |= {"Api-Key": "key"} if taken.takes_api_key else {}
    headers |= {"Creator-Key": "creator"} if "creator_key" in taken.headers else {}
    headers |= {"If-Match": '"9-ab"', "Prefer": "return=representation"} if "prefers_game" in taken.headers else {}
    headers |= {"Idempotency-Key": said.get("key", "random")} if route.method == "POST" else {}
    body: dict[str, Any] = {"move": args[1]} if method == "act" else {}
    body |= next((msgspec.to_builtins(one) for one in args if isinstance(one, msgspec.Struct)), {})
    body |= {one: said[one] for one in said if taken.body and one in taken.body.type.__struct_fields__}
    path = route.path.format_map(PATH_VALUES | ({"id": TILE_SET} if "/tilesets/" in route.path else {}))
    queried = {one: "legal_moves" if one == "include" else said[one] for one in query}
    (request,) = script.requests
    assert await describe(request) == (route.method, path, queried, headers, body)
    if taken.body is not None and (request.body_exists or not taken.is_body_optional):
        taken.body.decode(await request.read())


async def test_typescript_sends_what_python_does(script: ScriptedService, node: str, built: Path) -> None:
    """By the samples of all operations."""
    for operation in CALLS:
        async with make_client(script, OPERATIONS[operation]) as client:
            with pytest.raises(NotFoundError):
                await call_sample(client, operation)
    script.responses.extend(problem_response(problem("not_found", "no")) for _ in CALLS)
    calls = [(OPERATIONS[operation].access == "key", call.typescript) for operation, call in CALLS.items()]
    await run_script("samples.mjs", node, built, script.url, json.dumps(SETTINGS), json.dumps(calls))
    sent = [await describe(request) for request in script.requests]
    assert sent[len(CALLS) :] == sent[: len(CALLS)]
