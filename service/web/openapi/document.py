"""The OpenAPI 3.1 document, made of the routes' declarations and the contract's Structs."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from schemas.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem
from schemas.webhooks import WebhookChallenge, WebhookChallengeAnswer, WebhookMessage
from service.web.openapi.components import Schema, make_components, unwrap_paragraphs
from service.web.openapi.descriptions import (
    HEADERS,
    INFO,
    PARAMETERS,
    PROBLEM_EXAMPLES,
    PROBLEM_HEADERS,
    SECURITY_SCHEMES,
    TAGS,
    WEBHOOK_HEADERS,
)
from service.web.openapi.links import make_links, make_response_links
from service.web.parsing import JSON
from service.web.ratelimit.classification import EXEMPT_PATHS
from service.web.routes.registry import ROUTES
from service.web.routing import Query, ResponseSpec, Route

__all__ = ["make_openapi"]

SchemaRefs = Mapping[Any, Schema]
"""The schema of each type that a route names."""

COMMON_PROBLEMS = ("malformed", "method_not_allowed", "rate_limited", "internal")
BODY_PROBLEMS = ("too_large", "unsupported_media_type")
RATE_LIMIT_HEADERS = ("RateLimit", "RateLimit-Policy")
"""Headers of what is counted, where clients are limited."""
TOKEN_PROBLEMS = ("unauthorized", "store_unavailable")


def make_openapi() -> dict[str, Any]:
    """The whole document; the same routes and Structs give the same document."""
    types = list(dict.fromkeys(_types(ROUTES)))
    schemas, named = make_components(types)
    refs = dict(zip(types, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.openapi_path, {})[route.method.lower()] = _operation(route, refs)
    return {
        "openapi": "3.1.0",
        "info": INFO,
        "servers": [{"url": "/"}],
        "tags": TAGS,
        "paths": paths,
        "webhooks": {
            "gameChanged": {"post": _webhook_message(refs)},
            "webhookChallenged": {"post": _webhook_challenge(refs)},
        },
        "components": {
            "schemas": named,
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "links": make_links(ROUTES),
            "examples": {code: _problem_example(code) for code in PROBLEM_TYPES},
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _types(routes: Iterable[Route]) -> Iterable[Any]:
    yield Problem
    yield WebhookMessage
    yield WebhookChallenge
    yield WebhookChallengeAnswer
    for route in routes:
        if route.body is not None:
            yield route.body.type
        yield from (reply.content for reply in route.responses if reply.content is not None)


def _operation(route: Route, refs: SchemaRefs) -> Schema:
    operation: Schema = {
        "operationId": route.operation_id,
        "tags": [route.tag],
        "summary": route.summary,
        "description": unwrap_paragraphs(route.description),
        "parameters": [*_parameters(route)],
        "responses": _responses(route, refs),
    }
    if route.body is not None:
        content = {"schema": refs[route.body.type], "examples": _examples(route.examples)}
        operation["requestBody"] = {"required": not route.is_body_optional, "content": {JSON: content}}
    match route.access:
        case "reads":
            operation["security"] = [{}, {"bearer": []}]
        case "required":
            operation["security"] = [{"bearer": []}]
        case "none":
            operation["security"] = []
    return operation


def _webhook_message(refs: SchemaRefs) -> Schema:
    """What is posted to a webhook: a request that the service makes."""
    return {
        "operationId": "gameChanged",
        "summary": "A game has changed",
        "description": "Posted to a webhook's URL, at least once and in the order of the versions, and signed as "
        "Standard Webhooks say. `webhook-id` is equal over retries.",
        **_webhook_request(refs, WebhookMessage, "webhook_message"),
        "responses": {
            "2XX": {"description": "It arrived."},
            "410": {"description": "Nothing is wanted here any more: the webhook is disabled."},
            "default": {"description": "It is tried again for about a day; redirects are not followed."},
        },
    }


def _webhook_challenge(refs: SchemaRefs) -> Schema:
    """What is posted to a webhook's URL before anything else."""
    return {
        "operationId": "webhookChallenged",
        "summary": "Does this server want the webhook?",
        "description": "Posted to a webhook's URL before anything else, and signed in the same way. The webhook is "
        "`pending` until the challenge is repeated. Each attempt has a challenge and a `webhook-id` of its own.",
        **_webhook_request(refs, WebhookChallenge, "webhook_challenge"),
        "responses": {
            "2XX": {
                "description": "This server wants it.",
                "content": {
                    JSON: {
                        "schema": refs[WebhookChallengeAnswer],
                        "examples": _examples(("webhook_challenge_answer",)),
                    }
                },
            },
            "410": {"description": "It does not: the webhook is disabled."},
            "default": {"description": "It is tried again 4 times, within a quarter of an hour."},
        },
    }


