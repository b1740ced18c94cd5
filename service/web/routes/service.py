"""The service itself: `GET /livez` and `GET /readyz`, and the API documents `/openapi.json` and `/asyncapi.json`.

`/v1/keys/me`: what the holder of an API key may see: the key's quotas and its games.
"""

import asyncio
from functools import cache, partial
from importlib import resources
from typing import Annotated, ClassVar

from aiohttp import web
from msgspec import Meta

from schemas.api_keys import ApiKeyView
from schemas.base import Query
from schemas.lobby import GameListQuery, Games
from schemas.service import Health
from service.games import queries
from service.games.api_key import ApiKey
from service.games.ports import StoreUnavailable
from service.telemetry.clock import timestamp
from service.web import responses
from service.web.app import CONTEXT, DRAINING, SUPERVISOR, HttpRequest
from service.web.headers import API_KEY_HEADER, add_vary
from service.web.parsing import JSON
from service.web.problems import BackgroundTaskFailing, ShuttingDown
from service.web.rate_limiter import charge_loaded_games
from service.web.routing import Access, Request, Route

HEALTHY = Health(status="ok")

UNREACHABLE_S = 8.0
"""How long an instance may not reach the store before a load balancer prefers others: longer than a failover."""

service_route = partial(Route, "GET", tag="service")


@service_route("/livez", "Check liveness", Health, "The instance is alive.", headers=(), is_limited=False)
async def check_liveness(_request: HttpRequest, _: Request) -> web.Response:
    """Return 200 as long as the process can respond, even if its store is unavailable."""
    return responses.json_response(HEALTHY)


class ReadinessQuery(Query, frozen=True):
    """What counts as ready."""

    store: Annotated[
        bool, Meta(description="Whether an instance that has not reached the store for seconds is not ready.")
    ] = False


class ReadinessCheck(Request, frozen=True, kw_only=True):
    """A request for the readiness."""

    query: ReadinessQuery = ReadinessQuery()


@service_route(
    "/readyz",
    "Check readiness",
    Health,
    "The instance is ready for requests.",
    headers=(),
    problems=("draining", "instance_unavailable", "store_unavailable"),
    is_limited=False,
)
async def check_readiness(request: HttpRequest, params: ReadinessCheck) -> web.Response:
    """Return `draining` while the instance shuts down, `instance_unavailable` while a task of its own keeps failing.

    Redis does not count: without it for all, no instance could do more, and whatever does not need it is served. With
    `store=1` it does, so that a load balancer prefers instances that reach it, as long as there are any.
    """
    if request.app[DRAINING].is_set():
        raise ShuttingDown
    if (task := request.app[SUPERVISOR].failing_task()) is not None:
        raise BackgroundTaskFailing(task)
    if params.query.store and (seconds := request.app[CONTEXT].store.unreachable_s()) > UNREACHABLE_S:
        raise StoreUnavailable(f"this instance has not reached Redis for {seconds:.0f} s")
    return responses.json_response(HEALTHY)


@cache
def load_document(name: str) -> responses.Asset:
    """Load a document of `schemas/` by its file name."""
    return responses.make_asset(JSON, resources.files("schemas").joinpath(name).read_bytes())


SERVER_URLS = {
    "openapi.json": (b'"url": "/"', b'"url": "%s"'),
    "asyncapi.json": (b'"host": "{host}",', b'"host": "{host}", "pathname": "%s",'),
}
"""What the documents say of the service's URL, and what they say below a path."""


@service_route("/openapi.json", "Read the OpenAPI document", dict, "The OpenAPI 3.1 document.")
async def read_open_api(request: HttpRequest, _: Request) -> web.Response:
    """Return the OpenAPI 3.1 document of the HTTP API."""
    return await _document_response(request, "openapi.json")


@service_route("/asyncapi.json", "Read the AsyncAPI document", dict, "The AsyncAPI 3.0 document.")
async def read_async_api(request: HttpRequest, _: Request) -> web.Response:
    """Return the AsyncAPI 3.0 document of the WebSocket messages."""
    return await _document_response(request, "asyncapi.json")


async def _document_response(request: HttpRequest, name: str) -> web.Response:
    document = await asyncio.to_thread(load_document, name)
    if request.base_path:
        base_path, (part, named) = request.base_path.encode(), SERVER_URLS[name]
        body = document.body.replace(part, named % base_path).replace(b"](/", b"](%s/" % base_path)
        document = document._replace(body=body, gzipped=b"", digest=document.digest + request.base_path)
    return responses.localized_response(request, document, security_headers={})


ROUTES = (check_liveness, check_readiness, read_open_api, read_async_api)


class KeyRead(Request, frozen=True, kw_only=True):
    """A request of an API key's holder."""

    access: ClassVar[Access] = "key"
    api_key: ApiKey


class KeyGameList(KeyRead, frozen=True, kw_only=True):
    """A request for an API key's games."""

    query: GameListQuery = GameListQuery()


@Route("GET", "/v1/keys/me", "Read the API key", ApiKeyView, "The key, without its secrets.", tag="API keys")
async def read_api_key(request: HttpRequest, params: KeyRead) -> web.Response:
    """Return the name and the quotas of the API key in the header `Api-Key`, and when its secrets expire."""
    key = params.api_key
    quotas = key.quotas
    view = ApiKeyView(
        name=key.name,
        created_at=timestamp(key.created_at),
        games_per_hour=quotas.games_per_hour,
        requests_per_minute=quotas.requests_per_minute,
        bot_turns_per_hour=quotas.bot_turns_per_hour,
        rotated_at=timestamp(key.secrets[0].created_at),
        previous_secret_expires_at=next(
            (timestamp(one.expires_at) for one in key.secrets[1:] if one.expires_at is not None), None
        ),
    )
    return add_vary(responses.cacheable_response(request, view, private=True), API_KEY_HEADER)


@Route("GET", "/v1/keys/me/games", "List the API key's games", Games, "The games, newest first.", tag="API keys")
async def list_api_key_games(request: HttpRequest, params: KeyGameList) -> web.Response:
    """List the games that were created with the API key, newest first, private ones too.

    The games come without `board` and `discarded`; `next_cursor` is null on the last page. The tokens are not listed:
    they are stored only as hashes.
    """
    page, loaded_count = await queries.list_api_key_games(request.app[CONTEXT], params.api_key.name, params.query)
    charge_loaded_games(request, loaded_count)
    response = add_vary(responses.cacheable_response(request, page, private=True), API_KEY_HEADER)
    return responses.link_next_page(request, response, "cursor", page.next_cursor)


API_KEY_ROUTES = (read_api_key, list_api_key_games)
