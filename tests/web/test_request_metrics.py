"""Requests: their ids, and how they are counted, timed and logged.

The port for Prometheus: whatever is sent to it, it takes few connections, no thread, and little time.
"""

import logging
import threading
from asyncio import Event
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from aiohttp import ClientSession, web
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.openmetrics import exposition
from yarl import URL

from service.games.ports import GameStore
from service.telemetry.logs import LOG_CONTEXT
from service.web import connection_limiter as limiter
from service.web import handling
from service.web import server as web_server
from service.web.accounts import Accounts
from service.web.app import DRAINING, App, HttpRequest
from service.web.charge import Charge
from service.web.connection_limiter import CONNECTION_LIMITER, ConnectionLimiter
from service.web.handling import _DURATIONS, IN_FLIGHT, ProblemServer, RequestContext
from service.web.limits import Limits
from service.web.server import serve_metrics
from tests.polling import wait_until
from tests.telemetry.metric_samples import grown, read_samples
from tests.web.app_server import Client, mocked_request, serve
from tests.web.http_game import create_game
from tests.web.raw_http import open_connection, read_to_end

COUNT = "http_request_duration_seconds_count"
STREAM = {"Accept": "text/event-stream"}
UPGRADE = {"Upgrade": "websocket"}


@pytest.fixture
async def client(store: GameStore) -> AsyncIterator[Client]:
    async with serve(store, Limits(sse_comment_interval_s=0.1)) as served:
        yield served


async def test_every_response_has_the_clients_request_id_or_its_own(client: Client) -> None:
    made = [(await client.get("/v1/bots")).headers["X-Request-Id"] for _ in range(2)]
    assert made[0] != made[1]
    values = await client.get("/v1/games/nothing", headers={"X-Request-Id": "from.outside_1"})
    assert (values.status, values.headers["X-Request-Id"]) == (404, "from.outside_1")
    for bad in ("a b", 'a"b', "x" * 65, ""):
        assert (await client.get("/v1/bots", headers={"X-Request-Id": bad})).headers["X-Request-Id"] != bad
    assert "X-Request-Id" in values.headers["Access-Control-Expose-Headers"]


async def test_requests_are_counted_by_route_template(client: Client) -> None:
    before = read_samples()
    for path in ("/v1/games/aaa", "/v1/games/bbb", "/nowhere", "/else/where", "/v1/games/A_B"):
        assert (await client.get(path)).status == 404
    assert (await client.request("PROPFIND", "/v1/bots")).status == 405
    added = {labels for name, labels in read_samples().keys() - before.keys() if name == f"south_seas_{COUNT}"}
    assert {dict(labels)["route"] for labels in added} <= {"/v1/games/{id}", "unmatched"}
    assert grown(before, COUNT, route="/v1/games/{id}", status="4xx") == 2
    assert grown(before, COUNT, route="unmatched", status="4xx") == 4
    assert grown(before, COUNT, method="other") == 1
    remembered = {method for method, _, _ in _DURATIONS}
    assert "GET" in remembered
    assert "PROPFIND" not in remembered
    assert grown(before, "problems_total", code="not_found", via="http") == 5


async def test_the_duration_of_a_request_is_recorded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_samples()
    monkeypatch.setattr(handling, "perf_counter", Mock(side_effect=(7.0, 9.5)))
    assert (await client.get("/v1/bots")).status == 200
    assert grown(before, "http_request_duration_seconds_sum") == 2.5


async def test_requests_in_flight_are_counted_one_by_one(client: Client) -> None:
    game = await create_game(client)
    for number in (1, 2):
        stream = await game.get("/diffs", **STREAM)
        assert await stream.content.readline()
        assert IN_FLIGHT.count == number


