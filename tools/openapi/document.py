"""The OpenAPI 3.1 document, generated from the routes' declarations and the API's Structs."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from schemas.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem
from schemas.webhooks import WebhookChallenge, WebhookChallengeAnswer, WebhookMessage, WebhookPing
from service.web.parsing import JSON
from service.web.routes.registry import ROUTES
from service.web.routing import Query, ResponseSpec, Route
from tools.openapi.code_samples import make_code_samples
from tools.openapi.components import Schema, make_components, unwrap_paragraphs, without_null
from tools.openapi.descriptions import (
    HEADERS,
    INFO,
    PARAMETERS,
    PROBLEM_EXAMPLES,
    PROBLEM_HEADERS,
    SECURITY_SCHEMES,
    TAGS,
    WEBHOOK_HEADERS,
)
from tools.openapi.links import make_links, make_response_links

__all__ = ["make_openapi"]

SchemaRefs = Mapping[Any, Schema]
"""The schema of each type that a route declares."""

COMMON_PROBLEMS = ("malformed", "method_not_allowed", "uri_too_long", "rate_limited", "internal")
BODY_PROBLEMS = ("too_large", "unsupported_media_type", "not_implemented")
UPGRADE_PROBLEMS = frozenset({"upgrade_required"})
"""Problems of WebSocket upgrades alone, which the AsyncAPI document describes."""
RATE_LIMIT_HEADERS = ("RateLimit", "RateLimit-Policy")
"""Headers of rate-limited routes."""
TOKEN_PROBLEMS = ("unauthorized", "store_unavailable")


def make_openapi() -> dict[str, Any]:
    """Return the OpenAPI document; it depends only on the routes and Structs."""
    types = list(dict.fromkeys(_types(ROUTES)))
    schemas, named = make_components(types)
    refs = dict(zip(types, schemas, strict=True)) | {bytes: {"type": "string", "format": "binary"}}
    queries = {query: named.pop(query.__name__) for query in types if _is_query(query)}
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        parameters = [*_parameters(route, queries)]
        paths.setdefault(route.openapi_path, {})[route.method.lower()] = _operation(route, parameters, refs)
    return {
        "openapi": "3.1.0",
        "info": INFO,
        "servers": [{"url": "/"}],
        "tags": TAGS,
        "paths": paths,
        "webhooks": {
            "gameChanged": {"post": _webhook_message(refs)},
            "webhookChallenged": {"post": _webhook_challenge(refs)},
            "webhookPinged": {"post": _webhook_ping(refs)},
        },
        "components": {
            "schemas": named,
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "links": make_links(ROUTES),
            "examples": {code: _problem_example(code) for code in PROBLEM_TYPES if code not in UPGRADE_PROBLEMS},
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _types(routes: Iterable[Route]) -> Iterable[Any]:
    yield Problem
    yield WebhookMessage
    yield WebhookChallenge
    yield WebhookChallengeAnswer
    yield WebhookPing
    for route in routes:
        if route.body is not None:
            yield route.body.type
        if route.query is not None:
            yield route.query
        yield from (reply.content for reply in route.responses if reply.content is not None)


def _is_query(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Query)


def _operation(route: Route, parameters: list[Schema], refs: SchemaRefs) -> Schema:
    operation: Schema = {
        "operationId": route.operation_id,
        "tags": [route.tag],
        "summary": route.summary,
        "description": unwrap_paragraphs(route.description),
        "parameters": parameters,
        "responses": _responses(route, refs),
    }
    if route.body is not None:
        content = {"schema": refs[route.body.type], "examples": _examples(route.examples)}
        operation["requestBody"] = {"required": not route.is_body_optional, "content": {JSON: content}}
    operation["security"] = _security(route)
    operation["x-codeSamples"] = make_code_samples(route, _load_examples())
    return operation


def _security(route: Route) -> list[Schema]:
    """Return the alternative ways to authenticate; none if a route uses no secret."""
    alternatives: list[Schema]
    match route.access:
        case "reads":
            alternatives = [{}, {"bearer": []}]
        case "required":
            alternatives = [{"bearer": []}]
        case "key":
            return [{"apiKey": []}]
        case "none":
            alternatives = [{}]
    if route.takes_api_key:
        return [*alternatives, *({**one, "apiKey": []} for one in alternatives)]
    return [] if route.access == "none" else alternatives


def _webhook_message(refs: SchemaRefs) -> Schema:
    """Return the operation of a webhook message, a request that the service sends."""
    return {
        "operationId": "gameChanged",
        "summary": "A game has changed",
        "description": "Sent to a webhook's URL at least once and in the order of the versions, signed as Standard "
        "Webhooks define. Retries have the same `webhook-id`.",
        **_webhook_request(refs, WebhookMessage, "webhook_message"),
        "responses": {
            "2XX": {"description": "The message was received."},
            "410": {"description": "The server wants no more messages: the webhook is disabled."},
            "default": {"description": "Delivery is retried for about a day; redirects are not followed."},
        },
    }


def _webhook_challenge(refs: SchemaRefs) -> Schema:
    """Return the operation of a webhook challenge, the first request to a webhook's URL."""
    return {
        "operationId": "webhookChallenged",
        "summary": "Confirm a webhook",
        "description": "Sent to a webhook's URL before any message, and signed in the same way. The webhook is "
        "`pending` until a response repeats the challenge. Each attempt has its own challenge and `webhook-id`.",
        **_webhook_request(refs, WebhookChallenge, "webhook_challenge"),
        "responses": {
            "2XX": {
                "description": "The server confirms the webhook.",
                "content": {
                    JSON: {
                        "schema": refs[WebhookChallengeAnswer],
                        "examples": _examples(("webhook_challenge_answer",)),
                    }
                },
            },
            "410": {"description": "The server refuses the webhook: it is disabled."},
            "default": {"description": "The challenge is retried 4 times within 15 minutes."},
        },
    }