def _webhook_request(refs: SchemaRefs, body: type, example: str) -> Schema:
    """What both have: the headers, the body, and that no token comes with it."""
    return {
        "tags": ["webhooks"],
        "parameters": [*WEBHOOK_HEADERS],
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": refs[body], "examples": _examples((example,))}},
        },
        "security": [],
    }


def _parameters(route: Route) -> Iterable[Schema]:
    for name in route.path_parameters:
        yield {"$ref": f"#/components/parameters/{name}"}
    if route.query is not None:
        yield from _query_parameters(route.query)
    for name in route.headers:
        yield {"$ref": f"#/components/parameters/{name}"}


def _query_parameters(query: type[Query]) -> Iterable[Schema]:
    """The members of a Struct as parameters of the query; null is no value there."""
    _, named = make_components([query])
    for name, schema in named[query.__name__]["properties"].items():
        match schema:
            case {"anyOf": [dict(given), {"type": "null"}]}:
                value = dict(given)
            case _:
                value = dict(schema)
        yield {
            "name": name,
            "in": "query",
            "description": value.pop("description", ""),
            "required": False,
            "schema": value,
        }


def _responses(route: Route, refs: SchemaRefs) -> Schema:
    responses: Schema = {}
    for reply in route.responses:
        response = responses.setdefault(str(reply.status), {"description": reply.description})
        if named := (*reply.headers, *(() if route.path in EXEMPT_PATHS else RATE_LIMIT_HEADERS)):
            response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in named}
        if reply.content is not None:
            response.setdefault("content", {})[reply.media_type] = _content(reply, refs)
        if response_links := make_response_links(reply, ROUTES):
            response["links"] = response_links
    by_status: dict[int, list[str]] = {}
    for code in _problem_codes(route):
        by_status.setdefault(PROBLEM_TYPES[code].status, []).append(code)
    for status in sorted(by_status):
        responses[str(status)] = _problem_response(by_status[status], refs)
    return responses


def _content(reply: ResponseSpec, refs: SchemaRefs) -> Schema:
    content: Schema = {"schema": refs[reply.content]}
    if reply.examples:
        content["examples"] = _examples(reply.examples)
    return content


def _examples(names: Iterable[str]) -> Schema:
    return {name: _load_examples()[name] for name in names}


@cache
def _load_examples() -> Schema:
    """Examples of bodies and answers, each with its summary, by the names that the routes give them."""
    encoded = resources.files("service.web.openapi").joinpath("examples.json").read_bytes()
    return msgspec.json.decode(encoded, type=dict[str, Any])


def _problem_codes(route: Route) -> list[str]:
    """Every code that a route answers, in the order of KINDS."""
    codes = {*COMMON_PROBLEMS, *route.problems}
    if route.body is not None:
        codes.update(BODY_PROBLEMS)
    if route.access != "none":
        codes.update(TOKEN_PROBLEMS)
    return [code for code in PROBLEM_TYPES if code in codes]


def _problem_response(codes: list[str], refs: SchemaRefs) -> Schema:
    """The response of a status: its codes, each with what it means."""
    status = PROBLEM_TYPES[codes[0]].status
    response: Schema = {"description": " ".join(f"`{code}`: {PROBLEM_TYPES[code].title}." for code in codes)}
    if headers := PROBLEM_HEADERS.get(status):
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    response["content"] = {MEDIA_TYPE: {"schema": refs[Problem], "examples": examples}}
    return response


def _problem_example(code: str) -> Schema:
    return {"summary": PROBLEM_TYPES[code].title, "value": msgspec.to_builtins(PROBLEM_EXAMPLES[code])}