async def test_sockets_and_streams_are_counted_as_connections(client: Client) -> None:
    game, before = await create_game(client), read_samples()
    async with client.ws_connect(f"{game.path}/ws") as socket:
        assert [(await socket.receive_json())["type"] for _ in range(3)] == ["welcome", "subscribed", "snapshot"]
        await socket.send_str("{")
        assert (await socket.receive_json())["problem"]["code"] == "malformed"
        await socket.send_json({"type": "ping"})
        assert (await socket.receive_json())["type"] == "pong"
    stream = await game.get("/diffs", **STREAM)
    assert await stream.content.readline()
    assert stream.headers["X-Request-Id"]
    assert IN_FLIGHT.count == 1
    stream.close()
    await wait_until(lambda: not IN_FLIGHT.count)
    assert grown(before, COUNT) == 0
    for kind in ("socket", "stream"):
        assert grown(before, "connections_opened_total", kind=kind) == 1
    for received in ("malformed", "ping"):
        assert grown(before, "socket_messages_received_total", type=received) == 1
    assert grown(before, "sockets_closed_total", code="1000") == 1
    assert grown(before, "problems_total", code="malformed", via="socket") == 1


async def test_an_internal_error_is_counted_and_has_an_id(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("service.store.game_store.RedisStore.list_by_status", broken)
    before = read_samples()
    answer = await client.get("/v1/games", headers={"X-Request-Id": "the-broken-one"})
    assert (answer.status, (await answer.json())["code"]) == (500, "internal")
    assert answer.headers["X-Request-Id"] == "the-broken-one"
    assert (grown(before, COUNT, route="/v1/games", status="5xx"), IN_FLIGHT.count) == (1, 0)


async def test_a_waiting_game_is_created_and_not_started(client: Client) -> None:
    before = read_samples()
    await create_game(client, [{"name": "Ana"}, {"open": True}])
    assert grown(before, "games_total") == grown(before, "games_total", event="created") == 1


async def test_the_events_of_a_game_are_counted(client: Client) -> None:
    before = read_samples()
    game = await create_game(client)
    move = await game.first_move()
    assert [(await game.act(move)).status for _ in range(2)] == [200, 422]
    assert (await game.delete()).status == 200
    events = ("created", "started", "aborted", "finished")
    assert [grown(before, "games_total", event=event) for event in events] == [1, 1, 1, 0]
    assert (grown(before, "actions_total", by="owner"), grown(before, "actions_total")) == (1, 1)
    assert grown(before, "commits_total", outcome="committed") == 3
    assert grown(before, "game_cache_misses_total") == 0
    assert grown(before, "problems_total", code="illegal_move") == 1


def make_request(headers: Mapping[str, str]) -> HttpRequest:
    """Return a request whose connection has a client."""
    charge = Charge(Accounts(Limits()).get("192.0.2.1"))
    connection = Mock(client=charge.account.client, charge=charge, ssl_context=None)
    return mocked_request("GET", "/", headers, protocol=connection)


@pytest.mark.parametrize(
    ("headers", "outcome", "status", "logged"),
    (
        ({}, web.Response(status=204), "2xx", 204),
        ({}, web.StreamResponse(), "2xx", 200),
        (STREAM, web.Response(status=404), "4xx", 404),
        (UPGRADE, web.Response(status=400), "4xx", 400),
        ({}, ZeroDivisionError(), "5xx", 500),
        ({}, ConnectionResetError(), "disconnected", 0),
        (STREAM, ConnectionResetError(), None, None),
        (UPGRADE, ConnectionResetError(), None, None),
        (STREAM, web.StreamResponse(headers={"Content-Type": "text/event-stream"}), None, None),
        (UPGRADE, web.WebSocketResponse(), None, None),
    ),
)
async def test_a_request_is_counted_and_logged_by_its_outcome_and_a_stream_is_not(
    caplog: pytest.LogCaptureFixture,
    headers: dict[str, str],
    outcome: web.StreamResponse | Exception,
    status: str | None,
    logged: int | None,
) -> None:
    caplog.set_level(logging.INFO, "service.web.access")
    before, contexts = read_samples(), []
    app = App()
    app[DRAINING] = Event()
    limiter: ConnectionLimiter = Mock()
    app[CONNECTION_LIMITER] = limiter

    async def handle(_request: HttpRequest) -> web.StreamResponse:
        contexts.append(LOG_CONTEXT.get())
        assert IN_FLIGHT.count == 1
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    app.router.add(("GET",), "/", handle)
    try:
        assert await ProblemServer(app, 1.0, is_measured=True).measure(make_request(headers)) is outcome
    except (ConnectionResetError, ZeroDivisionError) as error:
        assert error is outcome  # noqa: PT017  some cases raise nothing
    assert IN_FLIGHT.count == 0
    assert grown(before, COUNT) == (status is not None)
    assert grown(before, COUNT, method="GET", route="/", status=str(status)) == (status is not None)
    assert [vars(record)["status"] for record in caplog.records] == ([] if logged is None else [logged])
    ((context),) = contexts
    assert isinstance(context, RequestContext)
    assert context.request is None  # timers that were cancelled keep the context


@pytest.fixture
async def url() -> AsyncIterator[URL]:
    """Serve metrics, and return their URL."""
    async with serve_metrics("127.0.0.1", 0) as served:
        assert served is not None
        yield URL(served)


async def test_connections_are_bounded_and_take_no_threads(url: URL) -> None:
    threads = threading.active_count()
    async with AsyncExitStack() as stack:
        for _ in range(web_server.METRICS_LIMITS.max_connections):
            await stack.enter_async_context(open_connection(url))
        refused, _ = await stack.enter_async_context(open_connection(url))
        assert (await read_to_end(refused)).startswith(b"HTTP/1.1 503 ")
        assert threading.active_count() == threads


async def test_a_slow_client_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "SWEEP_INTERVAL_S", 0.05)
    monkeypatch.setattr(web_server, "METRICS_LIMITS", web_server.METRICS_LIMITS._replace(request_timeout_s=0.2))
    async with serve_metrics("127.0.0.1", 0) as served, open_connection(URL(str(served))) as (reader, writer):
        writer.write(b"GET /metrics HTTP/1.1\r\n")
        assert await read_to_end(reader) == b""