def _webhook_ping(refs: SchemaRefs) -> Schema:
    """Return the operation of a ping, which tests a webhook."""
    return {
        "operationId": "webhookPinged",
        "summary": "Test a webhook",
        "description": "Sent once to a webhook's URL when its owner asks for it, and signed as all messages.",
        **_webhook_request(refs, WebhookPing, "webhook_ping"),
        "responses": {"default": {"description": "The list of deliveries shows the response; it has no consequence."}},
    }


def _webhook_request(refs: SchemaRefs, body: type, example: str) -> Schema:
    """Return what both webhook requests share: the headers, the body, and no token."""
    return {
        "tags": ["callbacks"],
        "parameters": [*WEBHOOK_HEADERS],
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": refs[body], "examples": _examples((example,))}},
        },
        "security": [],
    }


def _parameters(route: Route, queries: Mapping[type[Query], Schema]) -> Iterable[Schema]:
    for name in route.path_parameters:
        yield {"$ref": f"#/components/parameters/{name}"}
    if route.query is not None:
        yield from _query_parameters(queries[route.query])
    for name in route.headers:
        yield {"$ref": f"#/components/parameters/{name}"}


def _query_parameters(query: Schema) -> Iterable[Schema]:
    """Yield the fields of a Struct as query parameters, which cannot be null; empty ones count as absent."""
    for name, schema in query["properties"].items():
        value = dict(without_null(schema))
        yield {
            "name": name,
            "in": "query",
            "description": value.pop("description", ""),
            "required": False,
            "allowEmptyValue": True,
            "schema": value,
        }


def _responses(route: Route, refs: SchemaRefs) -> Schema:
    responses: Schema = {}
    for reply in route.responses:
        response = responses.setdefault(str(reply.status), {"description": reply.description})
        if named := (*reply.headers, *(RATE_LIMIT_HEADERS if route.is_limited else ())):
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
    """Load the examples of requests and responses, each with its summary, by the names that routes use."""
    encoded = resources.files("tools.openapi").joinpath("examples.json").read_bytes()
    return msgspec.json.decode(encoded, type=dict[str, Any])


def _problem_codes(route: Route) -> list[str]:
    """Return every problem code of a route, in the order of PROBLEM_TYPES."""
    codes = {*COMMON_PROBLEMS, *route.problems}
    if route.body is not None:
        codes.update(BODY_PROBLEMS)
    if route.access != "none":
        codes.update(TOKEN_PROBLEMS)
    return [code for code in PROBLEM_TYPES if code in codes]


def _problem_response(codes: list[str], refs: SchemaRefs) -> Schema:
    """Return the response of a status, with the problem codes and titles that it can have."""
    status = PROBLEM_TYPES[codes[0]].status
    response: Schema = {"description": " ".join(f"`{code}`: {PROBLEM_TYPES[code].title}." for code in codes)}
    if headers := PROBLEM_HEADERS.get(status):
        response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    response["content"] = {MEDIA_TYPE: {"schema": refs[Problem], "examples": examples}}
    return response


def _problem_example(code: str) -> Schema:
    return {"summary": PROBLEM_TYPES[code].title, "value": msgspec.to_builtins(PROBLEM_EXAMPLES[code])}
