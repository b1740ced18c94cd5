"""The OpenAPI 3.1 document, generated from the routes' declarations and the API's Structs."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from schemas.base import Query
from schemas.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem
from schemas.webhooks import WebhookChallenge, WebhookChallengeAnswer, WebhookMessage, WebhookPing
from service.web.assembly import ROUTES
from service.web.headers import IF_NONE_MATCH, Header
from service.web.parsing import JSON
from service.web.routing import ResponseSpec, Route
from tools.openapi.code_samples import make_code_samples
from tools.openapi.components import Schema, make_components, unwrap_paragraphs, without_null
from tools.openapi.descriptions import (
    HEADERS,
    INFO,
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
IMPLIED_PROBLEMS = {"idempotency_key": "key_reused", "if_match": "version_mismatch"}
"""What follows from a field of the request."""
IMPLIED_HEADERS = {
    "idempotency_key": "Idempotent-Replayed",
    "language": "Content-Language",
    "prefers_game": "Preference-Applied",
}
"""The header of the response that follows from a field of the request."""
HEADERS_OF_304 = frozenset({"ETag", "Link", "Cache-Control"})


def make_openapi() -> dict[str, Any]:
    """Return the OpenAPI document; it depends only on the routes and Structs."""
    types = list(dict.fromkeys(_types(ROUTES)))
    schemas, named = make_components(types)
    refs = dict(zip(types, schemas, strict=True)) | {bytes: {"type": "string", "format": "binary"}}
    queries = {query: named.pop(query.__name__) for query in types if _is_query(query)}
    parameters: dict[str, Schema] = {}
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        used = _parameters(route, refs)
        parameters |= used
        inline = [] if (query := route.decoder.query) is None else _query_parameters(queries[query])
        shared = [{"$ref": f"#/components/parameters/{name}"} for name in used]
        count = len(route.path_parameters)
        operation = _operation(route, [*shared[:count], *inline, *shared[count:]], refs)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
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
            "parameters": parameters,
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
        decoder = route.decoder
        if decoder.body is not None:
            yield decoder.body.type
        if decoder.query is not None:
            yield decoder.query
        yield from (decoder.fields[name].type for name in route.path_parameters)
        yield from (header.text for header in _headers(route))
        yield from (reply.content for reply in route.responses if reply.content is not None)


def _is_query(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Query)


def _operation(route: Route, parameters: list[Schema], refs: SchemaRefs) -> Schema:
    operation: Schema = {
        "operationId": route.operation_id,
        "tags": [route.tag],
        "summary": route.summary,
        "description": unwrap_paragraphs(route.handler.__doc__ or ""),
        "parameters": parameters,
        "responses": _responses(route, refs),
    }
    examples = _examples_of("request_of", route, JSON)
    if (body := route.decoder.body) is not None:
        content = {"schema": refs[body.type], "examples": examples}
        operation["requestBody"] = {"required": not route.decoder.is_body_optional, "content": {JSON: content}}
    operation["security"] = _security(route)
    operation["x-codeSamples"] = make_code_samples(route, [one["value"] for one in examples.values()])
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


def _headers(route: Route) -> list[Header]:
    """Return the headers of a request; each GET with an entity tag is conditional."""
    return [*route.decoder.headers.values(), *([IF_NONE_MATCH] if _is_conditional(route) else [])]


def _is_conditional(route: Route) -> bool:
    return route.method == "GET" and any("ETag" in reply.headers for reply in route.responses)


def _parameters(route: Route, refs: SchemaRefs) -> dict[str, Schema]:
    """Return the parameters of path and headers, by their names in the document."""
    parameters = {
        name: _parameter(name, "path", refs[route.decoder.fields[name].type]) for name in route.path_parameters
    }
    for header in _headers(route):
        schema = refs[header.text]
        name = (
            f"{header.name}-secret" if schema.get("minLength", 0) > 1 and "Idempotency" in header.name else header.name
        )
        parameters[name] = _parameter(header.name, "header", schema)
    return parameters


def _parameter(name: str, where: str, schema: Schema) -> Schema:
    schema = dict(schema)
    description, (example, *_) = schema.pop("description"), schema.pop("examples", [None])
    parameter = {
        "name": name,
        "in": where,
        **({"required": True} if where == "path" else {}),
        "description": description,
    }
    return {**parameter, "schema": schema, **({} if example is None else {"example": example})}


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
    for reply in _replies(route):
        response = responses.setdefault(str(reply.status), {"description": reply.description})
        if named := (*reply.headers, *(RATE_LIMIT_HEADERS if route.is_limited else ())):
            response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in named}
        if reply.content is not None:
            content = response.setdefault("content", {})[reply.media_type] = {"schema": refs[reply.content]}
            if examples := _examples_of("response_of", route, reply.media_type):
                content["examples"] = examples
        if response_links := make_response_links(reply, ROUTES):
            response["links"] = response_links
    by_status: dict[int, list[str]] = {}
    for code in _problem_codes(route):
        by_status.setdefault(PROBLEM_TYPES[code].status, []).append(code)
    for status in sorted(by_status):
        responses[str(status)] = _problem_response(by_status[status], refs)
    return responses


def _replies(route: Route) -> Iterable[ResponseSpec]:
    """Yield the responses of a route, with the headers and the 304 that follow from its request."""
    query = route.decoder.query
    implied = [header for field, header in IMPLIED_HEADERS.items() if field in route.decoder.headers]
    if query is not None and "limit" in query.__struct_fields__:
        implied.append("Link")
    for reply in route.responses:
        has_implied = reply.content is not None and (reply.headers or route.method == "POST")
        yield reply._replace(headers=(*reply.headers, *implied)) if has_implied else reply
    if _is_conditional(route):
        kept = [name for name in (*route.responses[0].headers, *implied) if name in HEADERS_OF_304]
        yield ResponseSpec(304, "The client's copy is current.", headers=(*kept,))


def _examples_of(use: str, route: Route, media_type: str) -> Schema:
    """Return the examples of a route's request or response; those of media types but JSON are texts."""
    return {
        name: {"summary": example["summary"], "value": example["value"]}
        for name, example in _load_examples().items()
        if route.operation_id in example.get(use, ()) and (media_type == JSON) is not isinstance(example["value"], str)
    }


def _examples(names: Iterable[str]) -> Schema:
    return {name: _load_examples()[name] for name in names}


@cache
def _load_examples() -> Schema:
    """Load the examples of requests and responses, each with its summary and the operations that it is of."""
    encoded = resources.files("tools.openapi").joinpath("examples.json").read_bytes()
    return msgspec.json.decode(encoded, type=dict[str, Any])


def _problem_codes(route: Route) -> list[str]:
    """Return every problem code of a route, in the order of PROBLEM_TYPES."""
    headers = route.decoder.headers
    codes = {*COMMON_PROBLEMS, *route.problems, *(code for name, code in IMPLIED_PROBLEMS.items() if name in headers)}
    if route.decoder.body is not None:
        codes.update(BODY_PROBLEMS)
    if route.access != "none" or route.takes_api_key:
        codes.update(TOKEN_PROBLEMS)
    if route.path_parameters:
        codes.add("not_found")
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