async def test_anything_but_a_scrape_is_a_problem(url: URL) -> None:
    async with ClientSession(url.origin()) as session:
        for method, path, status in (("GET", "/", 404), ("POST", "/metrics", 405), ("GET", "/livez", 404)):
            async with session.request(method, path) as response:
                assert (response.status, response.content_type) == (status, "application/problem+json")
    async with open_connection(url) as (reader, writer):
        writer.write(b"NONSENSE\r\n\r\n")
        received = await read_to_end(reader)
    assert b"\r\nServer: south-seas\r\n" in received
    assert b"NONSENSE" not in received


@pytest.mark.parametrize("accepts", (["text/plain"], ["application/openmetrics-text", "text/plain"]))
async def test_scrapes_take_a_tenth_of_the_time_at_most(monkeypatch: pytest.MonkeyPatch, accepts: list[str]) -> None:
    """However many are sent, and in which format."""
    now, made = 100.0, 0

    def generate_slowly(registry: CollectorRegistry) -> bytes:
        nonlocal now, made
        assert registry is REGISTRY
        now, made = now + 1, made + 1
        return b"metrics"

    monkeypatch.setattr(web_server, "generate_latest", generate_slowly)
    monkeypatch.setattr(exposition, "generate_latest", generate_slowly)
    monkeypatch.setattr(web_server, "time", SimpleNamespace(monotonic=lambda: now))
    async with serve_metrics("127.0.0.1", 0) as served, ClientSession() as session:
        for _ in range(60):
            for accept in accepts:
                async with session.get(str(served), headers={"Accept": accept}) as response:
                    assert (response.content_type, await response.read()) == (accept, b"metrics")
            now += 1
    assert len(accepts) < made <= (now - 100) / 10 + len(accepts)  # the last of each format is paid for after the end
